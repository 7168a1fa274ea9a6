//! `guestlist attacks`: what there is.

use attacks::shadow::ATTACKS;
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::console::Console;

pub fn run(console: &Console) -> Result<ExitCode, Error> {
    let mut text = String::new();
    let width = ATTACKS
        .iter()
        .map(|attack| attack.card().id.len())
        .max()
        .unwrap_or(0);
    for card in ATTACKS.iter().map(|attack| attack.card()) {
        text += &format!("{:width$}  {}\n", card.id, card.summary);
        console.event(&json!({
            "event": "attack", "id": card.id, "summary": card.summary,
            "needs": card.access.words(), "paper": card.paper,
        }));
    }
    text += "\n`guestlist explain ID` says what one asks, why it works and when it misleads.\n";
    if !console.is_json() {
        console.data(&text)?;
    }
    Ok(ExitCode::Pass)
}
