//! Two canaries are one and the same once they are cut.

use std::collections::HashMap;

use super::finding::{Found, Trap};
use super::look::{Cut, Look};
use crate::Result;

pub(super) const TRAP: Trap = Trap {
    id: "duplicate-tokens",
    summary: "canaries that differ as texts are the same tokens, so that one gives the other's coin away",
    remedy: "draw with --tokenizer, and with more tokens (--length); keep more of each text in training",
    look,
};

fn look(look: &Look<'_>) -> Result<Option<Found>> {
    if !look.is_cut() {
        return Ok(None);
    }
    let kept = |cut: &Cut| -> Vec<u32> {
        let length = look.max_length.unwrap_or(usize::MAX).min(cut.ids.len());
        cut.ids[..length].to_vec()
    };
    let mut times: HashMap<Vec<u32>, usize> = HashMap::new();
    for cut in &look.cut {
        *times.entry(kept(cut)).or_default() += 1;
    }
    let same = look.which(|_, cut| times.get(&kept(cut)).is_some_and(|times| *times > 1));
    let count = same.len();
    Ok(match count {
        0 => Found::ok("no two canaries are the same tokens"),
        _ => Found::violated(
            same,
            format!("{count} canaries are the same tokens as another one"),
        ),
    })
}
