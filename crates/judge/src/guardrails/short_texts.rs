//! Are texts long enough to say something?
//!
//! Of a fine-tuned SmolLM2-135M whose texts of 127 predicted tokens give themselves away (`ez` has
//! an AUC of .997), the first 64 tokens alone have .972, 32 have .900, 16 have .785, 12 have .736,
//! 8 have .672, 6 have .632 and 3 have .554: below a handful of tokens even that leak passes the
//! usual gate. So half of the texts need 16.

use super::{Evidence, Status, percent};

/// With fewer predicted tokens than this in the middle, a pass says nothing.
const TOO_FEW: usize = 16;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let tokens = &evidence.texts?.tokens;
    if tokens.scored == 0 {
        return None;
    }
    if tokens.median_predicted < TOO_FEW {
        let detail = format!(
            "half of the texts have no more than {} tokens to predict: attacks can hardly see a leak \
             in so few, however strong it is, and a pass needs {TOO_FEW} in the middle; audit longer \
             texts, such as whole documents in place of their lines",
            tokens.median_predicted
        );
        return Some((Status::Violated, detail));
    }
    let share = tokens.short as f64 / tokens.scored as f64;
    if tokens.short == 0 {
        let detail = format!(
            "every text has at least 100 tokens, {} in the middle",
            tokens.median
        );
        return Some((Status::Ok, detail));
    }
    let detail = format!(
        "{} of {} texts ({}) have fewer than 100 tokens, {} in the middle: a few tokens decide their \
         scores; prefer ez-smoothed, or audit longer texts",
        tokens.short,
        tokens.scored,
        percent(tokens.short as f64, tokens.scored as f64),
        tokens.median
    );
    let status = match share > 0.05 {
        true => Status::Warn,
        false => Status::Ok,
    };
    Some((status, detail))
}
