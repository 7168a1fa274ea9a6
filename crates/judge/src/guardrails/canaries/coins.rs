//! Did the coins of the canaries fall as fair coins do?
//!
//! Bounds that rest on coins hold for fair ones: where nine of ten canaries were included, whoever calls
//! all of them members is right nine times of ten without having seen the model.

use stats::binomial::binomial_sf;

use super::{Evidence, Status, percent};

/// A fair draw is refused once in so many.
const RARE: f64 = 1e-6;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.canaries.as_ref()?;
    let (all, included) = (facts.canaries as u64, facts.draw.included as u64);
    let found = format!(
        "{included} of {all} canaries ({}) were included by their coins",
        percent(included as f64, all as f64)
    );
    let farther = included.max(all - included);
    let chance = (2.0 * binomial_sf(farther, all, 0.5)).min(1.0);
    if chance >= RARE {
        return Some((Status::Ok, found));
    }
    let detail = format!(
        "{found}, as fair coins do once in {:.0e} draws: the truth is not that of independent fair coins, \
         and no bound holds; draw again with `guestlist canaries`",
        1.0 / chance
    );
    Some((Status::Violated, detail))
}
