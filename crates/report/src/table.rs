//! The numbers of one attack as short words, shared by terminal and Markdown.

use judge::AttackMeasures;
use judge::measure::{Level, Regime, TprAtFpr};
use judge::summary::MeanOver;

/// Column heads for the given level of intervals and the given false-positive rates.
pub fn heads(confidence: f64, fprs: &[f64]) -> Vec<String> {
    let interval = format!("{} interval", rate(confidence));
    let mut heads = vec!["attack".to_string(), "AUC".into(), interval];
    heads.extend(fprs.iter().map(|fpr| format!("TPR@{}", rate(*fpr))));
    heads.extend(["Log-MIA A".into(), "Log-MIA B".into(), "ε ≥".into()]);
    heads
}

/// Whether rates come with their intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rates {
    WithIntervals,
    Alone,
}

/// The cells of one attack.
pub fn cells(attack: &AttackMeasures, rates: Rates) -> Vec<String> {
    let auc = &attack.auc;
    let mut cells = vec![
        attack.id.clone(),
        format!("{:.4}", auc.value),
        format!("{:.3}–{:.3}", auc.low, auc.high),
    ];
    cells.extend(attack.tpr_at_fpr.iter().map(|rate| tpr(rate, rates)));
    cells.push(regime(&attack.log_mia.a));
    cells.push(regime(&attack.log_mia.b));
    cells.push(format!("{:.2}", attack.epsilon_lower_bound.value));
    cells
}

/// A false-positive rate in per cent, without trailing zeros.
pub fn rate(fpr: f64) -> String {
    // Rounded to kill 0.1 * 100 = 10.000000000000002.
    format!("{}%", (fpr * 1e8).round() / 1e6)
}

/// A mean with its standard error, where it has one.
pub fn with_error(over: &MeanOver, scale: f64, digits: usize, unit: &str) -> String {
    let mean = scale * over.mean;
    match over.standard_error {
        Some(error) => format!("{mean:.digits$}{unit} ± {:.digits$}", scale * error),
        None => format!("{mean:.digits$}{unit}"),
    }
}

fn tpr(tpr: &TprAtFpr, rates: Rates) -> String {
    match (tpr.value, tpr.low, tpr.high) {
        (Some(value), _, _) if rates == Rates::Alone => format!("{:.2}%", 100.0 * value),
        (Some(value), Some(low), Some(high)) => {
            format!(
                "{:.2}% ({:.2}–{:.2})",
                100.0 * value,
                100.0 * low,
                100.0 * high
            )
        }
        _ => "too few".into(),
    }
}

/// A p-value with the digits that matter.
pub fn p_value(p: f64) -> String {
    match p < 0.0001 {
        true => "<0.0001".into(),
        false => format!("{p:.4}"),
    }
}

/// A level of Log-MIA in one word.
pub fn level(level: Level) -> &'static str {
    match level {
        Level::Severe => "severe",
        Level::Moderate => "moderate",
        Level::None => "none",
        Level::Chance => "chance",
    }
}

/// A value of Log-MIA with its level.
pub fn regime(regime: &Regime) -> String {
    format!("{:.2} {}", regime.value, level(regime.level))
}
