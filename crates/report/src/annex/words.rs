//! Numbers of a test as people say them.

use judge::gate::{Measure, Rule};

use crate::table::rate;

/// What a measure is called in a sentence.
pub fn measure(measure: Measure) -> String {
    match measure {
        Measure::Auc => "AUC".to_owned(),
        Measure::TprAtFpr(fpr) => format!(
            "share of members caught (TPR) at {} false alarms (FPR)",
            rate(fpr)
        ),
        Measure::Advantage => "advantage".to_owned(),
        Measure::Epsilon(delta) => format!("lower bound on ε at δ = {delta:e}"),
    }
}

/// A value of it, with as many digits as it is worth.
pub fn value(measure: Measure, value: f64) -> String {
    match measure {
        Measure::TprAtFpr(_) => format!("{:.2}%", 100.0 * value),
        Measure::Epsilon(_) => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

/// A threshold as it was written.
pub fn threshold(measure: Measure, threshold: f64) -> String {
    match measure {
        Measure::TprAtFpr(_) => rate(threshold),
        _ => threshold.to_string(),
    }
}

/// What guessing reaches.
pub fn chance(measure: Measure) -> String {
    match measure {
        Measure::Auc => "0.5".to_owned(),
        Measure::TprAtFpr(fpr) => rate(fpr),
        Measure::Advantage | Measure::Epsilon(_) => "0".to_owned(),
    }
}

/// How value, interval and threshold make an outcome.
pub fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Point => "the outcome is fail when the measured value is at or above the threshold",
        Rule::Conservative => {
            "the outcome is pass only when the whole interval lies below the threshold"
        }
        Rule::Proven => {
            "the outcome is fail only when the whole interval lies at or above the threshold"
        }
    }
}
