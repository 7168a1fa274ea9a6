//! Does the audited model behave like the shadows, as the attacks assume?

use super::{Evidence, Status};

/// Standard deviations between models beyond which the recipes must differ.
const FAR: f64 = 5.0;
/// And beyond which attacks that compare the two mean nothing.
const FOREIGN: f64 = 15.0;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.shadows?;
    // With a handful of shadows the spread between them is a guess.
    if facts.shadows < 4 || facts.shadow_deviation <= 0.0 {
        return None;
    }
    let apart = (facts.target_mean - facts.shadow_mean) / facts.shadow_deviation;
    let found = format!(
        "mean φ is {:.3} for the target and {:.3} ± {:.3} for the shadows",
        facts.target_mean, facts.shadow_mean, facts.shadow_deviation
    );
    if apart.abs() <= FAR {
        return Some((Status::Ok, found));
    }
    let detail = format!(
        "{found}, {:.1} deviations apart: the target was trained or queried differently, which \
         shifts every score; train shadows with the target's recipe",
        apart.abs()
    );
    let status = match apart.abs() > FOREIGN {
        true => Status::Violated,
        false => Status::Warn,
    };
    Some((status, detail))
}
