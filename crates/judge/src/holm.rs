//! Many questions to the same records: each answer's p-value is corrected for the others.

/// p-values corrected by Holm's step-down method ("A simple sequentially rejective multiple test
/// procedure", 1979), in the given order.
pub(crate) fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut corrected = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (passed, &place) in order.iter().enumerate() {
        let left = (p_values.len() - passed) as f64;
        largest = largest.max(left * p_values[place]).min(1.0);
        corrected[place] = largest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holm_steps_down() {
        // The four p-values of Holm's own scheme: ×4, ×3, ×2, ×1, never falling.
        let corrected = holm(&[0.03, 0.005, 0.04, 0.01]);
        for (found, expected) in corrected.iter().zip([0.06, 0.02, 0.06, 0.03]) {
            assert!((found - expected).abs() < 1e-15, "{corrected:?}");
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    /// Rejects by the definition: go up from the smallest while p ≤ level / (those left).
    #[test]
    fn holm_rejects_what_the_definition_rejects() {
        for seed in 0..200_u64 {
            let value = |i: u64| ((seed * 31 + i) * 7919 % 1009) as f64 / 1009.0 * 0.1;
            let p_values: Vec<f64> = (0..8).map(value).collect();
            let mut sorted = p_values.clone();
            sorted.sort_by(f64::total_cmp);
            let fails = |(i, p): (usize, &f64)| *p > 0.05 / (8 - i) as f64;
            let rejected = sorted.iter().enumerate().position(fails).unwrap_or(8);
            let found = holm(&p_values).iter().filter(|p| **p <= 0.05).count();
            assert_eq!(found, rejected, "{p_values:?}");
        }
    }
}
