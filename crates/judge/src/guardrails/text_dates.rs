//! Do members and non-members come from the same time?

use super::{Evidence, Status};
use crate::lm::Difference;
use crate::records::numbered;

/// A difference at least this far from an AUC of one half is worth a warning, or voids.
const WARN: f64 = 0.03;
const VOID: f64 = 0.2;

/// Dates on one side only say as much as dates that differ.
const ONE_SIDED: f64 = 0.1;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let texts = evidence.texts?;
    let dating = texts.dating.as_ref()?;
    if let Some(example) = dating.example {
        let detail = format!(
            "{} dates cannot be read, such as that of {}: whether the sets are of the same \
             time is not known; write dates as 2019, 2019-01 or 2019-01-31",
            dating.unread,
            numbered(&[example])
        );
        return Some((Status::Warn, detail));
    }
    let share = |dated: usize, all: usize| dated as f64 / all.max(1) as f64;
    let members = share(dating.members_dated, dating.members);
    let nonmembers = share(dating.nonmembers_dated, dating.nonmembers);
    if (members - nonmembers).abs() > ONE_SIDED || texts.dates.is_none() {
        let detail = format!(
            "{} of {} members and {} of {} non-members have a date: the sets come from different \
             places, and their times cannot be compared; give all of them dates",
            dating.members_dated, dating.members, dating.nonmembers_dated, dating.nonmembers
        );
        return Some((Status::Warn, detail));
    }
    let dates = texts.dates.as_ref()?;
    let found = format!(
        "members are of {:.1} in the middle, non-members of {:.1} ({})",
        dates.median_members,
        dates.median_nonmembers,
        auc_interval(dates)
    );
    Some(judge(dates, &found, "take both from the same time"))
}

pub fn auc_interval(difference: &Difference) -> String {
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
