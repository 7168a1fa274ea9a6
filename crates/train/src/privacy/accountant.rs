//! The privacy accountant: from steps of DP-SGD to (ε, δ).

use crate::privacy::renyi;
use base::{Error, Result};

/// Noise beyond this drowns any gradient.
const MOST_NOISE: f64 = 1e6;

/// What a run of DP-SGD spends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spent {
    /// Infinite when there is no noise.
    pub epsilon: f64,
    pub delta: f64,
    /// Standard deviation of the noise in units of the clip norm.
    pub noise_multiplier: f64,
    /// Probability of a record to be in a batch.
    pub sampling_rate: f64,
    pub steps: u64,
    /// The Rényi order that gave the least ε.
    pub order: f64,
}

/// Rényi orders tried: tenths up to 11, then whole numbers to 256.
fn orders() -> impl Iterator<Item = f64> {
    let tenths = (11..110).map(|i| f64::from(i) / 10.0);
    tenths.chain((11..=256).map(f64::from))
}

/// ε at δ after `steps` steps, by Rényi composition and the conversion of Canonne, Kamath & Steinke
/// 2020, proposition 12 (the same as Balle et al. 2020, theorem 21):
/// ε = ε(α) + ln((α − 1)/α) − (ln δ + ln α)/(α − 1), the least over the orders.
pub fn spent(noise_multiplier: f64, sampling_rate: f64, steps: u64, delta: f64) -> Spent {
    let at = |order: f64| {
        let divergence = steps as f64 * renyi::of_step(order, noise_multiplier, sampling_rate);
        let epsilon =
            divergence + (-1.0 / order).ln_1p() - (delta.ln() + order.ln()) / (order - 1.0);
        (epsilon.max(0.0), order)
    };
    let least = orders().map(at).min_by(|a, b| a.0.total_cmp(&b.0));
    let (epsilon, order) = least.unwrap_or((f64::INFINITY, f64::NAN));
    Spent {
        epsilon,
        delta,
        noise_multiplier,
        sampling_rate,
        steps,
        order,
    }
}

/// The least noise that spends no more than `epsilon`, to one part in a million.
pub fn noise_for(epsilon: f64, delta: f64, sampling_rate: f64, steps: u64) -> Result<f64> {
    let fits = |noise: f64| spent(noise, sampling_rate, steps, delta).epsilon <= epsilon;
    let mut high = 1.0;
    while !fits(high) {
        high *= 2.0;
        if high > MOST_NOISE {
            return Err(Error::setting(
                format!(
                    "privacy.epsilon: no noise reaches epsilon {epsilon} at delta {delta} in {steps} steps"
                ),
                "allow a larger epsilon or delta, or train for fewer epochs",
            ));
        }
    }
    let mut low = 0.0;
    while high - low > 1e-6 * high {
        let middle = 0.5 * (low + high);
        if fits(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(high)
}
