//! Does every record have enough shadows that trained on it, and that did not?

use super::{Evidence, ShadowFacts, Status};

/// Fewer shadows than this show a strong leak, and let a weak one pass.
const FEWEST: usize = 4;
/// By the number of IN shadows alone members are told apart beyond this.
const NEAR_CHANCE: std::ops::RangeInclusive<f64> = 0.45..=0.55;
/// Shadows are surer of the reference records that they trained on by more than so many standard errors.
const REACTS: f64 = 3.0;
/// Fewer of a class than this give a variance nobody should trust.
const FEW: usize = 4;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.shadows.filter(|facts| facts.shadows > 0)?;
    if facts.shadows < FEWEST {
        let detail = format!(
            "{} {} too few to tell what training on a record does; train {FEWEST} or more, 16 for a usable audit",
            facts.shadows,
            if facts.shadows == 1 {
                "shadow is"
            } else {
                "shadows are"
            }
        );
        return Some((Status::Violated, detail));
    }
    if let Some(references) = facts.reference_records {
        return Some(offline(facts, references));
    }
    let typical = format!(
        "{} shadows; half of the records have at most {} IN and {} OUT",
        facts.shadows, facts.median_in, facts.median_out
    );
    if let Some(detail) = two_designs(evidence, facts) {
        return Some((Status::Violated, format!("{typical}; {detail}")));
    }
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

/// Records that no shadow trained on beside others that many did, the members on one side: an offline design
/// whose reference records are taken for audited ones.
fn two_designs(evidence: &Evidence, facts: &ShadowFacts) -> Option<String> {
    let records = evidence.members + evidence.nonmembers;
    let without = facts.records_without_in;
    let telling = !NEAR_CHANCE.contains(&facts.count_auc);
    (telling && 4 * without > records && without < records).then(|| {
        format!(
            "{without} of {records} records are in no shadow, and who is a member goes with that: reference \
             records of an offline design stand among the audited ones; audit the records that no shadow \
             trained on, and give the others with their keep as --population, as guestlist run does with \
             models.design = \"offline\""
        )
    })
}

/// No audited record has an IN shadow, by design.
fn offline(facts: &ShadowFacts, references: usize) -> (Status, String) {
    let shadows = facts.shadows;
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
        _ if facts.training_gain <= REACTS * facts.training_gain_error => {
            let detail = format!(
                "{found}, and they are no surer of the {references} reference records that they trained on than of \
                 the others: these tell nothing of what training on a record does; check that keep of the \
                 population belongs to these models in this order"
            );
            (Status::Violated, detail)
        }
        _ => {
            let detail = format!(
                "{found}; what training on a record does, {references} reference records tell"
            );
            (Status::Ok, detail)
        }
    }
}
