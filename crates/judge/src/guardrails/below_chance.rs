//! Does an attack tell members apart the wrong way round, of all records or of a part?
//!
//! A score significantly below one half separates members from non-members as well as one above:
//! whoever turns it round has an attack. So it never goes with a pass.

use super::{Evidence, Status, significantly_below, telling_splits};
use crate::diagnostics::slice_gate::Below;
use crate::diagnostics::slices::SliceFinding;

/// Slices that are named.
const NAMED: usize = 5;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let below = significantly_below(evidence);
    // Most of them below: then the truth is the suspect, and `inverted-labels` speaks.
    if below.len() * 2 > evidence.attacks.len() {
        return None;
    }
    let attacks: Vec<String> = below
        .iter()
        .map(|attack| format!("{} ({:.3})", attack.id, attack.auc.value))
        .collect();
    let slices = slices_below(evidence);
    let named: Vec<String> = slices.iter().take(NAMED).map(describe).collect();
    let more = slices.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("{more} more slices"));
    let named: Vec<String> = attacks.into_iter().chain(named).chain(more).collect();
    if named.is_empty() {
        return None;
    }
    let detail = format!(
        "significantly below one half: {}; turned round, the same scores tell members apart, so that \
         this is a leak whose sign was not known, or the truth is wrong for a part of the records; \
         look at what these attacks assume, and at who is a member",
        named.join(", ")
    );
    Some((Status::Violated, detail))
}

/// The slices that lie below one half, but for those that splits which tell the truth have pushed there.
fn slices_below<'a>(evidence: &Evidence<'a>) -> Vec<(&'a SliceFinding, &'a Below)> {
    let slices = evidence.slices.into_iter().flat_map(|all| &all.slices);
    let below = slices.filter_map(|slice| Some((slice, slice.below.as_ref()?)));
    let of = |below: &Below| evidence.attacks.iter().find(|one| one.id == below.attack);
    let pushed =
        |below: &Below| of(below).is_some_and(|attack| telling_splits::explain(evidence, attack));
    below.filter(|(_, below)| !pushed(below)).collect()
}

fn describe((slice, below): &(&SliceFinding, &Below)) -> String {
    format!(
        "{} where {} = {} ({:.3}, {:.3} to {:.3}; {} members, {} non-members)",
        below.attack,
        slice.column,
        slice.value,
        below.auc,
        below.low,
        below.high,
        slice.members,
        slice.nonmembers
    )
}
