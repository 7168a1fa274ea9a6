//! What was drawn becomes the one token for everything unknown.

use super::finding::{Found, Trap};
use super::look::{Cut, Look};
use crate::{Canary, Result};

pub(super) const TRAP: Trap = Trap {
    id: "unknown-token",
    summary: "the tokenizer cannot spell the drawn part and puts its sign for the unknown in its place",
    remedy: "draw with --tokenizer: then only tokens are drawn that the vocabulary has",
    look,
};

fn look(look: &Look<'_>) -> Result<Option<Found>> {
    let Some(tokenizer) = look.tokenizer else {
        return Ok(None);
    };
    let Some(unknown) = tokenizer.unknown() else {
        return Ok(Found::ok("the tokenizer spells every text"));
    };
    let count = |cut: &Cut| {
        let secret = cut.secret.iter();
        secret.filter(|place| cut.ids[**place] == unknown).count()
    };
    let mostly = look.which(|_: &Canary, cut| 2 * count(cut) > cut.secret.len());
    if !mostly.is_empty() {
        let detail = format!(
            "of {} canaries more than half of the drawn tokens are unknown to the tokenizer",
            mostly.len()
        );
        return Ok(Found::violated(mostly, detail));
    }
    let partly = look.which(|_, cut| count(cut) > 0);
    let number = partly.len();
    Ok(match number {
        0 => Found::ok("no drawn token is unknown to the tokenizer"),
        _ => Found::warn(
            partly,
            format!("{number} canaries have drawn tokens that the tokenizer does not know"),
        ),
    })
}
