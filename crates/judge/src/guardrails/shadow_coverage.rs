//! Does every record have enough shadows that trained on it, and that did not?

use super::{Evidence, Status};

/// Fewer of a class than this give a variance nobody should trust.
const FEW: usize = 4;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.shadows.filter(|facts| facts.shadows > 0)?;
    if let Some(references) = facts.reference_records {
        return Some(offline(facts.shadows, references));
    }
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

/// No audited record has an IN shadow, by design.
fn offline(shadows: usize, references: usize) -> (Status, String) {
    let found =
        format!("{shadows} shadows, none of which trained on an audited record (an offline audit)");
    match references {
        0 => {
            let detail = format!(
                "{found}, and no reference records say what training on a record does: attacks that need to \
                 know are left out; give records that shadows trained on, with phi and keep, as --population, \
                 or balance the splits so that every record is in half of the shadows"
            );
            (Status::Warn, detail)
        }
        _ => {
            let detail = format!(
                "{found}; what training on a record does, {references} reference records tell"
            );
            (Status::Ok, detail)
        }
    }
}
