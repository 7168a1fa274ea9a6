//! Is every document asked about in more than one wording?

use super::{Evidence, Status};

/// The published attacks that ask one question by design.
const SINGLE: [&str; 2] = ["s2", "mba"];

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let variations = &evidence.probes?.variations;
    let lone: Vec<&str> = variations
        .iter()
        .filter(|(strategy, count)| **count < 2 && !SINGLE.contains(&strategy.as_str()))
        .map(|(strategy, _)| strategy.as_str())
        .collect();
    if variations.is_empty() {
        return None;
    }
    Some(match lone.is_empty() {
        true => {
            let told: Vec<String> = variations
                .iter()
                .map(|(name, n)| format!("{name} {n}"))
                .collect();
            (
                Status::Ok,
                format!("questions per document: {}", told.join(", ")),
            )
        }
        false => {
            let detail = format!(
                "one question about most documents in {}: its wording may decide; ask in several \
                 (the setting variations), or give longer documents",
                lone.join(", ")
            );
            (Status::Warn, detail)
        }
    })
}
