//! Where records stand that an attack says nothing about.
//!
//! Attacks are compared, and the best of them is gated, on the same records: those that could be judged.
//! An attack that abstains on a record knows nothing of it, and knowing nothing has a place among its
//! scores. A ROC curve knows the order of scores alone, so that the place must be told by order alone,
//! and it must be told without the truth: it is the median of the scores that the attack gave, where as
//! many judged records lie above as below. All abstentions are tied there. An attack that abstains on
//! everybody would have an AUC of one half; one that abstains on a few without regard to membership
//! loses a share of its lead; thresholds of low false-positive rates lie above the block.
//!
//! A natural neutral value, such as 0 of a log-likelihood ratio, would do as well where an attack has
//! one and its model is right; a misjudged variance moves it, and a rank or a distance has none. The
//! median serves all alike, and a score and any increasing function of it are measured alike.

use std::borrow::Cow;

use attacks::scores::{Answer, Scores};

/// The scores with every abstention at its place, except for records that were none of the attack's
/// business. As they are where there is nothing to place, or no score to tell the place.
pub(crate) fn placed(scores: &Scores) -> Cow<'_, Scores> {
    if scores.left_out() == 0 {
        return Cow::Borrowed(scores);
    }
    match no_evidence(scores.iter().flatten().collect()) {
        None => Cow::Borrowed(scores),
        Some(place) => Cow::Owned(all(scores).map(|answer| at(answer, place)).collect()),
    }
}

/// The median of scores that were given: between the two in the middle of an even number.
pub(crate) fn no_evidence(mut given: Vec<f64>) -> Option<f64> {
    let upper = given.len() / 2;
    if given.is_empty() {
        return None;
    }
    let even = given.len().is_multiple_of(2);
    let (below, &mut high, _) = given.select_nth_unstable_by(upper, f64::total_cmp);
    if !even {
        return Some(high);
    }
    let low = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some(between(low, high))
}

/// Half way, without overflow; of opposite infinities, nothing.
fn between(low: f64, high: f64) -> f64 {
    match (low.is_finite(), high.is_finite()) {
        (true, true) => low / 2.0 + high / 2.0,
        (true, false) => low,
        (false, true) => high,
        (false, false) if low == high => low,
        (false, false) => 0.0,
    }
}

fn all(scores: &Scores) -> impl Iterator<Item = Answer> + '_ {
    (0..scores.len()).map(|record| scores.answer(record))
}

fn at(answer: Answer, place: f64) -> Answer {
    match answer {
        Err(reason) if !reason.is_by_design() => Ok(place),
        other => other,
    }
}

#[cfg(test)]
#[path = "abstained_tests.rs"]
mod tests;
