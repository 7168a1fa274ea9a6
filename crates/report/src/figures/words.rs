//! Numbers of the report as words on figures. They are rounded here and nowhere computed.

use crate::sections::percent;

/// A share with its interval, such as `10.7%, 95% interval 8.7–12.9%`.
pub fn share(value: f64, (low, high): (f64, f64), confidence: f64) -> String {
    format!(
        "{}, {} interval {}–{}",
        percent(value),
        level(confidence),
        percent(low).trim_end_matches('%'),
        percent(high)
    )
}

/// A number between 0 and 1 with its interval, such as `0.712, 95% interval 0.690–0.733`.
pub fn number(value: f64, (low, high): (f64, f64), confidence: f64) -> String {
    format!(
        "{value:.3}, {} interval {low:.3}–{high:.3}",
        level(confidence)
    )
}

/// A level of confidence, to a hundredth of a per cent: corrections make long ones.
pub fn level(confidence: f64) -> String {
    format!("{}%", (confidence * 1e4).round() / 1e2)
}

/// Value and interval without words: a column beside a figure.
pub fn brief(value: f64, (low, high): (f64, f64)) -> String {
    format!("{value:.3} ({low:.3}–{high:.3})")
}

/// With the digits that ticks need.
pub fn tick(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}

/// A tick in per cent.
pub fn percent_tick(value: f64) -> String {
    format!("{}%", tick(value * 100.0))
}

/// A table's cell: all digits there are, as report.json writes them.
pub fn exact(value: f64) -> String {
    match serde_json::to_string(&value) {
        Ok(text) if value.is_finite() => text,
        _ => value.to_string(),
    }
}

pub fn exact_or_none(value: Option<f64>) -> String {
    value.map_or(String::new(), exact)
}
