//! Designs of canaries and traps before training, in words.

use canaries::Kind;
use canaries::check::TRAPS;
use canaries::designs::{Card, cards};
use report::wrap;

fn designs() -> impl Iterator<Item = Card> {
    [Kind::Lm, Kind::Classifier].into_iter().flat_map(cards)
}

/// What a design or a trap means, in lines of at most so many characters.
pub(super) fn explain(id: &str, width: usize) -> Option<String> {
    let design = designs().find(|card| card.id == id);
    let trap = || TRAPS.iter().find(|trap| trap.id == id);
    let (summary, heads) = match (&design, trap()) {
        (Some(card), _) => {
            let heads = vec![
                ("Why it works", card.why),
                ("When it is weak", card.weak),
                ("Paper", card.paper),
            ];
            (card.summary, heads)
        }
        (None, Some(trap)) => (trap.summary, vec![("Remedy", trap.remedy)]),
        (None, None) => return None,
    };
    let mut lines = wrap(summary, width, &format!("{id}: "), "");
    lines.push(String::new());
    for (head, text) in heads {
        lines.extend(wrap(text, width, &format!("{head:<17}"), &" ".repeat(17)));
    }
    Some(lines.join("\n") + "\n")
}

/// The names of all, under a title each.
pub(super) fn groups() -> [(&'static str, Vec<&'static str>); 2] {
    [
        (
            "Designs of canaries",
            designs().map(|card| card.id).collect(),
        ),
        (
            "What makes canaries invisible",
            TRAPS.iter().map(|trap| trap.id).collect(),
        ),
    ]
}
