//! `guestlist run` and `guestlist plan` for language models.

use std::path::Path;

use asking::store::Store;
use guestlist::kinds::lm::{Checked, Outlook, Scoring, TIMED, TRIED};
use guestlist::pipeline::{Extra, OutFolder};
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::arguments::ConfigurationOptions;
use super::audit::{conclude, under_a_bar};
use super::console::Console;
use super::findings::tell;
use super::flags::refuse;
use super::scoring_progress::Scorer;
use super::time::span;

/// Scores what is missing, then audits.
pub fn complete(
    config: &Path,
    ask_again: bool,
    command: String,
    extras: &[Extra],
    console: &Console,
) -> Result<ExitCode, Error> {
    let checked = Checked::read(config)?;
    tell(&checked.first_findings(), console);
    let folder = checked.folder();
    let store = Store::open(&folder)?;
    let out = OutFolder::prepare(&folder)?;
    let _publishing = console.published().begin(&folder);
    let scorer = Scorer::new(console);
    let scored = Scoring::open(&checked, TRIED, &scorer).and_then(|mut scoring| {
        // Not before every server has answered its probe: what is there may be all there is.
        if ask_again {
            store.discard_answers()?;
        }
        scoring.score(&store, &scorer)?;
        Ok(scoring)
    });
    scorer.finish();
    let kept = |error: Error| match error {
        error if error.is_interruption() => stopped(scorer.kept()),
        other => other,
    };
    let scoring = scored.map_err(kept)?;
    let files = scoring.write(&store)?;
    for file in &files {
        console.note(&format!("wrote {}", file.path.display()));
    }
    let request = scoring.request(&store, files, command)?;
    let audit = under_a_bar(console, |follower| request.run(follower)).map_err(kept)?;
    conclude(&audit, Some(out), extras, console).map_err(kept)
}

fn stopped(kept: usize) -> Error {
    Error::stopped(format!(
        "interrupted; {kept} scored texts are kept: run again to go on"
    ))
}

/// Flags of classifiers.
pub fn refuse_flags(options: &ConfigurationOptions, kind: &str) -> Result<(), Error> {
    let asked = [
        (options.shadows.is_some(), "--shadows"),
        (options.executor.is_some(), "--executor"),
        (options.workers.is_some(), "--workers"),
    ];
    let name = options.config.display();
    refuse(&asked, |flag| {
        format!("{flag} is for classifiers, but {name} is of kind {kind}")
    })
}

/// Says what a run would do. Models of this machine are timed on a few texts; servers are not
/// asked.
pub fn plan(options: &ConfigurationOptions, console: &Console) -> Result<ExitCode, Error> {
    refuse_flags(options, "lm")?;
    let checked = Checked::read(&options.config)?;
    tell(&checked.first_findings(), console);
    if let Some((role, _)) = checked
        .roles()
        .into_iter()
        .find(|(_, model)| model.server.is_some())
    {
        return plan_of_server(&checked, &role, console);
    }
    let folder = checked.folder();
    let store = match folder.join("audit.sqlite").exists() {
        true => Some(Store::open(&folder)?),
        false => None,
    };
    console.note("measuring how fast the models read");
    let scorer = Scorer::new(console);
    let scoring = Scoring::open(&checked, TIMED, &scorer);
    scorer.finish();
    let outlook = scoring?.outlook(store.as_ref())?;
    let seconds: Option<f64> = outlook.passes.iter().map(|pass| pass.seconds).sum();
    console.event(&json!({
        "event": "plan", "texts": outlook.texts, "members": outlook.members,
        "attacks": checked.granted.attacks.len(), "seconds": seconds,
        "passes": outlook.passes.iter().map(|pass| json!({
            "name": pass.name, "texts": pass.texts, "tokens": pass.tokens, "done": pass.done,
            "windowed": pass.windowed, "seconds": pass.seconds,
        })).collect::<Vec<_>>(),
    }));
    console.text(&text(&checked, &outlook, seconds))?;
    Ok(ExitCode::Pass)
}

fn text(checked: &Checked, outlook: &Outlook, seconds: Option<f64>) -> String {
    let mut lines = vec![(
        "texts".to_owned(),
        format!(
            "{}: {} members and {} non-members",
            outlook.texts,
            outlook.members,
            outlook.texts - outlook.members
        ),
    )];
    for pass in &outlook.passes {
        let tokens = pass
            .tokens
            .map_or(String::new(), |n| format!("{n} tokens, "));
        let windows = match pass.windowed {
            0 => String::new(),
            n => format!(", {n} texts in windows because they exceed the context"),
        };
        let time = pass
            .seconds
            .map_or(String::new(), |s| format!(", about {}", span(s)));
        lines.push((
            pass.name.clone(),
            format!(
                "{tokens}{} of {} texts scored{windows}{time}",
                pass.done, pass.texts
            ),
        ));
    }
    if let Some(seconds) = seconds {
        lines.push(("in all".into(), format!("about {}", span(seconds))));
    }
    lines.push(("attacks".into(), checked.granted.attacks.len().to_string()));
    lines.push(("folder".into(), checked.folder().display().to_string()));
    table(&lines) + "Nothing was kept. `guestlist run` starts.\n"
}

pub fn table(lines: &[(String, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0);
    let line = |(name, words): &(String, String)| {
        let name = report::printable(name);
        format!("{name:<width$}  {}\n", report::printable(words))
    };
    lines.iter().map(line).collect()
}

/// Requests and size, from the texts alone.
fn plan_of_server(checked: &Checked, role: &str, console: &Console) -> Result<ExitCode, Error> {
    let texts = checked.texts.len();
    let passes = checked.roles().len() + usize::from(checked.wants_lowercase());
    let letters: usize = checked.texts.iter().map(|text| text.text.len()).sum();
    let members = checked.texts.iter().filter(|text| text.member).count();
    console.event(&json!({
        "event": "plan", "texts": texts, "members": members, "requests": texts * passes,
        "bytes": letters, "attacks": checked.granted.attacks.len(),
    }));
    let lines = [
        (
            "texts".to_owned(),
            format!(
                "{texts}: {members} members and {} non-members",
                texts - members
            ),
        ),
        (
            "passes".into(),
            format!("{passes} over all texts, one request per text and pass"),
        ),
        (
            "size".into(),
            format!(
                "{letters} bytes of text, roughly {} tokens per pass",
                letters / 4
            ),
        ),
        (
            "attacks".into(),
            format!(
                "{} asked for; which of them can run depends on what the server gives",
                checked.granted.attacks.len()
            ),
        ),
        ("folder".into(), checked.folder().display().to_string()),
    ];
    let end = format!(
        "Nothing was sent: what {role} gives is found out when `guestlist run` starts, by a \
         small request or a few.\n"
    );
    console.text(&(table(&lines) + &end))?;
    Ok(ExitCode::Pass)
}
