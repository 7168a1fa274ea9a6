//! The tokenizer changes what was drawn: capitals, accents, blanks.

use super::finding::{Found, Trap};
use super::look::Look;
use crate::{Canary, Result};

pub(super) const TRAP: Trap = Trap {
    id: "normalised",
    summary: "the tokenizer changes the drawn part (lower case, accents, blanks), so that differences fade",
    remedy: "draw with --tokenizer: then only tokens are drawn that come back as themselves",
    look,
};

fn look(look: &Look<'_>) -> Result<Option<Found>> {
    let Some(tokenizer) = look.tokenizer else {
        return Ok(None);
    };
    let mut changed = Vec::new();
    for (place, (canary, cut)) in look.canaries.iter().zip(&look.cut).enumerate() {
        let back = tokenizer.decode(&cut.ids)?;
        if drawn(canary).iter().any(|part| !back.contains(part.trim())) {
            changed.push(place);
        }
    }
    let count = changed.len();
    Ok(match count {
        0 => Found::ok("drawn parts come back from the tokenizer as they were written"),
        _ => Found::warn(
            changed,
            format!("{count} canaries do not come back from the tokenizer as they were written"),
        ),
    })
}

/// The drawn parts as they are written.
fn drawn(canary: &Canary) -> Vec<String> {
    let text = canary.text.as_deref().unwrap_or_default();
    let part = |start: usize, end: usize| text.chars().skip(start).take(end - start).collect();
    let parts = canary.secret.iter();
    parts
        .map(|secret| part(secret.start, secret.end.max(secret.start)))
        .collect()
}
