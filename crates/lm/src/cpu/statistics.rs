//! What one row of logits says: the true token's log-probability and rank, the first two moments of
//! log-probabilities under the row's own distribution, and the first choice's log-probability.
//!
//! Exponentials are f32; sums run in f32 over short blocks and in f64 between them.

use super::function::exp;
use super::vectorised;
use crate::scores::Wants;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub(super) logprob: f32,
    pub(super) rank: u32,
    pub(super) mean: f32,
    pub(super) variance: f32,
    pub(super) max_logprob: f32,
}

const LANES: usize = 16;
/// Values summed in f32 before they join the f64 sum.
const BLOCK: usize = 32 * LANES;

pub(super) fn describe(logits: &[f32], target: usize, wants: Wants) -> Row {
    vectorised(
        #[inline(always)]
        || {
            let truth = logits.get(target).copied().unwrap_or(f32::NAN);
            let (largest, above) = largest_and_above(logits, truth);
            let [total, moment] = sums(logits, |logit| {
                let below = logit - largest;
                let weight = exp(below);
                [weight, weight * below]
            });
            let log_total = total.ln();
            let mut row = Row {
                logprob: (f64::from(truth - largest) - log_total) as f32,
                rank: above + 1,
                ..Row::default()
            };
            if wants.moments {
                let centre = moment / total;
                let narrow = centre as f32;
                let [squares, rest] = sums(logits, |logit| {
                    let below = logit - largest;
                    let weight = exp(below);
                    let off = below - narrow;
                    [weight * off * off, weight * off]
                });
                row.max_logprob = -log_total as f32;
                row.mean = (centre - log_total) as f32;
                row.variance = (squares / total - (rest / total).powi(2)).max(0.0) as f32;
            }
            row
        },
    )
}

#[inline(always)]
fn largest_and_above(logits: &[f32], truth: f32) -> (f32, u32) {
    let mut largest = [f32::NEG_INFINITY; LANES];
    let mut above = [0u32; LANES];
    let (chunks, rest) = logits.as_chunks::<LANES>();
    let mut take = |values: &[f32]| {
        for ((largest, above), &value) in largest.iter_mut().zip(&mut above).zip(values) {
            *largest = if value > *largest { value } else { *largest };
            *above += u32::from(value > truth);
        }
    };
    for chunk in chunks {
        take(chunk);
    }
    take(rest);
    (
        largest.into_iter().fold(f32::NEG_INFINITY, f32::max),
        above.iter().sum(),
    )
}

#[inline(always)]
fn sums(logits: &[f32], terms: impl Fn(f32) -> [f32; 2]) -> [f64; 2] {
    let mut totals = [0.0f64; 2];
    for block in logits.chunks(BLOCK) {
        let mut lanes = [[0.0f32; LANES]; 2];
        let (chunks, rest) = block.as_chunks::<LANES>();
        for chunk in chunks {
            for (lane, &logit) in chunk.iter().enumerate() {
                let [first, second] = terms(logit);
                lanes[0][lane] += first;
                lanes[1][lane] += second;
            }
        }
        for (lane, &logit) in rest.iter().enumerate() {
            let [first, second] = terms(logit);
            lanes[0][lane] += first;
            lanes[1][lane] += second;
        }
        for (total, lanes) in totals.iter_mut().zip(lanes) {
            *total += lanes.into_iter().map(f64::from).sum::<f64>();
        }
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, in f64.
    fn naive(logits: &[f32], target: usize) -> [f64; 4] {
        let logits: Vec<f64> = logits.iter().map(|&logit| f64::from(logit)).collect();
        let largest = logits.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        let total: f64 = logits.iter().map(|z| (z - largest).exp()).sum();
        let log_p: Vec<f64> = logits.iter().map(|z| z - largest - total.ln()).collect();
        let mean: f64 = log_p.iter().map(|l| l.exp() * l).sum();
        let variance = log_p.iter().map(|l| l.exp() * (l - mean).powi(2)).sum();
        let first = log_p.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        [log_p[target], mean, variance, first]
    }

    fn pseudo_random(count: usize, spread: f32) -> Vec<f32> {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32 - 0.5
        };
        (0..count)
            .map(|_| spread * (next() + next() + next()))
            .collect()
    }

    #[test]
    fn agrees_with_the_definition() {
        for (count, spread) in [
            (7, 1.0),
            (513, 10.0),
            (49_152, 8.0),
            (50_257, 30.0),
            (1, 0.0),
        ] {
            let logits = pseudo_random(count, spread);
            let target = count / 3;
            let row = describe(&logits, target, Wants { moments: true });
            let [logprob, mean, variance, first] = naive(&logits, target);
            assert!((f64::from(row.logprob) - logprob).abs() < 1e-5);
            assert!((f64::from(row.mean) - mean).abs() < 1e-5);
            assert!((f64::from(row.variance) - variance).abs() < 1e-5);
            assert!((f64::from(row.max_logprob) - first).abs() < 1e-5);
            let above = logits.iter().filter(|&&z| z > logits[target]).count();
            assert_eq!(row.rank as usize, above + 1);
        }
    }

    #[test]
    fn ties_share_the_better_rank() {
        let row = describe(&[1.0, 2.0, 2.0, 0.0], 1, Wants::default());
        assert_eq!(row.rank, 1);
        assert_eq!(describe(&[1.0, 2.0, 2.0, 0.0], 0, Wants::default()).rank, 3);
    }
}
