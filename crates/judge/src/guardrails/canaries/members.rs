//! Does the audited file know other members than the coins chose?
//!
//! The truth of canaries is in their coins, and what a file says of members is not believed. But a file
//! that says otherwise was made for another draw, whose model knows nothing of these canaries.

use super::{Evidence, Status, percent};

/// More than this share is no slip of a hand.
const MOST: f64 = 0.01;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let told = evidence.canaries.as_ref()?.draw.told;
    if told.canaries == 0 {
        return None;
    }
    if told.contradicted == 0 {
        let detail = format!(
            "what the file says of {} canaries is what their coins say",
            told.canaries
        );
        return Some((Status::Ok, detail));
    }
    let (all, other) = (told.canaries as f64, told.contradicted as f64);
    let detail = format!(
        "of {} of {} canaries ({}) the file says another member than their coins, which are what was \
         believed: it may have been made for another draw; give the manifest of what was scored, or leave \
         member out",
        told.contradicted,
        told.canaries,
        percent(other, all)
    );
    let status = match other > MOST * all {
        true => Status::Violated,
        false => Status::Warn,
    };
    Some((status, detail))
}
