//! `guestlist explain`: what a word in a report means.

use attacks::card::Card;
use attacks::settings::{Kind, Setting};
use attacks::shadow::ATTACKS;
use guestlist::{Error, ExitCode};
use judge::glossary;
use serde_json::json;

use super::arguments::Explain;
use super::console::Console;

pub fn run(options: &Explain, console: &Console) -> Result<ExitCode, Error> {
    let id = options.id.as_str();
    if let Some(attack) = ATTACKS.iter().find(|attack| attack.card().id == id) {
        return say(console, id, &card(attack.card()));
    }
    if let Some(entry) = glossary::find(id) {
        return say(console, id, &format!("{}\n\n{}\n", entry.id, entry.meaning));
    }
    let attacks: Vec<&str> = ATTACKS.iter().map(|attack| attack.card().id).collect();
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

fn card(card: &Card) -> String {
    let mut text = format!(
        "{}: {}\n\nAsks             {}\nWhy it works     {}\nNeeds            {}\n\
         When it misleads {}\nPaper            {}\n",
        card.id,
        card.summary,
        card.asks,
        card.why_it_works,
        card.access.words(),
        card.when_it_misleads,
        card.paper
    );
    if !card.settings.is_empty() {
        text += "\nSettings (--set key=value)\n";
        for setting in card.settings {
            text += &setting_line(setting);
        }
    }
    text
}

fn setting_line(setting: &Setting) -> String {
    let allowed = match setting.kind {
        Kind::Number { least, most, .. } => format!("{} to {}", short(least), short(most)),
        Kind::Choice { choices, .. } => choices.join(", "),
    };
    format!(
        "  {} = {}   {} ({allowed})\n",
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
