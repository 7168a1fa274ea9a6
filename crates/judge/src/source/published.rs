//! The SMA paper's own two measures, under its names. "ACC" is no accuracy: it is the cosine
//! between what was recovered and what retrieval gave (arXiv:2508.09105, sec. V).

use serde::{Deserialize, Serialize};
use stats::student::student_t_sf;

/// A mean over documents with Student's interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Mean {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub method: String,
    pub confidence: f64,
    pub n: u64,
}

/// "ACC": the mean likeness of each document's words that were called retrieved to what was
/// retrieved. Nothing where there is no document.
pub fn paper_accuracy(similarities: &[f64], confidence: f64) -> Option<Mean> {
    mean(similarities, -1.0, confidence)
}

/// "Coverage": of each document's words that what was retrieved holds, the share that was called
/// retrieved. Documents are (called, held); those of which nothing was held are left out.
pub fn coverage(documents: &[(u64, u64)], confidence: f64) -> Option<Mean> {
    let held = documents.iter().filter(|(_, held)| *held > 0);
    let shares: Vec<f64> = held
        .map(|(called, held)| *called.min(held) as f64 / *held as f64)
        .collect();
    mean(&shares, 0.0, confidence)
}

/// `least` is the least value one document can have; 1 is the most.
fn mean(values: &[f64], least: f64, confidence: f64) -> Option<Mean> {
    if values.is_empty() {
        return None;
    }
    let n = values.len() as f64;
    let value = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|other| (other - value).powi(2)).sum();
    let reach = match values.len() {
        1 => f64::INFINITY,
        _ => student_quantile((1.0 - confidence) / 2.0, n - 1.0) * (squares / (n - 1.0) / n).sqrt(),
    };
    Some(Mean {
        value,
        low: (value - reach).max(least),
        high: (value + reach).min(1.0),
        method: "student".into(),
        confidence,
        n: values.len() as u64,
    })
}

/// The t that so much of the distribution lies above, by halving.
fn student_quantile(above: f64, degrees: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while student_t_sf(high, degrees) > above && high < 1e9 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        match student_t_sf(middle, degrees) > above {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_students() {
        // t of 4 degrees at 97.5%: 2.776445; deviation √2.5, over √5.
        let found = paper_accuracy(&[0.1, 0.2, 0.3, 0.4, 0.5], 0.95).unwrap();
        assert!((found.value - 0.3).abs() < 1e-12 && found.n == 5);
        let reach = 2.776_445 * (0.025_f64 / 5.0).sqrt();
        assert!((found.high - found.value - reach).abs() < 1e-6, "{found:?}");
        assert!((found.value - found.low - reach).abs() < 1e-6);
    }

    #[test]
    fn coverage_leaves_out_documents_without_words() {
        let found = coverage(&[(1, 2), (0, 0), (3, 3)], 0.95).unwrap();
        assert_eq!((found.value, found.n, found.high), (0.75, 2, 1.0));
        assert_eq!(coverage(&[(0, 0)], 0.95), None);
        let one = coverage(&[(1, 2)], 0.95).unwrap();
        assert_eq!((one.low, one.high), (0.0, 1.0));
        assert_eq!(paper_accuracy(&[], 0.95), None);
    }
}
