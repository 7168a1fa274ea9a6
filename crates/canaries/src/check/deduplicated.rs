//! Repetitions, or frames that are alike, are dropped before training.

use std::collections::HashSet;

use super::finding::{Found, Trap};
use super::look::Look;
use super::settings::Deduplication;
use crate::{Canary, Result};

pub(super) const TRAP: Trap = Trap {
    id: "deduplicated",
    summary: "a filter drops repetitions of a canary, or canaries that share a frame",
    remedy: "deduplicate before drawing, and train on the drawn file as it is; or draw with --tiers 1, and \
             with the design swapped where near copies are dropped",
    look,
};

/// What filters of near copies usually take for a copy: this share of word runs in common.
const ALIKE: f64 = 0.7;
/// Canaries that are compared with each other.
const COMPARED: usize = 1500;

fn look(look: &Look<'_>) -> Result<Option<Found>> {
    let Some(filter) = look.settings.deduplicate else {
        return Ok(None);
    };
    let repeated: Vec<usize> = places(look, |canary| canary.tier > 1);
    if !repeated.is_empty() {
        let detail = format!(
            "{} canaries are to be repeated, and would be in the training data once at most",
            repeated.len()
        );
        return Ok(Found::violated(repeated, detail));
    }
    if filter == Deduplication::Near {
        let alike = alike(look);
        if !alike.is_empty() {
            let detail = format!(
                "{} canaries share {} % of their word runs or more with another, and would be dropped as \
                 copies",
                alike.len(),
                ALIKE * 100.0
            );
            return Ok(Found::violated(alike, detail));
        }
    }
    Ok(Found::ok("no canary would be dropped as a copy"))
}

fn places(look: &Look<'_>, is_so: impl Fn(&Canary) -> bool) -> Vec<usize> {
    let canaries = look.canaries.iter().enumerate();
    canaries
        .filter(|(_, canary)| is_so(canary))
        .map(|(place, _)| place)
        .collect()
}

/// Canaries with a near copy among the others.
fn alike(look: &Look<'_>) -> Vec<usize> {
    let runs: Vec<HashSet<u64>> = look
        .canaries
        .iter()
        .take(COMPARED)
        .map(|canary| {
            let grams = text::Grams::new(canary.text.as_deref().unwrap_or_default());
            grams.words.into_iter().map(|(hash, _)| hash).collect()
        })
        .collect();
    let has_copy = |place: &usize| {
        let others = runs.iter().enumerate().filter(|(other, _)| other != place);
        others
            .into_iter()
            .any(|(_, other)| jaccard(&runs[*place], other) >= ALIKE)
    };
    (0..runs.len()).filter(has_copy).collect()
}

fn jaccard(one: &HashSet<u64>, other: &HashSet<u64>) -> f64 {
    let both = one.intersection(other).count();
    let all = one.len() + other.len() - both;
    both as f64 / all.max(1) as f64
}
