//! From probabilities and logits to the rescaled logit φ = ln p − ln(1−p).

use std::ops::Range;

use super::plane::Plane;
use super::shadow::Rescale;

/// Probabilities of zero and one have no finite φ; they are what a single-precision softmax
/// rounds to, so they stand for the edge of what it can tell apart: 1 − 2⁻²⁵ and 2⁻¹⁵⁰.
const NEAREST_ONE: f64 = 17.328_679_484_195_12; // ln(2²⁵ − 1)
const NEAREST_ZERO: f64 = -103.972_077_083_991_8; // ln(2⁻¹⁵⁰)

/// φ of a stored probability of the true label.
pub fn from_probability(p: f64) -> f64 {
    if p == 1.0 {
        NEAREST_ONE
    } else if p == 0.0 {
        NEAREST_ZERO
    } else {
        p.ln() - (-p).ln_1p()
    }
}

/// φ of one augmentation of a run of records, from all their logits.
pub(crate) fn from_logits(
    plane: &Plane,
    records: Range<usize>,
    augmentation: usize,
    labels: &[u32],
    classes: usize,
    rescale: Rescale,
    out: &mut [f64],
) {
    let mut logits = vec![0.0; classes];
    for (slot, record) in out.iter_mut().zip(records) {
        plane.read_classes(record, augmentation, &mut logits);
        let label = labels[record] as usize;
        *slot = match rescale {
            _ if classes == 1 => binary(logits[0], label),
            Rescale::Exact => exact(&logits, label),
            Rescale::Published => published(&logits, label),
        };
    }
}

/// φ of one augmentation of a run of records, from the probabilities of all their classes.
pub(crate) fn from_probabilities(
    plane: &Plane,
    records: Range<usize>,
    augmentation: usize,
    labels: &[u32],
    classes: usize,
    out: &mut [f64],
) {
    let mut row = vec![0.0; classes];
    for (slot, record) in out.iter_mut().zip(records) {
        plane.read_classes(record, augmentation, &mut row);
        *slot = from_row(&row, labels[record] as usize);
    }
}

/// ln p − ln of the sum of the others: exact where p is close to 1.
pub fn from_row(probabilities: &[f64], label: usize) -> f64 {
    let right = probabilities[label];
    let others = probabilities.iter().enumerate();
    let others: f64 = others
        .filter(|(class, _)| *class != label)
        .map(|(_, p)| p)
        .sum();
    match right > 0.0 && others > 0.0 {
        true => right.ln() - others.ln(),
        false => from_probability(f64::from(u8::from(right > 0.0))),
    }
}

/// A single logit is the log-odds of class 1.
fn binary(logit: f64, label: usize) -> f64 {
    if label == 1 { logit } else { -logit }
}

/// z_y − logsumexp(z_other), with the largest other logit taken out first.
fn exact(logits: &[f64], label: usize) -> f64 {
    let others = || {
        logits
            .iter()
            .enumerate()
            .filter(move |(class, _)| *class != label)
            .map(|(_, z)| *z)
    };
    let largest = others().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return f64::INFINITY;
    }
    let sum: f64 = others().map(|z| (z - largest).exp()).sum();
    logits[label] - largest - sum.ln()
}

/// The published code, step by step: exponentials in single precision, sums in double.
fn published(logits: &[f64], label: usize) -> f64 {
    let single: Vec<f32> = logits.iter().map(|z| *z as f32).collect();
    let largest = single.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights: Vec<f64> = single
        .iter()
        .map(|z| f64::from(libm_expf(z - largest)))
        .collect();
    let total: f64 = weights.iter().sum();
    let right = weights[label] / total;
    let wrong: f64 = weights
        .iter()
        .enumerate()
        .filter(|(class, _)| *class != label)
        .map(|(_, w)| w / total)
        .sum();
    (right + 1e-45).ln() - (wrong + 1e-45).ln()
}

/// Correctly rounded in all but rare cases: the double-precision exponential, rounded once.
fn libm_expf(x: f32) -> f32 {
    f64::from(x).exp() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_keeps_margins_that_the_published_form_cuts_off() {
        let logits = [800.0, 1.0, 0.0];
        assert!((exact(&logits, 0) - (799.0 - (1.0f64 + (-1f64).exp()).ln())).abs() < 1e-12);
        assert!((published(&logits, 0) - 103.616_329).abs() < 1e-5);
        assert!((published(&logits, 1) + 103.616_329).abs() < 1e-5);
    }

    #[test]
    fn two_classes_give_the_plain_difference() {
        assert_eq!(exact(&[3.25, -1.5], 0), 4.75);
        assert_eq!(binary(2.0, 0), -2.0);
    }

    #[test]
    fn probabilities_at_the_edges_stay_finite_and_ordered() {
        let nearly_one = from_probability(f64::from(1.0 - f32::EPSILON / 2.0));
        assert!(nearly_one < from_probability(1.0));
        assert!(from_probability(0.0) < from_probability(f64::from(f32::from_bits(1))));
        assert!((from_probability(0.75) - 3f64.ln()).abs() < 1e-15);
    }
}
