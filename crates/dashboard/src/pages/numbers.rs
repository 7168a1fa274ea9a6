//! Numbers as they stand in tables.

use judge::guardrails::Status;
use judge::verdict::Outcome;

use ::report::blocks::{Cell, Part};
use ::report::markup::grouped;

use crate::library::Reading;

/// Four digits behind the point, as in reports.
pub fn value(value: f64) -> String {
    match value {
        value if value == f64::INFINITY => "∞".into(),
        value if value == f64::NEG_INFINITY => "−∞".into(),
        value => format!("{value:.4}").replace('-', "−"),
    }
}

/// A share in per cent. What is not all, or not nothing, never looks like it.
pub fn percent(share: f64) -> String {
    match share {
        share if share < 1.0 && share > 0.9999 => "more than 99.99%".into(),
        share if share > 0.0 && share < 0.0001 => "less than 0.01%".into(),
        share => format!("{:.2}%", share * 100.0),
    }
}

/// A score of any size.
pub fn score(score: Option<f64>) -> String {
    match score {
        None => "abstained".into(),
        Some(score)
            if score.is_finite() && (score.abs() >= 1e6 || score.abs() < 1e-4) && score != 0.0 =>
        {
            format!("{score:.4e}").replace('-', "−")
        }
        // Some attacks' scores crowd below 1: their order shows in further digits.
        Some(score) if (0.9999..1.0).contains(&score.abs()) => {
            format!("{score:.8}").replace('-', "−")
        }
        Some(score) => value(score),
    }
}

/// A number of a table, with all its digits behind it.
pub fn number(number: f64) -> Cell {
    Cell::number(number, value(number))
}

/// `0.7312 [0.7, 0.76]`.
pub fn reading(reading: Reading) -> Cell {
    let interval = reading.interval.map(|(low, high)| {
        let words = |words: &str| Part::Words(words.to_owned());
        let [low, high] = [low, high].map(|end| Part::number(end, value(end)));
        vec![words("["), low, words(", "), high, words("]")]
    });
    number(reading.value).above(interval.unwrap_or_default())
}

/// A count with its thousands apart.
pub fn count(count: usize) -> String {
    grouped(count as u64)
}

/// In words and by a sign, so that nothing hangs on colour.
pub fn verdict(outcome: Outcome) -> Cell {
    let sign = match outcome {
        Outcome::Pass => "✓",
        Outcome::Fail => "✕",
        Outcome::Inconclusive => "?",
    };
    signed(outcome.word(), sign, outcome.word())
}

pub fn status(status: Status) -> Cell {
    match status {
        Status::Ok => signed("pass", "✓", "ok"),
        Status::Warn => signed("inconclusive", "!", "warns"),
        Status::Violated => signed("fail", "✕", "violated"),
    }
}

/// A word in the colours of a verdict.
pub fn signed(class: &'static str, sign: &'static str, word: &str) -> Cell {
    let words = word.to_owned();
    Part::Sign { class, sign, words }.into()
}

/// The truth about a record.
pub fn member(member: Option<bool>) -> &'static str {
    match member {
        Some(true) => "member",
        Some(false) => "non-member",
        None => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(
            [7, 999, 1000, 1_234_567].map(count),
            ["7", "999", "1,000", "1,234,567"]
        );
        assert_eq!(score(Some(f64::NEG_INFINITY)), "−∞");
        assert_eq!(score(Some(-0.5)), "−0.5000");
        assert_eq!(score(Some(1.5e-7)), "1.5000e−7");
        assert_eq!([score(None), score(Some(0.0))], ["abstained", "0.0000"]);
    }
}
