//! Does the reference model know the members itself?
//!
//! What target and reference both learned cancels out in every comparison: an earlier checkpoint of
//! the same training, taken for the model that it started from, hides the whole leak.

use super::{Evidence, Status};

/// From here on it is more than a trifle that many texts make significant.
const MUCH: f64 = 0.55;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let tokens = &evidence.texts?.tokens;
    let found = tokens.reference.as_ref().filter(|_| !tokens.identical)?;
    if found.low <= 0.5 {
        let detail = format!(
            "by itself the reference model does not find members likelier (AUC {:.3})",
            found.auc
        );
        return Some((Status::Ok, detail));
    }
    let detail = format!(
        "the reference model itself finds members likelier than non-members (AUC {:.3}, {:.3} to \
         {:.3}): it was trained on them too, or the two sets differ, and what both models know \
         cancels out; name a model as reference that has not seen these texts",
        found.auc, found.low, found.high
    );
    Some(match found.auc >= MUCH {
        true => (Status::Violated, detail),
        false => (Status::Warn, detail),
    })
}
