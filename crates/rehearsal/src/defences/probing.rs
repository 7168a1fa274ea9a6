//! `detect-probing`: a question that fits one document far better than all others was made from it.
//!
//! Mirabel (Choi et al., "Safeguarding Privacy of Retrieval Data against Membership Inference
//! Attacks: Is This Query Too Close to Home?", EMNLP Findings 2025, arXiv 2505.22061). If similarities
//! to unrelated documents are normal, the largest of n follows a Gumbel distribution, and exceeds
//! μ + σ √(2 ln n) + c σ / √(2 ln n) with c = −ln(−ln(1 − ρ)) at rate ρ. Mean μ and standard
//! deviation σ are taken without the largest.
//!
//! Similarities are not normal: most documents share no rare word with a question, so that honest questions
//! stand out of them as well. Where usual questions are known, a question is suspected only if it stands out
//! further than all but a share ρ of them.

/// The document that a question fits best, and how many deviations above the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    pub document: usize,
    pub deviations: f64,
}

/// None where there are too few documents to know what is usual, or none that differ.
pub fn closest(similarities: &[f32]) -> Option<Closest> {
    let by_value = |left: &(usize, &f32), right: &(usize, &f32)| left.1.total_cmp(right.1);
    let (document, &most) = similarities.iter().enumerate().max_by(by_value)?;
    if similarities.len() < 3 {
        return None;
    }
    let others = || {
        let others = similarities.iter().enumerate();
        let others = others.filter(|(place, _)| *place != document);
        others.map(|(_, &value)| f64::from(value))
    };
    let count = similarities.len() as f64 - 1.0;
    let mean = others().sum::<f64>() / count;
    let variance = others().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (variance > 0.0).then(|| Closest {
        document,
        deviations: (f64::from(most) - mean) / variance.sqrt(),
    })
}

/// From how many deviations on chance among so many documents explains none, at this rate of false alarms.
pub fn beyond_chance(documents: usize, rate: f64) -> f64 {
    let scale = (2.0 * (documents as f64).ln()).sqrt();
    let gumbel = -(-(-rate).ln_1p()).ln();
    scale + gumbel / scale
}

/// What all but a share `rate` of usual questions reach at most.
pub fn usual(mut deviations: Vec<f64>, rate: f64) -> f64 {
    deviations.sort_by(f64::total_cmp);
    let spared = (rate * deviations.len() as f64).floor() as usize;
    let place = deviations.len().checked_sub(1 + spared);
    place.map_or(f64::INFINITY, |place| deviations[place])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outlier(similarities: &[f32], rate: f64) -> Option<usize> {
        let closest = closest(similarities)?;
        let limit = beyond_chance(similarities.len(), rate);
        (closest.deviations > limit).then_some(closest.document)
    }

    #[test]
    fn the_threshold_is_the_papers() {
        // Without the largest: mean 0.2, deviation 0.1; n = 5.
        let similarities = [0.1, 0.3, 0.9, 0.1, 0.3];
        let scale = (2.0 * 5.0_f64.ln()).sqrt();
        let c = 2.970_195_249_042_164_6; // −ln(−ln 0.95)
        assert!((beyond_chance(5, 0.05) - (scale + c / scale)).abs() < 1e-12);
        let found = closest(&similarities).unwrap();
        assert_eq!(found.document, 2);
        assert!((found.deviations - 7.0).abs() < 1e-5, "{found:?}");
        assert_eq!(outlier(&similarities, 0.05), Some(2));
        assert_eq!(outlier(&[0.1, 0.3, 0.5, 0.1, 0.3], 0.05), None);
    }

    #[test]
    fn nothing_stands_out_of_too_little() {
        for similarities in [&[][..], &[0.9], &[0.9, 0.1], &[0.0, 0.0, 0.5], &[0.2; 9]] {
            assert_eq!(outlier(similarities, 0.05), None, "{similarities:?}");
        }
    }

    #[test]
    fn so_many_usual_questions_are_suspected_as_the_rate_says() {
        let deviations: Vec<f64> = (1..=100).map(f64::from).collect();
        for (rate, limit) in [(0.05, 95.0), (0.0, 100.0), (0.5, 50.0)] {
            assert_eq!(usual(deviations.clone(), rate), limit);
            let suspected = deviations.iter().filter(|&&one| one > limit).count();
            assert_eq!(suspected as f64, 100.0 * rate);
        }
        assert_eq!(usual(Vec::new(), 0.05), f64::INFINITY);
    }
}
