//! Reading the golden numbers, and telling how far off one is.

// Each test file takes what it needs of this.
#![allow(dead_code)]

use serde_json::Value;
use stats::normal::normal_quantile;
use stats::roc::Roc;

pub fn golden() -> Value {
    serde_json::from_str(include_str!("../data/measures.json")).unwrap()
}

pub fn number(value: &Value, key: &str) -> f64 {
    value[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} in {value}"))
}

pub fn count(value: &Value, key: &str) -> u64 {
    value[key]
        .as_u64()
        .unwrap_or_else(|| panic!("{key} in {value}"))
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_f64().unwrap())
        .collect()
}

/// The worked example of eight members and eight non-members.
pub fn small() -> (Value, Roc) {
    let case = golden()["T1"].clone();
    let scores = roc(&numbers(&case["members"]), &numbers(&case["nonmembers"]));
    (case, scores)
}

#[track_caller]
pub fn close(found: f64, expected: f64, relative: f64) {
    let allowed = relative * expected.abs().max(1e-12);
    assert!(
        (found - expected).abs() <= allowed,
        "{found} is not {expected}"
    );
}

pub fn roc(members: &[f64], nonmembers: &[f64]) -> Roc {
    let members = members.iter().map(|&score| (score, true));
    Roc::new(members.chain(nonmembers.iter().map(|&score| (score, false)))).unwrap()
}

/// Normal quantiles, members moved up by `shift`.
pub fn shifted_quantiles(records: u32, shift: f64) -> Roc {
    let scores: Vec<f64> = (0..records)
        .map(|i| normal_quantile((f64::from(i) + 0.5) / f64::from(records)))
        .collect();
    let members: Vec<f64> = scores.iter().map(|score| score + shift).collect();
    roc(&members, &scores)
}

/// The corners of the upper convex hull, as `(fp, tp)`: jax_privacy's thresholds.
pub fn hull(roc: &Roc) -> Vec<(u64, u64)> {
    let mut corners: Vec<(i64, i64)> = Vec::new();
    for point in roc.points() {
        let next = (point.false_positives as i64, point.true_positives as i64);
        while let [.., a, b] = corners[..] {
            if (b.1 - a.1) * (next.0 - b.0) > (next.1 - b.1) * (b.0 - a.0) {
                break;
            }
            corners.pop();
        }
        corners.push(next);
    }
    corners
        .into_iter()
        .map(|(fp, tp)| (fp as u64, tp as u64))
        .collect()
}
