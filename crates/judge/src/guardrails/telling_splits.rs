//! Does the number of shadows that trained on a record tell whether the target did?
//!
//! When every record is in exactly half of all models, the target among them, a member is in one
//! shadow fewer than a non-member. An attack that looks at the number then reads the truth.

use super::{Evidence, Status};

/// Beyond these the count tells members apart.
const NEAR_CHANCE: std::ops::RangeInclusive<f64> = 0.45..=0.55;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let auc = evidence.shadows?.count_auc;
    let found = format!("the number of IN shadows alone has an AUC of {auc:.3}");
    if NEAR_CHANCE.contains(&auc) {
        return Some((Status::Ok, found));
    }
    let detail = format!(
        "{found}: the splits were balanced over all models, the target among them, so that a \
         record's count gives its membership away; the elsa attacks see the count and are shifted \
         by it, and so are bavaria and gamma when shadows are few; use about half of the shadows, or draw the target's split \
         apart from the shadows'"
    );
    Some((Status::Warn, detail))
}
