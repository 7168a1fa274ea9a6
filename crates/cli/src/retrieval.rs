//! `guestlist run`, `plan` and `probe` for retrieval services.

use std::path::Path;

use asking::rag::Service;
use asking::store::Store;
use attacks::rag::{DocumentFrequencies, ask};
use attacks::signals::probes::{Arm, Document};
use guestlist::kinds::rag::{Checked, Helped, Outlook, Probing, Quoting};
use guestlist::pipeline::{Extra, OutFolder};
use guestlist::{Error, ExitCode};
use judge::rag::StoredAnswers;
use serde_json::json;

use super::arguments::{ConfigurationOptions, Probe};
use super::asking_progress::Asker;
use super::audit::{conclude, under_a_bar};
use super::console::Console;
use super::findings::tell;
use super::language::{refuse_flags, table};
use super::time::span;

/// What a run is allowed to do.
#[derive(Clone, Copy, Default)]
pub struct Limits {
    pub max_requests: Option<u64>,
    /// Judge what is in the store; ask nobody.
    pub replay: bool,
    /// Discard what is in the store first.
    pub ask_again: bool,
}

/// Asks what is missing, then audits.
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
    let (probing, mut collected) = collected.map_err(kept)?;
    let perplexity = probing.read_answers(&mut collected, &store, &asker);
    asker.finish();
    let perplexity = perplexity.map_err(kept)?;
    let transcript = probing.write(&collected)?;
    console.note(&format!("wrote {}", transcript.display()));
    let request = probing.request(collected, perplexity, command)?;
    let audit = under_a_bar(console, |follower| request.run(follower)).map_err(kept)?;
    conclude(&audit, Some(out), extras, console).map_err(kept)
}

fn collect<'a>(
    checked: &'a Checked,
    store: &Store,
    replay: bool,
    asker: &Asker,
    console: &Console,
) -> Result<(Probing<'a>, guestlist::kinds::rag::Collected), Error> {
    console.note(&checked.service.about());
    asker.phase("writing questions", checked.documents.len());
    let helped = Helped::ask(checked, store, replay, asker)?;
    let probing = Probing::new(checked, helped);
    let stored = match replay {
        true => probing.replayed(store)?,
        false => before_asking(&probing, store, asker, console)?,
    };
    asker.phase("asking", probing.len());
    let collected = probing.collect(store, replay, stored, asker)?;
    Ok((probing, collected))
}

/// What asking costs and gives away, and whether stored answers still are those of this service.
fn before_asking(
    probing: &Probing,
    store: &Store,
    asker: &Asker,
    console: &Console,
) -> Result<Option<StoredAnswers>, Error> {
    let outlook = probing.outlook(Some(store))?;
    tell_cost(&outlook, console);
    if outlook.to_ask() > outlook.recheck {
        tell_quoting(&probing.quoting(), console);
    }
    asker.phase("asking stored answers again", outlook.recheck);
    probing.recheck(store, asker)
}

/// Once, before anything leaves the house.
fn tell_quoting(quoting: &Quoting, console: &Console) {
    let Some(words) = quoting.words() else {
        return;
    };
    console.event(&json!({
        "event": "quoting", "host": quoting.host, "nonmembers": quoting.nonmembers,
        "characters": quoting.characters, "longest": quoting.strategies,
    }));
    console.warn(&format!("warning: {words}"));
}

/// An interruption says what is kept; other errors stay what they are.
pub fn stopped(error: Error, asker: &Asker) -> Error {
    match error.is_interruption() {
        true => Error::stopped(format!(
            "interrupted; {} answers are kept: run again to go on",
            asker.kept()
        )),
        false => error,
    }
}

fn tell_cost(outlook: &Outlook, console: &Console) {
    let stored = match outlook.stored {
        0 => String::new(),
        stored => format!(" ({stored} were answered before)"),
    };
    let budget = match outlook.max_requests {
        Some(most) if most < outlook.to_ask() as u64 => format!(
            "; max_requests is {most}, so that not all can be asked: documents come in random order"
        ),
        _ => String::new(),
    };
    console.note(&format!(
        "{} questions{stored}{budget}",
        outlook.questions()
    ));
    if outlook.recheck > 0 {
        console.note(&format!(
            "up to {} requests ask stored answers again, to see whether it is still the same service",
            outlook.recheck
        ));
    }
}

/// Says what a run would ask and spend; nobody is asked.
pub fn plan(
    options: &ConfigurationOptions,
    max_requests: Option<u64>,
    console: &Console,
) -> Result<ExitCode, Error> {
    refuse_flags(options, "rag")?;
    let checked = Checked::read(&options.config, max_requests)?;
    tell(&checked.first_findings(), console);
    let folder = checked.folder();
    let store = match folder.join("audit.sqlite").exists() {
        true => Some(Store::open(&folder)?),
        false => None,
    };
    let helped = Helped::planned(&checked, store.as_ref())?;
    let probing = Probing::new(&checked, helped);
    let outlook = probing.outlook(store.as_ref())?;
    tell_quoting(&probing.quoting(), console);
    console.event(&json!({
        "event": "plan", "documents": outlook.documents, "members": outlook.members,
        "questions": outlook.questions(), "with_retrieval": outlook.with,
        "without_retrieval": outlook.without, "repeats": outlook.repeats,
        "controls": outlook.controls, "recheck": outlook.recheck,
        "helper": outlook.helper, "stored": outlook.stored, "requests": outlook.to_ask(),
        "max_requests": outlook.max_requests, "tokens_in": outlook.tokens_in,
        "tokens_out": outlook.tokens_out, "seconds": outlook.seconds,
        "strategies": outlook.strategies.iter().map(|(name, strategy)| json!({
            "id": name, "questions": strategy.questions, "documents": strategy.documents,
        })).collect::<Vec<_>>(),
    }));
    console.text(&words(&checked, &outlook))?;
    Ok(ExitCode::Pass)
}

fn words(checked: &Checked, outlook: &Outlook) -> String {
    let mut lines = vec![
        ("service".to_owned(), checked.service.about()),
        (
            "documents".into(),
            format!(
                "{}: {} members and {} non-members",
                outlook.documents,
                outlook.members,
                outlook.documents - outlook.members
            ),
        ),
    ];
    for (name, strategy) in &outlook.strategies {
        lines.push((
            name.clone(),
            format!(
                "{} questions about {} documents, {:.1} each",
                strategy.questions,
                strategy.documents,
                strategy.questions as f64 / strategy.documents.max(1) as f64
            ),
        ));
    }
    let off = match (outlook.without, checked.service.has_off()) {
        (0, false) => {
            "none: the target does not say how retrieval is switched off ([target.off])".into()
        }
        (0, true) => "none: probes.without_retrieval is false".into(),
        (count, _) => format!("the same {count} again"),
    };
    lines.push(("retrieval off".into(), off));
    if outlook.repeats > 0 {
        lines.push((
            "asked twice".into(),
            format!("{} questions", outlook.repeats),
        ));
    }
    if outlook.controls > 0 {
        lines.push((
            "controls".into(),
            format!(
                "{} questions about {} documents with invented facts",
                outlook.controls,
                checked.controls.len()
            ),
        ));
    }
    if outlook.recheck > 0 {
        lines.push((
            "asked again".into(),
            format!(
                "{} requests, to see whether stored answers are still this service's",
                outlook.recheck
            ),
        ));
    }
    if outlook.helper > 0 {
        lines.push((
            "helper".into(),
            format!("{} requests to write questions", outlook.helper),
        ));
    }
    let before = match outlook.stored {
        0 => String::new(),
        stored => format!(", {stored} of {} answered before", outlook.questions()),
    };
    let retries = checked.config.transport.retries;
    lines.push((
        "requests".into(),
        format!(
            "{}{before}; each is tried up to {retries} times again",
            outlook.to_ask()
        ),
    ));
    let limit = match outlook.max_requests {
        None => "none: set transport.max_requests, or give --max-requests".to_owned(),
        Some(most) => {
            let short = most < outlook.to_ask() as u64;
            let rest = if short {
                ", fewer than there are questions"
            } else {
                ""
            };
            format!("never more than {most} requests{rest}")
        }
    };
    lines.push(("limit".into(), limit));
    lines.push((
        "tokens".into(),
        format!(
            "roughly {} in the questions (what the service adds is not counted), {} in answers",
            outlook.tokens_in, outlook.tokens_out
        ),
    ));
    if let Some(seconds) = outlook.seconds {
        lines.push((
            "time".into(),
            format!("at least {} at the rate that is allowed", span(seconds)),
        ));
    }
    lines.push(("folder".into(), checked.folder().display().to_string()));
    table(&lines)
        + "Nothing was sent. `guestlist probe` tries one question, `guestlist run` starts.\n"
}

/// Sends one question to a retrieval service.
pub fn probe(options: &Probe, console: &Console) -> Result<ExitCode, Error> {
    let checked = Checked::read(&options.config, None)?;
    let arm = match options.without_retrieval {
        true => Arm::NoRetrieval,
        false => Arm::Retrieval,
    };
    let query = match &options.query {
        Some(query) => query.clone(),
        None => usual_question(&checked),
    };
    show(&checked.service, &query, arm, console)
}

/// Asks one question, once, and shows what was made of the answer.
pub fn show(
    service: &Service,
    query: &str,
    arm: Arm,
    console: &Console,
) -> Result<ExitCode, Error> {
    console.note(&service.about());
    let shown = service.probe(query, arm)?;
    console.event(&json!({
        "event": "probe", "url": shown.url, "status": shown.status, "seconds": shown.seconds,
        "answer": shown.reply.as_ref().ok().map(|reply| &reply.answer),
        "citations": shown.reply.as_ref().ok().map(|reply| &reply.citations),
        "retrieved": shown.reply.as_ref().ok().map(|reply| &reply.retrieved),
        "error": shown.reply.as_ref().err(),
        "paths": shown.findings.iter().map(|finding| json!({
            "what": finding.what, "path": finding.path, "found": finding.found,
        })).collect::<Vec<_>>(),
    }));
    // Every part of it is made printable where it is read.
    console.text(&format!("{shown}\n"))?;
    match shown.reply {
        Ok(_) => Ok(ExitCode::Pass),
        Err(why) => Err(Error::usage(
            why,
            "mend target.extract.answer and probe again",
        )),
    }
}

/// The first that a run would ask about the first document.
fn usual_question(checked: &Checked) -> String {
    let documents: Vec<Document> = checked
        .documents
        .iter()
        .map(|listed| listed.document.clone())
        .collect();
    let frequencies =
        DocumentFrequencies::new(documents.iter().map(|document| document.text.as_str()));
    let granted = &checked.granted;
    let first = documents
        .iter()
        .flat_map(|document| ask(&granted.attacks, document, &frequencies, &granted.settings))
        .next();
    first.map_or_else(
        || "What documents do you have?".to_owned(),
        |probe| probe.query,
    )
}
