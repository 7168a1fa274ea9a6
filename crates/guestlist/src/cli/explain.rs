//! `guestlist explain`: what a word in a report means.

use attacks::card::Card;
use attacks::settings::{Kind, Setting};
use attacks::{episodes, probes, shadow, sources, tokens};
use guestlist::{Error, ExitCode};
use judge::glossary;
use report::wrap;
use serde_json::json;

use super::arguments::Explain;
use super::console::Console;

pub fn run(options: &Explain, console: &Console) -> Result<ExitCode, Error> {
    let id = options.id.as_str();
    let shadow = shadow::ATTACKS.iter().map(|attack| attack.card());
    let cards: Vec<&Card> = shadow
        .chain(tokens::ATTACKS.iter().map(|attack| attack.card()))
        .chain(probes::ATTACKS.iter().map(|attack| attack.card()))
        .chain(sources::attacks::ATTACKS.iter().map(|attack| attack.card()))
        .chain(episodes::ATTACKS.iter().map(|attack| attack.card()))
        .collect();
    if let Some(found) = cards.iter().find(|card| card.id == id) {
        return say(console, id, &card(found, console.style().width));
    }
    if let Some(entry) = glossary::find(id) {
        let meaning = wrap(entry.meaning, console.style().width, "", "").join("\n");
        return say(console, id, &format!("{}\n\n{meaning}\n", entry.id));
    }
    let attacks: Vec<&str> = cards.iter().map(|card| card.id).collect();
    let words: Vec<&str> = glossary::entries().map(|entry| entry.id).collect();
    Err(Error::usage(
        format!("nothing is named {id}"),
        format!(
            "attacks: {}; words of a report: {}",
            attacks.join(", "),
            words.join(", ")
        ),
    ))
}

fn say(console: &Console, id: &str, text: &str) -> Result<ExitCode, Error> {
    if console.is_json() {
        console.event(&json!({"event": "explanation", "id": id, "text": text}));
    } else {
        console.data(text)?;
    }
    Ok(ExitCode::Pass)
}

fn card(card: &Card, width: usize) -> String {
    let mut lines = vec![format!("{}: {}", card.id, card.summary), String::new()];
    for (head, text) in [
        ("Asks", card.asks),
        ("Why it works", card.why_it_works),
        ("Needs", &card.access.words()),
        ("When it misleads", card.when_it_misleads),
        ("Paper", card.paper),
    ] {
        lines.extend(wrap(text, width, &format!("{head:<17}"), &" ".repeat(17)));
    }
    if !card.settings.is_empty() {
        lines.extend([String::new(), "Settings (--set key=value)".into()]);
        for setting in card.settings {
            lines.extend(wrap(&setting_line(setting), width, "  ", "      "));
        }
    }
    lines.join("\n") + "\n"
}

fn setting_line(setting: &Setting) -> String {
    let allowed = match setting.kind {
        Kind::Number { least, most, .. } => format!("{} to {}", short(least), short(most)),
        Kind::Choice { choices, .. } => choices.join(", "),
    };
    format!(
        "{} = {}: {} ({allowed})",
        setting.key,
        match setting.kind {
            Kind::Number { default, .. } => short(default),
            Kind::Choice { default, .. } => default.to_string(),
        },
        setting.help
    )
}

/// A number as people write it: powers of ten only where digits would have to be counted.
fn short(number: f64) -> String {
    if number != 0.0 && !(1e-4..1e6).contains(&number.abs()) {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}
