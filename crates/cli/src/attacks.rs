//! `guestlist attacks`: what there is.

use guestlist::kinds::KINDS;
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::console::Console;

pub fn run(console: &Console) -> Result<ExitCode, Error> {
    let mut paragraphs = Vec::new();
    for kind in &KINDS {
        let cards = (kind.cards)();
        if cards.is_empty() {
            continue;
        }
        let mut text = format!("{}\n", kind.title);
        let width = cards.iter().map(|card| card.id.len()).max().unwrap_or(0);
        for card in cards {
            text += &format!("  {:width$}  {}\n", card.id, card.summary);
            console.event(&json!({
                "event": "attack", "id": card.id, "kind": kind.kind.name(), "summary": card.summary,
                "needs": card.access.to_string(), "paper": card.paper,
            }));
        }
        paragraphs.push(text);
    }
    paragraphs.push(
        "`guestlist explain ID` says what one asks, why it works and when it misleads.\n".into(),
    );
    if !console.is_json() {
        console.data(&paragraphs.join("\n"))?;
    }
    Ok(ExitCode::Pass)
}
