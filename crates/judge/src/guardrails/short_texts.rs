//! Are texts long enough to say something?

use super::{Evidence, Status, percent};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let tokens = &evidence.texts?.tokens;
    if tokens.scored == 0 {
        return None;
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
