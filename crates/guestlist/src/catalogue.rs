//! What there is to be named: attacks by the kind of target, and the words of a report.

mod canaries;
mod search;

use attacks::card::Card;
use attacks::settings::{Kind as SettingKind, Setting};
use judge::glossary::{self, Entry};
use report::wrap;

use self::search::Explained;
use crate::Error;
use crate::kinds::KINDS;

/// What an attack, a measure, a guardrail or another word of a report means, in lines of at most so
/// many characters. It may be written in capitals, as an option, or as others call it.
pub fn explain(word: &str, width: usize) -> Result<String, Error> {
    let name = search::plain(word);
    let found = attack(&name).map(|found| card(found, width));
    let known = || glossary::find(&name).or_else(|| glossary::find_synonym(&name));
    let found = found.or_else(|| known().map(|found| entry(found, width)));
    let found = found.or_else(|| canaries::explain(&name, width));
    found.ok_or_else(|| unknown(word))
}

/// Every word that can be explained: attacks by the kind of target, then words of a report.
pub fn words(width: usize) -> String {
    let kinds = KINDS.iter().map(|kind| {
        let ids = (kind.cards)().into_iter().map(|card| card.id);
        (kind.title, ids.collect::<Vec<_>>())
    });
    let words = glossary::entries().map(|entry| entry.id).collect();
    let groups = kinds.chain([("Words of a report", words)]);
    let groups = groups.chain(canaries::groups());
    let groups = groups.filter(|(_, ids)| !ids.is_empty());
    let group = |(title, ids): (&str, Vec<&str>)| {
        let lines = wrap(&ids.join(", "), width, "  ", "  ");
        format!("{title}\n{}\n", lines.join("\n"))
    };
    groups.map(group).collect::<Vec<_>>().join("\n")
}

fn cards() -> impl Iterator<Item = &'static Card> {
    KINDS.iter().flat_map(|kind| (kind.cards)())
}

fn attack(id: &str) -> Option<&'static Card> {
    cards().find(|card| card.id == id)
}

/// What is near to a word that nothing is named after.
fn unknown(word: &str) -> Error {
    let cards = cards().map(|card| {
        let text = [card.summary, card.asks, card.why_it_works, card.paper].join(" ");
        Explained::new(card.id, &text)
    });
    let entries = glossary::entries().map(|entry| Explained::new(entry.id, entry.meaning));
    let nearest = search::nearest(word, &cards.chain(entries).collect::<Vec<_>>());
    let rest = "`guestlist explain` lists every word";
    Error::usage(
        format!("nothing is named {word}"),
        match nearest.is_empty() {
            true => rest.to_owned(),
            false => format!("nearest: {}; {rest}", nearest.join(", ")),
        },
    )
}

fn entry(entry: &Entry, width: usize) -> String {
    let direction = judge::guardrails::direction(entry.id);
    let paragraphs = [Some(entry.meaning.to_owned()), direction];
    let paragraphs = paragraphs.into_iter().flatten();
    let paragraphs = paragraphs.map(|text| wrap(&text, width, "", "").join("\n") + "\n");
    let paragraphs: Vec<String> = paragraphs.collect();
    format!("{}\n\n{}", entry.id, paragraphs.join("\n"))
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
