//! BLEU-4 of a sentence (Papineni et al. 2002), with one added to the counts of longer n-grams so
//! that a short answer without a shared run of four still has a value (Lin and Och 2004).

use crate::maps::HashMap;

pub fn bleu(candidate: &[String], reference: &[String]) -> f64 {
    if candidate.is_empty() || reference.is_empty() {
        return 0.0;
    }
    let mut logarithms = 0.0;
    for n in 1..=4 {
        let (shared, all) = clipped(candidate, reference, n);
        if n == 1 && shared == 0 {
            return 0.0;
        }
        let smooth = u32::from(n > 1);
        logarithms += (f64::from(shared + smooth) / f64::from(all + smooth)).ln() / 4.0;
    }
    let (ours, theirs) = (candidate.len() as f64, reference.len() as f64);
    let brevity = (1.0 - theirs / ours).min(0.0);
    (logarithms + brevity).exp()
}

/// n-grams of the candidate that the reference has too, each at most as often as it is there.
fn clipped(candidate: &[String], reference: &[String], n: usize) -> (u32, u32) {
    let count = |words: &[String]| {
        let mut counts: HashMap<Vec<String>, u32> = HashMap::default();
        for run in words.windows(n) {
            *counts.entry(run.to_vec()).or_default() += 1;
        }
        counts
    };
    let known = count(reference);
    let mut shared = 0;
    let mut all = 0;
    for (run, times) in count(candidate) {
        all += times;
        shared += times.min(known.get(&run).copied().unwrap_or(0));
    }
    (shared, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_same_text_is_one_and_nothing_shared_is_zero() {
        let text = words("the cat sat on the mat today");
        assert!((bleu(&text, &text) - 1.0).abs() < 1e-12);
        assert_eq!(bleu(&words("x y z"), &text), 0.0);
        assert_eq!(bleu(&[], &text), 0.0);
    }

    #[test]
    fn agrees_with_a_value_worked_out_by_hand() {
        // Shared: 6 of 6 words, 3 of 5 pairs, 2 of 4 triples, 1 of 3 fours; one added but to words.
        let candidate = words("the the cat sat on mat");
        let reference = words("the cat sat on a mat the");
        let unigrams: f64 = 6.0 / 6.0;
        let expected =
            (unigrams.ln() + (4.0_f64 / 6.0).ln() + (3.0_f64 / 5.0).ln() + (2.0_f64 / 4.0).ln())
                / 4.0;
        let expected = (expected + (1.0 - 7.0 / 6.0)).exp();
        assert!((bleu(&candidate, &reference) - expected).abs() < 1e-12);
    }
}
