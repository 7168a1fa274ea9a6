//! Are log-probabilities those of the tokens beside them? Frequent tokens are likelier than rare ones, so that
//! which token it is tells much of its log-probability; of another row's it tells nothing.

use std::collections::HashMap;

use judge::lm::ByToken;

/// Of later tokens nothing is kept, and later predictions change nothing.
const MOST_TOKENS: usize = 65_536;
const MOST_PREDICTIONS: usize = 1 << 20;
/// A token that is seen less often says little of its mean.
const OFTEN: f64 = 20.0;

/// Log-probabilities by token: each row's own, and for comparison those of the row before, last to first, where
/// tokens that many texts begin with do not meet themselves.
#[derive(Debug, Default)]
pub struct Kinship {
    own: Tally,
    other: Tally,
    before: Vec<f64>,
}

/// Of each token: how often, the sum and the sum of squares.
#[derive(Debug, Default)]
struct Tally {
    tokens: HashMap<u32, [f64; 3]>,
    predictions: usize,
}

impl Kinship {
    /// The first token of a text has no prediction. Where others have none either, places are not known: such a row
    /// is left out.
    pub fn add(&mut self, ids: &[u32], logprob: &[f64]) {
        let full = self.own.predictions >= MOST_PREDICTIONS;
        if full || logprob.is_empty() || ids.len().saturating_sub(logprob.len()) > 1 {
            return;
        }
        let ids = &ids[ids.len() - logprob.len().min(ids.len())..];
        self.own.add(ids, logprob.iter());
        self.other.add(ids, self.before.iter().rev());
        self.before.clear();
        self.before.extend_from_slice(logprob);
    }

    pub fn shares(&self) -> Option<ByToken> {
        let (predictions, own) = self.own.share()?;
        let (_, other) = self.other.share()?;
        Some(ByToken {
            predictions,
            own,
            other,
        })
    }
}

impl Tally {
    fn add<'a>(&mut self, ids: &[u32], values: impl Iterator<Item = &'a f64>) {
        for (id, &value) in ids.iter().zip(values) {
            self.predictions += 1;
            let room = self.tokens.len() < MOST_TOKENS;
            let sums = match self.tokens.get_mut(id) {
                Some(sums) => sums,
                None if room => self.tokens.entry(*id).or_default(),
                None => continue,
            };
            for (sum, more) in sums.iter_mut().zip([1.0, value, value * value]) {
                *sum += more;
            }
        }
    }

    /// How many predictions count, and which share of their variance their tokens explain, less what as many groups
    /// drawn by lot would.
    fn share(&self) -> Option<(usize, f64)> {
        let often = self.tokens.iter().filter(|(_, sums)| sums[0] >= OFTEN);
        let mut often: Vec<(u32, [f64; 3])> = often.map(|(id, sums)| (*id, *sums)).collect();
        // Sums have one order, whatever the map's.
        often.sort_unstable_by_key(|(id, _)| *id);
        let total = |place: usize| often.iter().map(|(_, sums)| sums[place]).sum::<f64>();
        let (n, sum, squares) = (total(0), total(1), total(2));
        let whole = squares - sum * sum / n;
        let groups = often.iter().map(|(_, sums)| sums[1] * sums[1] / sums[0]);
        let between = groups.sum::<f64>() - sum * sum / n;
        let chance = (often.len() as f64 - 1.0) / (n - 1.0);
        let share = between / whole - chance;
        let varies = n > 1.0 && whole > 1e-9 * squares;
        (varies && share.is_finite()).then_some((n as usize, share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of tokens whose log-probability is their own and some noise; those of another row where `shift` says so.
    fn shares(shift: usize) -> ByToken {
        let token = |row: usize, place: usize| (row * 7919 + place * place * 31 + row * place) % 97;
        let row = |row: usize| -> Vec<f64> {
            (1..100)
                .map(|place| {
                    let noise = (row * 31 + place * 17) % 11;
                    -((token(row, place) % 10) as f64) - noise as f64
                })
                .collect()
        };
        let mut kinship = Kinship::default();
        for of in 0..400 {
            let ids: Vec<u32> = (0..100).map(|place| token(of, place) as u32).collect();
            kinship.add(&ids, &row((of + shift) % 400));
        }
        kinship.shares().unwrap()
    }

    #[test]
    fn tokens_explain_their_own_log_probabilities_and_no_other_rows() {
        let right = shares(0);
        assert_eq!(right.predictions, 39_600);
        assert!(right.own > 0.3 && right.other < 0.01, "{right:?}");
        let wrong = shares(57);
        assert!(wrong.own < 0.01, "{wrong:?}");
    }

    #[test]
    fn what_does_not_vary_and_what_has_gaps_says_nothing() {
        let mut kinship = Kinship::default();
        for _ in 0..100 {
            kinship.add(&[1, 2, 3], &[-1.0, -1.0]);
            kinship.add(&[1, 2, 3, 4], &[-1.0, -2.0]);
        }
        assert_eq!(kinship.own.predictions, 200);
        assert!(kinship.shares().is_none());
        assert!(Kinship::default().shares().is_none());
    }
}
