//! `detect-probing`: a question that fits one document far better than all others was made from it.
//!
//! Mirabel (Choi et al., "Safeguarding Privacy of Retrieval Data against Membership Inference
//! Attacks: Is This Query Too Close to Home?", EMNLP Findings 2025, arXiv 2505.22061). If similarities
//! to unrelated documents are normal, the largest of n follows a Gumbel distribution, and exceeds
//! τ = μ + σ √(2 ln n) + c σ / √(2 ln n) with c = −ln(−ln(1 − ρ)) at rate ρ. Mean μ and standard
//! deviation σ are taken without the largest.

/// Which document's similarity is beyond what chance explains at the given rate of false alarms.
pub fn outlier(similarities: &[f32], rate: f64) -> Option<usize> {
    let by_value = |left: &(usize, &f32), right: &(usize, &f32)| left.1.total_cmp(right.1);
    let (place, &most) = similarities.iter().enumerate().max_by(by_value)?;
    (f64::from(most) > threshold(similarities, place, rate)?).then_some(place)
}

/// τ; none where there are too few documents to know what is usual, or none that differ.
fn threshold(similarities: &[f32], largest: usize, rate: f64) -> Option<f64> {
    let count = similarities.len() as f64;
    if count < 3.0 {
        return None;
    }
    let others = || {
        similarities
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != largest)
    };
    let others = || others().map(|(_, &value)| f64::from(value));
    let mean = others().sum::<f64>() / (count - 1.0);
    let variance = others().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let (deviation, scale) = (variance.sqrt(), (2.0 * count.ln()).sqrt());
    let gumbel = -(-(-rate).ln_1p()).ln();
    (deviation > 0.0).then_some(mean + deviation * scale + gumbel * deviation / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_the_papers() {
        // Without the largest: mean 0.2, deviation 0.1; n = 5.
        let similarities = [0.1, 0.3, 0.9, 0.1, 0.3];
        let scale = (2.0 * 5.0_f64.ln()).sqrt();
        let c = 2.970_195_249_042_164_6; // −ln(−ln 0.95)
        let exact = 0.2 + 0.1 * scale + c * 0.1 / scale;
        assert!((threshold(&similarities, 2, 0.05).unwrap() - exact).abs() < 1e-7);
        assert_eq!(outlier(&similarities, 0.05), Some(2));
        assert_eq!(outlier(&[0.1, 0.3, 0.5, 0.1, 0.3], 0.05), None);
    }

    #[test]
    fn nothing_stands_out_of_too_little() {
        for similarities in [&[][..], &[0.9], &[0.9, 0.1], &[0.0, 0.0, 0.5], &[0.2; 9]] {
            assert_eq!(outlier(similarities, 0.05), None, "{similarities:?}");
        }
    }
}
