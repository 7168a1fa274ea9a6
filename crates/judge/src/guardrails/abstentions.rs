//! Did attacks leave records out?

use super::{Evidence, Status, percent};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let records = (evidence.members + evidence.nonmembers) as f64;
    let share = |abstained: usize| abstained as f64 / records;
    let most = evidence
        .attacks
        .iter()
        .max_by_key(|attack| attack.abstained)?;
    let gated = evidence.gated_attack().map_or(0, |attack| attack.abstained);
    if most.abstained == 0 {
        return Some((Status::Ok, "every attack judged every record".into()));
    }
    let reasons: Vec<String> = most
        .abstained_by_reason
        .iter()
        .map(|(reason, count)| format!("{reason} ({count})"))
        .collect();
    let detail = format!(
        "{} abstained on {} of the records: {}; the gated attack abstained on {}",
        most.id,
        percent(most.abstained as f64, records),
        reasons.join(", "),
        percent(gated as f64, records),
    );
    let status = if share(gated) > 0.5 {
        Status::Violated
    } else if share(gated) > 0.01 || share(most.abstained) > 0.1 {
        Status::Warn
    } else {
        Status::Ok
    };
    Some((status, detail))
}
