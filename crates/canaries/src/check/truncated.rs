//! What was drawn lies beyond the tokens that training keeps.

use super::finding::{Found, Trap};
use super::look::Look;
use crate::Result;

pub(super) const TRAP: Trap = Trap {
    id: "truncated",
    summary: "the drawn part lies beyond the length at which training cuts texts",
    remedy: "train with a greater length, or draw shorter canaries: random-tokens with a smaller --length, \
             or swapped from shorter texts (--texts)",
    look,
};

fn look(look: &Look<'_>) -> Result<Option<Found>> {
    let Some(length) = look.max_length.filter(|_| look.is_cut()) else {
        return Ok(None);
    };
    let beyond = |place: &usize| *place >= length;
    let lost = look.which(|_, cut| cut.secret.iter().all(beyond));
    if !lost.is_empty() {
        let detail = format!(
            "the drawn part of {} canaries lies beyond the first {length} tokens",
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
            format!("{count} canaries lose a part of what was drawn after {length} tokens"),
        ),
    })
}
