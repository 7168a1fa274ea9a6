//! `docs/attacks.md`: every attack, as its card has it.

use attacks::card::{Access, Card};
use guestlist::kinds::KINDS;

use super::page;

#[test]
fn the_page_of_attacks_has_every_card() {
    let kinds = KINDS
        .iter()
        .map(|kind| (kind.kind.name(), kind.title, (kind.cards)()));
    let kinds = kinds.filter(|(_, _, cards)| !cards.is_empty());
    let sections: Vec<String> = kinds.map(section).collect();
    page::check("attacks.md", &sections.join("\n"));
}

fn section((name, title, cards): (&str, &str, Vec<&Card>)) -> String {
    let rows: Vec<Vec<String>> = cards.iter().map(|card| row(card)).collect();
    let table = page::table(&["id", "needs", "in one line", "paper"], &rows);
    let count = cards.len();
    format!("## {title}\n\nKind `{name}`, {count} attacks.\n\n{table}")
}

fn row(card: &Card) -> Vec<String> {
    let words = [&needs(card.access), card.summary, card.paper];
    let words = words.map(str::to_owned);
    [format!("`{}`", card.id)]
        .into_iter()
        .chain(words)
        .collect()
}

/// The words that the page explains, where it does.
fn needs(access: Access) -> String {
    match access {
        Access::TargetOnly => "none".into(),
        Access::AnyShadow => "any".into(),
        Access::OutShadows => "offline".into(),
        Access::InAndOutShadows => "online".into(),
        Access::Exchanges => "answers".into(),
        Access::Features => "features".into(),
        Access::FeaturesAndWeights => "features; weights where given".into(),
        Access::Tokens(needs) => {
            let further = needs.iter().map(|need| need.as_str());
            let all: Vec<&str> = std::iter::once("tokens").chain(further).collect();
            all.join("; ")
        }
    }
}
