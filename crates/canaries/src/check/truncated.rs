//! What was drawn lies beyond the tokens that training keeps, or most of it.

use super::finding::{Found, Trap};
use super::look::Look;
use crate::Result;

pub(super) const TRAP: Trap = Trap {
    id: "truncated",
    summary: "the drawn part, or more than half of it, lies beyond the length at which training cuts texts",
    remedy: "train with a greater length, or draw shorter canaries: random-tokens with a smaller --length, \
             or swapped from shorter texts (--texts)",
    look,
};

fn look(look: &Look<'_>) -> Result<Option<Found>> {
    let Some(length) = look.max_length.filter(|_| look.is_cut()) else {
        return Ok(None);
    };
    let beyond = |place: &usize| *place >= length;
    let lost = look.which(|_, cut| {
        let lost = cut.secret.iter().filter(|place| beyond(place)).count();
        // What has no drawn token has lost them all.
        lost > cut.secret.len() / 2 || cut.secret.is_empty()
    });
    if !lost.is_empty() {
        let detail = format!(
            "more than half of the drawn part of {} canaries lies beyond the first {length} tokens",
            lost.len()
        );
        return Ok(Found::violated(lost, detail));
    }
    let partly = look.which(|_, cut| cut.secret.iter().any(beyond));
    let count = partly.len();
    let longest = look.cut.iter().map(|cut| cut.ids.len()).max().unwrap_or(0);
    Ok(match count {
        0 => Found::ok(format!(
            "the longest canary has {longest} tokens, and {length} are kept"
        )),
        _ => Found::warn(
            partly,
            format!("{count} canaries lose up to half of what was drawn after {length} tokens"),
        ),
    })
}
