//! `guestlist attacks`: what there is.

use attacks::card::Card;
use attacks::{episodes, probes, shadow, sources, tokens};
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::console::Console;

pub fn run(console: &Console) -> Result<ExitCode, Error> {
    let shadow: Vec<&Card> = shadow::ATTACKS.iter().map(|attack| attack.card()).collect();
    let language: Vec<&Card> = tokens::ATTACKS.iter().map(|attack| attack.card()).collect();
    let services: Vec<&Card> = probes::ATTACKS.iter().map(|attack| attack.card()).collect();
    let sources: Vec<&Card> = sources::attacks::ATTACKS
        .iter()
        .map(|attack| attack.card())
        .collect();
    let few: Vec<&Card> = episodes::ATTACKS.iter().map(|a| a.card()).collect();
    let mut text = String::new();
    for (title, kind, cards) in [
        ("Classifiers, by shadow models", "classifier", shadow),
        ("\nLanguage models, by token signals", "lm", language),
        ("\nRetrieval services, by their answers", "rag", services),
        (
            "\nSources of a service's answers, by perturbed texts",
            "source",
            sources,
        ),
        (
            "\nClassifiers, by a few records with known membership",
            "fewshot",
            few,
        ),
    ] {
        text += &format!("{title}\n");
        let width = cards.iter().map(|card| card.id.len()).max().unwrap_or(0);
        for card in cards {
            text += &format!("  {:width$}  {}\n", card.id, card.summary);
            console.event(&json!({
                "event": "attack", "id": card.id, "kind": kind, "summary": card.summary,
                "needs": card.access.words(), "paper": card.paper,
            }));
        }
    }
    text += "\n`guestlist explain ID` says what one asks, why it works and when it misleads.\n";
    if !console.is_json() {
        console.data(&text)?;
    }
    Ok(ExitCode::Pass)
}
