//! Were several settings of private training tried on the same data?
//!
//! An ε is that of one training. Whoever trains several times on the same data and keeps the best has
//! let the data choose, and the choice spends privacy too: Papernot & Steinke, "Hyperparameter Tuning
//! with Renyi Differential Privacy", 2022.

use super::{Evidence, Status};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let tried = evidence.settings_tried?;
    if tried <= 1 {
        let detail =
            "no other setting of private training is known to have been tried on these data";
        return Some((Status::Ok, detail.into()));
    }
    let detail = format!(
        "{tried} settings of private training were tried on the same data: the ε of the one that was \
         kept does not count the choice (Papernot & Steinke 2022); choose settings on other data, or \
         account for all of them together"
    );
    Some((Status::Warn, detail))
}
