//! Do members and non-members come from the same time?

use super::{Evidence, Status};
use crate::texts::Difference;

/// A difference at least this far from an AUC of one half is worth a warning, or voids.
const WARN: f64 = 0.03;
const VOID: f64 = 0.2;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let dates = evidence.texts?.dates.as_ref()?;
    let found = format!(
        "members are of {:.1} in the middle, non-members of {:.1} ({})",
        dates.median_members,
        dates.median_nonmembers,
        words(dates)
    );
    Some(judge(dates, &found, "take both from the same time"))
}

pub fn words(difference: &Difference) -> String {
    format!(
        "AUC {:.3}, {:.3} to {:.3}",
        difference.auc, difference.low, difference.high
    )
}

pub fn judge(difference: &Difference, found: &str, remedy: &str) -> (Status, String) {
    match difference.at_least() {
        far if far >= VOID => (
            Status::Violated,
            format!("{found}: that alone tells them apart; {remedy}"),
        ),
        far if far >= WARN => (
            Status::Warn,
            format!("{found}: attacks may find this difference instead of the leak; {remedy}"),
        ),
        _ => (Status::Ok, found.to_owned()),
    }
}
