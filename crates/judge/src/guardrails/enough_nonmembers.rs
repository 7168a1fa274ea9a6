//! Can the asked false-positive rates be seen at all with so many non-members?

use super::{Evidence, Status};
use crate::gate::Measure;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let nonmembers = evidence.nonmembers as f64;
    let unseen = |fpr: &f64| fpr * nonmembers < 1.0 - 1e-9;
    let refused: Vec<String> = evidence
        .fprs
        .iter()
        .filter(|fpr| unseen(fpr))
        .map(|fpr| format!("{}% (needs {})", fpr * 100.0, (1.0 / fpr).ceil()))
        .collect();
    if refused.is_empty() {
        let detail = format!("{nonmembers} non-members resolve every asked false-positive rate");
        return Some((Status::Ok, detail));
    }
    let detail = format!(
        "{nonmembers} non-members cannot show a false-positive rate of {}; add non-members",
        refused.join(", ")
    );
    let gated = matches!(evidence.gate.measure, Measure::TprAtFpr(fpr) if unseen(&fpr));
    Some((
        if gated {
            Status::Violated
        } else {
            Status::Warn
        },
        detail,
    ))
}
