//! Texts are joined and cut into blocks, and a cut goes through what was drawn.

use super::finding::{Found, Trap};
use super::look::{Cut, Look};
use crate::Result;

pub(super) const TRAP: Trap = Trap {
    id: "packing",
    summary: "texts are packed into blocks, and a block's end cuts through the drawn part",
    remedy: "pack without cutting texts (best-fit packing), use longer blocks, or draw shorter canaries \
             with --length",
    look,
};

/// A share of cuts that is worth a word.
const OFTEN: f64 = 0.1;

fn look(look: &Look<'_>) -> Result<Option<Found>> {
    let block = look
        .max_length
        .filter(|_| look.settings.packing && look.is_cut());
    let Some(block) = block else {
        return Ok(None);
    };
    let longer = look.which(|_, cut| span(cut) > block);
    if !longer.is_empty() {
        let detail = format!(
            "the drawn part of {} canaries is longer than a block of {block} tokens",
            longer.len()
        );
        return Ok(Found::violated(longer, detail));
    }
    // Blocks end anywhere: of as many places as a block has tokens, all but one between the drawn
    // part's own tokens leave it whole.
    let cuts: f64 = look
        .cut
        .iter()
        .map(|cut| span(cut).saturating_sub(1) as f64)
        .sum();
    let share = cuts / (look.cut.len() * block) as f64;
    let detail = format!(
        "a block of {block} tokens ends inside the drawn part of about {:.1} % of the copies",
        share * 100.0
    );
    Ok(match share < OFTEN {
        true => Found::ok(detail),
        false => Found::warn(look.which(|_, cut| span(cut) > 1), detail),
    })
}

/// Tokens from the first that was drawn to the last.
fn span(cut: &Cut) -> usize {
    match (cut.secret.first(), cut.secret.last()) {
        (Some(first), Some(last)) => last - first + 1,
        _ => 0,
    }
}
