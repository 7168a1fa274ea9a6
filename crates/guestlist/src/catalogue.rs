//! What there is to be named: attacks by the kind of target, and the words of a report.

use attacks::card::Card;
use attacks::settings::{Kind as SettingKind, Setting};
use judge::glossary;
use report::wrap;

use crate::Error;
use crate::kinds::KINDS;

/// What an attack, a measure or a guardrail means, in lines of at most so many characters.
pub fn explain(id: &str, width: usize) -> Result<String, Error> {
    let cards: Vec<&Card> = KINDS.iter().flat_map(|kind| (kind.cards)()).collect();
    if let Some(found) = cards.iter().find(|card| card.id == id) {
        return Ok(card(found, width));
    }
    if let Some(entry) = glossary::find(id) {
        let direction = judge::guardrails::direction(id);
        let paragraphs = [Some(entry.meaning.to_owned()), direction];
        let paragraphs = paragraphs.into_iter().flatten();
        let paragraphs = paragraphs.map(|text| wrap(&text, width, "", "").join("\n") + "\n");
        let paragraphs: Vec<String> = paragraphs.collect();
        return Ok(format!("{}\n\n{}", entry.id, paragraphs.join("\n")));
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

fn card(card: &Card, width: usize) -> String {
    let mut lines = vec![format!("{}: {}", card.id, card.summary), String::new()];
    for (head, text) in [
        ("Asks", card.asks),
        ("Why it works", card.why_it_works),
        ("Needs", &card.access.to_string()),
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
        SettingKind::Number { least, most, .. } => format!("{} to {}", short(least), short(most)),
        SettingKind::Choice { choices, .. } => choices.join(", "),
    };
    format!(
        "{} = {}: {} ({allowed})",
        setting.key,
        match setting.kind {
            SettingKind::Number { default, .. } => short(default),
            SettingKind::Choice { default, .. } => default.to_string(),
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
