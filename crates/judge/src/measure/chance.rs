//! How often chance alone gives an AUC so far from one half, given which scores are equal.
//!
//! DeLong's interval is too narrow where most records share a score: with four members that stand out of
//! fifty, and no other, it lies above one half, though a fair coin falls so four times in sixteen, or eight
//! with both sides counted. So where ties are heavy, membership is drawn anew among the same scores, many
//! times: the permutation test of the rank sum, which is exact but for the number of draws.

use stats::roc::Roc;
use stats::streams::{Seed, below};

use crate::ranking::groups;

/// Records of the largest group of equal scores, as a share of all, from which on ties are heavy.
const HEAVY: f64 = 0.2;
const DRAWS: u64 = 9_999;
/// Draws as far as what was seen after which no more are made (Besag and Clifford, "Sequential Monte Carlo
/// p-values", Biometrika 1991): the chance is then known to one part in twenty.
const ENOUGH: u64 = 400;
/// Standard deviations that none of so many draws would reach.
const HOPELESS: f64 = 6.0;
/// More records than this outside the largest group make sums that are normal enough.
const MANY: u64 = 1_000;

/// The chance, both sides counted; nothing where few records share a score, or so many do not that
/// DeLong's interval holds, nor where no draw fell so far.
pub fn chance_by_ties(roc: &Roc) -> Option<f64> {
    let sizes: Vec<u64> = groups(roc)
        .map(|group| group.members + group.nonmembers)
        .collect();
    let all: u64 = sizes.iter().sum();
    let largest = *sizes.iter().max()?;
    let rest = all - largest;
    if (largest as f64) < HEAVY * all as f64 || rest == 0 || rest > MANY {
        return None;
    }
    Permutation::new(roc, &sizes).chance()
}

/// Records that are not in the largest group, and what each adds to the rank sum.
struct Permutation {
    /// Twice the rank above or below that of the largest group.
    worth: Vec<i64>,
    all: u64,
    members: u64,
    /// Twice the rank sum of the members, less what is expected of them.
    seen: f64,
    expected: f64,
}

impl Permutation {
    fn new(roc: &Roc, sizes: &[u64]) -> Self {
        let all: u64 = sizes.iter().sum();
        // Twice the middle rank of each group, from the highest score down, counted from the lowest.
        let mut above = 0_i64;
        let ranks: Vec<i64> = sizes
            .iter()
            .map(|&size| {
                let rank = 2 * (all as i64 - above) - size as i64 + 1;
                above += size as i64;
                rank
            })
            .collect();
        let largest = (0..sizes.len())
            .max_by_key(|&group| sizes[group])
            .unwrap_or(0);
        let others = (0..sizes.len()).filter(|group| *group != largest);
        let worth: Vec<i64> = others
            .flat_map(|group| {
                std::iter::repeat_n(ranks[group] - ranks[largest], sizes[group] as usize)
            })
            .collect();
        let found: i64 = groups(roc)
            .zip(&ranks)
            .map(|(group, rank)| group.members as i64 * (rank - ranks[largest]))
            .sum();
        let expected = worth.iter().sum::<i64>() as f64 * roc.members() as f64 / all as f64;
        Self {
            worth,
            all,
            members: roc.members(),
            seen: (found as f64 - expected).abs(),
            expected,
        }
    }

    /// How many standard deviations of the draws the members lie from what is expected.
    fn deviations(&self) -> f64 {
        let (all, members) = (self.all as f64, self.members as f64);
        let mean = self.worth.iter().sum::<i64>() as f64 / all;
        let squares: f64 = self.worth.iter().map(|worth| (*worth as f64).powi(2)).sum();
        let variance = squares / all - mean * mean;
        self.seen / (members * (all - members) / (all - 1.0) * variance).sqrt()
    }

    /// Two-sided: as far from what is expected, on either side.
    fn chance(&self) -> Option<f64> {
        if self.deviations() > HOPELESS {
            return None;
        }
        let mut rng = Seed(0).stream("ties");
        let mut far = 0;
        for drawn in 1..=DRAWS {
            let (mut members, mut left) = (self.members, self.all);
            let mut sum = 0;
            for worth in &self.worth {
                // Who is a member among so many that are left.
                let member = u64::from(below(&mut rng, left as u32)) < members;
                if member {
                    sum += worth;
                    members -= 1;
                }
                left -= 1;
            }
            far += u64::from((sum as f64 - self.expected).abs() >= self.seen - 1e-9);
            if far == ENOUGH {
                return Some(far as f64 / drawn as f64);
            }
        }
        match far {
            0 => None,
            far => Some((1 + far) as f64 / (1 + DRAWS) as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roc(members: &[f64], nonmembers: &[f64]) -> Roc {
        let members = members.iter().map(|&score| (score, true));
        Roc::new(members.chain(nonmembers.iter().map(|&score| (score, false)))).unwrap()
    }

    /// Every way to choose the members.
    fn naive(scores: &[f64], members: usize) -> f64 {
        let area = |chosen: u32| {
            let member = |place: usize| chosen >> place & 1 == 1;
            let pairs = (0..scores.len()).map(|place| (scores[place], member(place)));
            (Roc::new(pairs).unwrap().auc() - 0.5).abs()
        };
        let seen = area((1 << members) - 1);
        let ways = (0_u32..1 << scores.len()).filter(|way| way.count_ones() as usize == members);
        let (mut far, mut all) = (0.0, 0.0);
        for way in ways {
            far += f64::from(u8::from(area(way) >= seen - 1e-12));
            all += 1.0;
        }
        far / all
    }

    #[test]
    fn the_drawn_chance_is_that_of_every_way_to_choose() {
        let cases: [(&[f64], &[f64]); 4] = [
            (&[1.0, 1.0, 1.0, 1.0, 0.0, 0.0], &[0.0; 6]),
            (
                &[2.0, 1.0, 0.0, 0.0, 0.0, 0.0],
                &[1.0, 0.0, 0.0, 0.0, 0.0, -1.0],
            ),
            (
                &[3.0, 2.0, 0.0, 0.0, 1.0],
                &[0.0, 0.0, -2.0, 0.0, 0.0, 0.0, 1.0],
            ),
            (&[0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, 5.0]),
        ];
        for (members, others) in cases {
            let all: Vec<f64> = members.iter().chain(others).copied().collect();
            let slow = naive(&all, members.len());
            let fast = chance_by_ties(&roc(members, others)).unwrap();
            assert!((fast - slow).abs() < 0.06, "{fast} against {slow}");
        }
    }

    #[test]
    fn scores_that_differ_are_left_to_delong() {
        let members: Vec<f64> = (0..30).map(f64::from).collect();
        let others: Vec<f64> = (0..30).map(|n| f64::from(n) + 0.5).collect();
        assert_eq!(chance_by_ties(&roc(&members, &others)), None);
        assert_eq!(chance_by_ties(&roc(&[1.0; 9], &[1.0; 9])), None);
    }
}
