//! How likely a canary is said word for word: the product of its tokens' probabilities, and the chance
//! that one of n tries says it. It stands beside the verdict and has none of its own.
//!
//! What a stranger would want is the drawn part, given what stands before it: the log-perplexity of Carlini et
//! al. 2019 (arXiv:1802.08232, definition 1), whose frame is known and whose secret is not. Where the signals
//! say which tokens were drawn, it is of these alone; that of the whole text counts what everybody knows, too.

use serde::{Deserialize, Serialize};

/// So many tries are asked about.
pub const TRIES: [u64; 4] = [1, 100, 10_000, 1_000_000];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Extraction {
    pub tries: Vec<u64>,
    /// Canaries that were trained on, and that were not; absent where none was scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub included: Option<Extracted>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<Extracted>,
    /// What the probability is of.
    pub note: String,
}

/// The middle canary and the most exposed one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Extracted {
    pub texts: usize,
    /// Natural logarithms of the probability in one try; absent where it is zero.
    pub median_ln: Option<f64>,
    pub largest_ln: Option<f64>,
    /// The chance within so many tries, in the order of `tries`.
    pub median: Vec<f64>,
    pub largest: Vec<f64>,
}

impl Extraction {
    /// Of the summed log-probabilities of whole texts, with who was trained on.
    pub fn of_texts(texts: &[(f64, bool)]) -> Self {
        Self::new(
            texts,
            "the whole text, its frame too, sampled token by token at temperature 1 after its first token, \
             which is given",
        )
    }

    /// The same of the drawn parts.
    pub fn of_secrets(secrets: &[(f64, bool)]) -> Self {
        Self::new(
            secrets,
            "the drawn part alone, sampled token by token at temperature 1 after what stands before it, which \
             is given",
        )
    }

    fn new(texts: &[(f64, bool)], note: &str) -> Self {
        let of = |included: bool| {
            let chosen = texts.iter().filter(|(_, member)| *member == included);
            Extracted::new(chosen.map(|(sum, _)| *sum).collect())
        };
        Extraction {
            tries: TRIES.to_vec(),
            included: of(true),
            held_out: of(false),
            note: note.to_owned(),
        }
    }
}

impl Extracted {
    fn new(mut sums: Vec<f64>) -> Option<Self> {
        sums.sort_unstable_by(f64::total_cmp);
        let (median, largest) = (*sums.get(sums.len() / 2)?, *sums.last()?);
        let within = |ln: f64| TRIES.iter().map(|&tries| chance(ln, tries)).collect();
        Some(Extracted {
            texts: sums.len(),
            median_ln: Some(median).filter(|ln| ln.is_finite()),
            largest_ln: Some(largest).filter(|ln| ln.is_finite()),
            median: within(median),
            largest: within(largest),
        })
    }
}

/// 1 − (1 − p)ⁿ for p given by its logarithm, without loss where it is small.
fn chance(ln_probability: f64, tries: u64) -> f64 {
    let fails_once = (-ln_probability.min(0.0).exp()).ln_1p();
    -(tries as f64 * fails_once).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_add_up_as_they_do_one_by_one() {
        for probability in [0.5_f64, 0.1, 1e-3] {
            for tries in [1, 2, 7, 100] {
                let none = (0..tries).fold(1.0, |left, _| left * (1.0 - probability));
                assert!((chance(probability.ln(), tries) - (1.0 - none)).abs() < 1e-12);
            }
        }
        // Where 1 − p is 1 in double precision, n tries have n times the chance of one.
        let rare = chance(-50.0, 10_000);
        assert!((rare / (10_000.0 * (-50.0_f64).exp()) - 1.0).abs() < 1e-12);
        assert_eq!(chance(0.0, 3), 1.0);
        assert_eq!(
            (chance(f64::NEG_INFINITY, 9), chance(-900.0, 9)),
            (0.0, 0.0)
        );
    }

    #[test]
    fn both_kinds_have_their_middle_and_their_most_exposed() {
        let texts = [(-1.0, true), (-3.0, true), (-2.0, true), (-40.0, false)];
        let found = Extraction::of_texts(&texts);
        let included = found.included.unwrap();
        assert_eq!(
            (included.median_ln, included.largest_ln),
            (Some(-2.0), Some(-1.0))
        );
        assert!((included.largest[0] - (-1.0_f64).exp()).abs() < 1e-15);
        assert!(included.median.is_sorted() && included.median.len() == found.tries.len());
        assert_eq!(found.held_out.unwrap().texts, 1);
        assert_eq!(Extraction::of_texts(&[]).included, None);
        let never = Extraction::of_texts(&[(f64::NEG_INFINITY, true)])
            .included
            .unwrap();
        assert_eq!((never.median_ln, never.largest[3]), (None, 0.0));
    }
}
