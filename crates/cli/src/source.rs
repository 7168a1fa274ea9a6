//! `guestlist run`, `plan` and `probe` for the sources of a service's answers.

use std::path::Path;

use asking::store::Store;
use attacks::signals::probes::Arm;
use attacks::source::Label;
use guestlist::kinds::source::{Attributing, Checked, Follow, Outlook};
use guestlist::pipeline::{Extra, OutFolder};
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::arguments::{ConfigurationOptions, Probe};
use super::asking_progress::Asker;
use super::audit::{conclude, under_a_bar};
use super::console::Console;
use super::findings::tell;
use super::language::{refuse_flags, table};
use super::retrieval::{Limits, show, stopped};
use super::time::span;

/// Asks what is missing, then tells sources apart and judges.
pub fn complete(
    config: &Path,
    limits: Limits,
    command: String,
    extras: &[Extra],
    console: &Console,
) -> Result<ExitCode, Error> {
    let checked = Checked::read(config, limits.max_requests)?;
    tell(&checked.first_findings(), console);
    let folder = checked.folder();
    let store = Store::open(&folder)?;
    if limits.ask_again {
        store.discard_answers()?;
    }
    let out = OutFolder::prepare(&folder)?;
    let _publishing = console.published().begin(&folder);
    let asker = Asker::new(console);
    let collected = collect(&checked, &store, limits.replay, &asker, console);
    asker.finish();
    let kept = |error: Error| stopped(error, &asker);
    let attributing = collected.map_err(kept)?;
    let transcript = attributing.write(&folder)?;
    console.note(&format!("wrote {}", transcript.display()));
    let request = attributing.request(command)?;
    let (audit, attributions) =
        under_a_bar(console, |follower| request.run(follower)).map_err(kept)?;
    let path = attributions.write(&folder)?;
    console.note(&format!("wrote {}", path.display()));
    conclude(&audit, Some(out), extras, console).map_err(kept)
}

fn collect<'a>(
    checked: &'a Checked,
    store: &Store,
    replay: bool,
    asker: &Asker,
    console: &Console,
) -> Result<Attributing<'a>, Error> {
    console.note(&checked.service.about());
    if let Some(stand_in) = &checked.stand_in {
        console.note(&format!("without retrieval: {}", stand_in.endpoint()));
    }
    if !replay {
        console.note(&cost(&Outlook::of(checked)));
    }
    Attributing::collect(checked, store, replay, asker)
}

/// What is about to be spent, in a line.
fn cost(outlook: &Outlook) -> String {
    let captions = match outlook.captions {
        0 => String::new(),
        count => format!(" and {count} captions"),
    };
    let least = match outlook.least < outlook.most {
        true => format!(", {} at least with early stopping", outlook.least),
        false => String::new(),
    };
    let budget = match outlook.max_requests {
        Some(most) if most < (outlook.most + outlook.captions) as u64 => {
            format!("; max_requests is {most}, so that not all may be asked")
        }
        _ => String::new(),
    };
    format!(
        "{} texts, {} perturbed inputs each, with and without retrieval: {} requests{captions} at \
         most{least}{budget}",
        outlook.texts, outlook.perturbations, outlook.most
    )
}

/// Says what a run would ask and spend; nobody is asked.
pub fn plan(
    options: &ConfigurationOptions,
    max_requests: Option<u64>,
    console: &Console,
) -> Result<ExitCode, Error> {
    refuse_flags(options, "source")?;
    let checked = Checked::read(&options.config, max_requests)?;
    tell(&checked.first_findings(), console);
    let folder = checked.folder();
    let stored = match folder.join("audit.sqlite").exists() {
        true => Store::open(&folder)?.counts()?.answers,
        false => 0,
    };
    let outlook = Outlook::of(&checked);
    console.event(&json!({
        "event": "plan", "items": checked.items.len(), "texts": outlook.texts,
        "pretrained": checked.count(Some(Label::Pretrained)),
        "retrieved": checked.count(Some(Label::Retrieved)),
        "non_members": checked.count(Some(Label::NonMember)),
        "unknown": checked.count(None), "perturbations": outlook.perturbations,
        "stand_in": checked.stand_in.is_some(), "requests": outlook.most,
        "least_requests": outlook.least, "captions": outlook.captions, "stored": stored,
        "max_requests": outlook.max_requests, "tokens_in": outlook.tokens_in,
        "tokens_out": outlook.tokens_out, "seconds": outlook.seconds,
        "least_seconds": outlook.least_seconds,
    }));
    console.text(&words(&checked, &outlook, stored))?;
    Ok(ExitCode::Pass)
}

fn words(checked: &Checked, outlook: &Outlook, stored: u64) -> String {
    let mut lines = vec![
        ("service".to_owned(), checked.service.about()),
        ("retrieval off".into(), off_words(checked)),
        ("items".into(), items_words(checked)),
        ("similarity".into(), checked.similarity.name()),
        (
            "perturbations".into(),
            format!(
                "{} inputs of each text by {}, asked with and without retrieval",
                outlook.perturbations,
                checked.config.source.perturbation.as_str()
            ),
        ),
    ];
    if outlook.captions > 0 {
        lines.push((
            "captions".into(),
            format!(
                "{} of {} pictures; a picture's text is known only then",
                outlook.captions,
                checked.pictures()
            ),
        ));
    }
    let least = match outlook.least < outlook.most {
        true => format!(
            ", {} at least: texts are left alone once their labels are settled, but for {}",
            outlook.least, outlook.checked
        ),
        false => String::new(),
    };
    let retries = checked.config.transport.retries;
    let before = match stored {
        0 => String::new(),
        stored => format!("; the folder holds {stored} answers, which are not asked for again"),
    };
    lines.push((
        "requests".into(),
        format!(
            "{} at most{least}; each is tried up to {retries} times again{before}",
            outlook.most + outlook.captions
        ),
    ));
    lines.push(("limit".into(), limit_words(outlook)));
    lines.push((
        "tokens".into(),
        format!(
            "roughly {} in the questions (what the service adds is not counted), {} in answers, at \
             most",
            outlook.tokens_in, outlook.tokens_out
        ),
    ));
    if let (Some(most), Some(least)) = (outlook.seconds, outlook.least_seconds) {
        lines.push((
            "time".into(),
            format!(
                "from {} to {} at the rate that is allowed",
                span(least),
                span(most)
            ),
        ));
    }
    lines.push(("folder".into(), checked.folder().display().to_string()));
    table(&lines)
        + "Nothing was sent. `guestlist probe` tries one question, `guestlist run` starts.\n"
}

fn off_words(checked: &Checked) -> String {
    match &checked.stand_in {
        None => "the service's own switch".into(),
        Some(stand_in) => format!("a stand-in: {}", stand_in.endpoint()),
    }
}

fn items_words(checked: &Checked) -> String {
    let mut parts: Vec<String> = Label::ALL
        .into_iter()
        .map(|label| (checked.count(Some(label)), label.as_str()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    match checked.count(None) {
        0 => {}
        count => parts.push(format!("{count} of unknown source")),
    }
    format!("{}: {}", checked.items.len(), parts.join(", "))
}

fn limit_words(outlook: &Outlook) -> String {
    match outlook.max_requests {
        None => "none: set transport.max_requests, or give --max-requests".to_owned(),
        Some(most) => {
            let short = most < (outlook.most + outlook.captions) as u64;
            let rest = if short {
                ", fewer than there may be questions"
            } else {
                ""
            };
            format!("never more than {most} requests{rest}")
        }
    }
}

/// Sends one question and shows what was made of the answer.
pub fn probe(options: &Probe, console: &Console) -> Result<ExitCode, Error> {
    let checked = Checked::read(&options.config, None)?;
    let (service, arm) = match (options.without_retrieval, &checked.stand_in) {
        (false, _) => (&checked.service, Arm::Retrieval),
        (true, Some(stand_in)) => (stand_in, Arm::Retrieval),
        (true, None) => (&checked.service, Arm::NoRetrieval),
    };
    let query = match &options.query {
        Some(query) => query.clone(),
        None => Attributing::first_question(&checked).ok_or_else(|| {
            Error::usage(
                "every item is a picture: what a run would ask first is not known yet",
                "say what to ask with --query",
            )
        })?,
    };
    show(service, &query, arm, console)
}

impl Follow for Asker<'_> {
    fn phase(&self, name: &str, questions: usize) {
        Asker::phase(self, name, questions);
    }
}
