//! How numbers and words stand in tables.

use judge::fewshot::Spread;
use judge::measure::Level;

/// A p-value with the digits that matter.
pub fn p_value(p: f64) -> String {
    match p {
        p if p < 1e-300 => "<1e-300".to_owned(),
        p if p < 1e-4 => format!("{p:.0e}"),
        p => format!("{p:.4}"),
    }
}

/// What a level goes by; audits of earlier versions did not keep it.
pub fn corrected(p: Option<f64>) -> String {
    p.map_or("–".into(), p_value)
}

/// A mean and its interval.
pub fn spread(value: Option<&Spread>) -> String {
    value.map_or("–".into(), |spread| {
        format!("{:.4} ± {:.4}", spread.mean, spread.half_width)
    })
}

/// In a word.
pub fn level(level: Level) -> &'static str {
    match level {
        Level::Chance => "chance",
        other => other.as_str(),
    }
}
