//! The next token, out of logits.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::Sampling;
use crate::{Error, Result};

pub(super) struct Chooser {
    temperature: f64,
    top_p: f64,
    random: ChaCha8Rng,
}

impl Chooser {
    pub(super) fn new(options: &Sampling) -> Self {
        Self {
            temperature: f64::from(options.temperature),
            top_p: f64::from(options.top_p),
            random: ChaCha8Rng::seed_from_u64(options.seed),
        }
    }

    pub(super) fn choose(&mut self, logits: &[f32]) -> Result<u32> {
        let (likeliest, largest) = likeliest(logits)?;
        if self.temperature == 0.0 {
            return Ok(likeliest);
        }
        let weight = |logit: f32| ((f64::from(logit) - largest) / self.temperature).exp();
        let weights = (0..).zip(logits.iter().map(|logit| weight(*logit)));
        let mut tokens: Vec<(u32, f64)> = weights.filter(|(_, weight)| *weight > 0.0).collect();
        if self.top_p < 1.0 {
            keep_nucleus(&mut tokens, self.top_p);
        }
        let total: f64 = tokens.iter().map(|(_, weight)| weight).sum();
        let mut left = self.uniform() * total;
        for (token, weight) in &tokens {
            left -= weight;
            if left < 0.0 {
                return Ok(*token);
            }
        }
        // Sums in another order may round to a little less than their total.
        Ok(tokens.last().map_or(likeliest, |(token, _)| *token))
    }

    /// Below 1, in steps of 2^-53.
    fn uniform(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The first of the largest logits.
fn likeliest(logits: &[f32]) -> Result<(u32, f64)> {
    let mut best = (0, f32::NEG_INFINITY);
    for (token, &logit) in (0..).zip(logits) {
        if logit.is_nan() {
            return Err(Error::malformed(format!(
                "the model's logit of token {token} is not a number"
            ))
            .hint("its weights are too large to compute with, or damaged"));
        }
        if logit > best.1 {
            best = (token, logit);
        }
    }
    Ok((best.0, f64::from(best.1)))
}

/// The likeliest tokens, as few as together have the probability `top_p` (Holtzman et al. 2020,
/// section 3.1); of equally likely ones the smaller id first.
fn keep_nucleus(tokens: &mut Vec<(u32, f64)>, top_p: f64) {
    tokens.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let total: f64 = tokens.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    let below = tokens.iter().take_while(|(_, weight)| {
        let before = sum;
        sum += weight;
        before < top_p * total
    });
    let kept = below.count();
    tokens.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(options: &Sampling, logits: &[f32], count: usize) -> Vec<u32> {
        let mut chooser = Chooser::new(options);
        (0..count)
            .map(|_| chooser.choose(logits).unwrap())
            .collect()
    }

    #[test]
    fn without_temperature_the_first_of_the_likeliest_is_taken() {
        assert_eq!(draws(&Sampling::default(), &[0.5, 2.0, 2.0], 3), [1, 1, 1]);
    }

    #[test]
    fn frequencies_are_probabilities() {
        let probabilities = [0.5f32, 0.3, 0.2];
        let logits = probabilities.map(f32::ln);
        let options = Sampling {
            temperature: 1.0,
            ..Sampling::default()
        };
        let drawn = draws(&options, &logits, 20_000);
        for (token, probability) in (0..).zip(probabilities) {
            let count = drawn.iter().filter(|drawn| **drawn == token).count();
            let frequency = count as f64 / drawn.len() as f64;
            // Five standard errors of a frequency of a half.
            assert!((frequency - f64::from(probability)).abs() < 0.018);
        }
        assert_eq!(drawn, draws(&options, &logits, 20_000));
        let other = Sampling { seed: 1, ..options };
        assert_ne!(drawn, draws(&other, &logits, 20_000));
    }

    #[test]
    fn the_nucleus_is_as_small_as_can_be() {
        let logits = [0.2f32, 0.5, 0.3].map(f32::ln);
        let among = |top_p| {
            let options = Sampling {
                temperature: 1.0,
                top_p,
                ..Sampling::default()
            };
            let mut drawn = draws(&options, &logits, 500);
            drawn.sort_unstable();
            drawn.dedup();
            drawn
        };
        assert_eq!(among(0.4), [1]);
        assert_eq!(among(0.7), [1, 2]);
        assert_eq!(among(0.9), [0, 1, 2]);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let mut chooser = Chooser::new(&Sampling::default());
        let error = chooser.choose(&[0.0, f32::NAN]).unwrap_err();
        assert!(error.to_string().contains("token 1"), "{error}");
    }
}
