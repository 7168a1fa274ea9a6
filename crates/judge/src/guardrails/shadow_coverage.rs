//! Does every record have enough shadows that trained on it, and that did not?

use super::{Evidence, Status};

/// Fewer of a class than this give a variance nobody should trust.
const FEW: usize = 4;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.shadows.filter(|facts| facts.shadows > 0)?;
    let typical = format!(
        "{} shadows; half of the records have at most {} IN and {} OUT",
        facts.shadows, facts.median_in, facts.median_out
    );
    let lacking = facts.records_without_in + facts.records_without_out;
    if lacking > 0 {
        let detail = format!(
            "{typical}; {} records have no IN shadow and {} no OUT shadow; balance the splits so \
             that every record is in half of the shadows",
            facts.records_without_in, facts.records_without_out
        );
        return Some((Status::Warn, detail));
    }
    if facts.median_in.min(facts.median_out) < FEW {
        let detail = format!(
            "{typical}: too few for per-record variances; trust bavaria-t, bavaria-n and rmia \
             here, and add shadows for tight numbers"
        );
        return Some((Status::Warn, detail));
    }
    Some((Status::Ok, typical))
}
