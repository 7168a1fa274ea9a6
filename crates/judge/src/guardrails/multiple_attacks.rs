//! Was the best of several attacks taken on the records it is judged on?

use super::{Evidence, Status};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let tried = evidence.attacks.len();
    if tried == 0 {
        return None;
    }
    let detail = if evidence.holdout {
        format!("{tried} attacks; the gated one was chosen on records that are not reported on")
    } else if tried > 1 {
        format!(
            "{tried} attacks on the same records: the best one's value is optimistic, and the \
             gate's interval is widened for it ({:.2}% each); --holdout avoids the choice",
            100.0 * evidence.gate.confidence_for(tried)
        )
    } else {
        "one attack".into()
    };
    Some((Status::Ok, detail))
}
