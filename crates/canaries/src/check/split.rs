//! A token that was to be new is none of this tokenizer.

use super::finding::{Found, Trap};
use super::look::Look;
use crate::Result;

pub(super) const TRAP: Trap = Trap {
    id: "split-token",
    summary: "the new token of a canary is cut into common ones: it was drawn for another tokenizer",
    remedy: "draw again with the tokenizer that training uses",
    look,
};

const DESIGN: &str = "new-token";

fn look(look: &Look<'_>) -> Result<Option<Found>> {
    let own = look.which(|canary, _| canary.design == DESIGN);
    if own.is_empty() {
        return Ok(None);
    }
    let split = look.which(|canary, cut| canary.design == DESIGN && cut.secret.len() != 1);
    let count = split.len();
    Ok(match count {
        0 => Found::ok("every new token is one token"),
        _ => Found::violated(
            split,
            format!("the new tokens of {count} canaries are not one token here"),
        ),
    })
}
