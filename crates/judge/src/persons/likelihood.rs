//! From a score of any scale to a log-likelihood ratio: how much likelier it is of a member's record
//! than of a non-member's.
//!
//! A line and steps. The line is a logistic regression on the normal scores of ranks, which is exact
//! where members lie higher by a constant (Platt 1999, on ranks so that the scale of an attack does not
//! count): it carries faint signs that all records share. Steps on top of it carry what no line can, such
//! as a few records that stand out by far: isotonic regression (pool adjacent violators) of what the line
//! leaves over, reduced (Schell and Singh, "The reduced monotonic regression method", JASA 1997): as long
//! as neighbours differ by a deviance of less than ln(records), the price of a step by Schwarz's
//! criterion, the nearest two become one. Without that the noise of many small blocks would add up over a
//! person's records and drown the one that tells. Neither falls, so that ratios never fall as scores rise;
//! ranks alone count, so that infinite scores are like others. The prior odds are taken out: a score that
//! says nothing has a ratio of 1.

use stats::normal::normal_quantile;

/// Records are counted in so many bins of ranks for the line.
const BINS: usize = 512;
/// Newton's steps for the line; they settle in a handful.
const STEPS: usize = 30;
/// One further record, shared between expected and found, keeps a block of one class finite.
const SHARED: f64 = 0.5;

/// A monotone map from scores to log-likelihood ratios.
pub struct Likelihood {
    /// Ascending; the scores that it was fitted on.
    scores: Vec<f64>,
    line: Line,
    /// The smallest score of each block, and what it adds to the line; both ascending.
    steps: Vec<(f64, f64)>,
}

/// The log-odds of a member at a normal score.
#[derive(Clone, Copy)]
struct Line {
    slope: f64,
    intercept: f64,
    /// The log-odds of a member among all.
    prior: f64,
}

/// Records side by side: members, all, and how many members the line expects.
#[derive(Clone, Copy)]
struct Block {
    from: f64,
    members: f64,
    all: f64,
    expected: f64,
}

impl Likelihood {
    /// Nothing without scores of both kinds.
    pub fn fit(mut records: Vec<(f64, bool)>) -> Option<Self> {
        records.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let all = records.len() as f64;
        let members = records.iter().filter(|record| record.1).count() as f64;
        if members == 0.0 || members == all {
            return None;
        }
        let ties = ties(&records);
        let line = Line::fit(&ties, members, all);
        let mut blocks: Vec<Block> = Vec::new();
        for (tie, z) in ties {
            blocks.push(Block {
                expected: tie.all * line.share(z),
                ..tie
            });
            pool(&mut blocks);
        }
        reduce(&mut blocks, all.ln());
        Some(Self {
            line,
            steps: blocks
                .iter()
                .map(|block| (block.from, block.beyond()))
                .collect(),
            scores: records.into_iter().map(|record| record.0).collect(),
        })
    }

    /// The log-likelihood ratio of a score. Between two blocks the step of the lower one counts.
    pub fn ratio(&self, score: f64) -> f64 {
        let through = self.steps.partition_point(|step| step.0 <= score);
        let step = self.steps.get(through.saturating_sub(1));
        self.line.ratio(self.normal_score(score)) + step.map_or(0.0, |step| step.1)
    }

    /// Where a score lies among those of the fit, from 0 to 1.
    pub fn rank(&self, score: f64) -> f64 {
        let below = self.scores.partition_point(|other| *other < score);
        let through = self.scores.partition_point(|other| *other <= score);
        (below + through) as f64 / 2.0 / self.scores.len() as f64
    }

    fn normal_score(&self, score: f64) -> f64 {
        normal_score(self.rank(score), self.scores.len())
    }
}

/// Equal scores together, each with the normal score of its middle rank.
fn ties(records: &[(f64, bool)]) -> Vec<(Block, f64)> {
    let mut before = 0;
    let ties = records.chunk_by(|a, b| a.0 == b.0).map(|tie| {
        let rank = (before as f64 + tie.len() as f64 / 2.0) / records.len() as f64;
        before += tie.len();
        let block = Block {
            from: tie[0].0,
            members: tie.iter().filter(|record| record.1).count() as f64,
            all: tie.len() as f64,
            expected: 0.0,
        };
        (block, normal_score(rank, records.len()))
    });
    ties.collect()
}

/// The quantile of a standard normal at a rank; never beyond that of the outermost of so many.
fn normal_score(rank: f64, records: usize) -> f64 {
    let edge = 0.5 / records as f64;
    normal_quantile(rank.clamp(edge, 1.0 - edge))
}

impl Line {
    /// By Newton's method; flat where members do not lie higher.
    fn fit(ties: &[(Block, f64)], members: f64, all: f64) -> Self {
        let prior = (members / (all - members)).ln();
        let flat = Line {
            slope: 0.0,
            intercept: prior,
            prior,
        };
        let bins = bins(ties, all);
        let mut line = flat;
        for _ in 0..STEPS {
            let (mut gradient, mut curvature) = ([0.0; 2], [0.0; 3]);
            for (members, all, z) in &bins {
                let share = line.share(*z);
                let (off, weight) = (members - all * share, all * share * (1.0 - share));
                gradient[0] += off;
                gradient[1] += off * z;
                curvature[0] += weight;
                curvature[1] += weight * z;
                curvature[2] += weight * z * z;
            }
            let determinant = curvature[0] * curvature[2] - curvature[1] * curvature[1];
            if determinant <= f64::EPSILON * curvature[0] * curvature[2] {
                return flat;
            }
            let by = [
                (curvature[2] * gradient[0] - curvature[1] * gradient[1]) / determinant,
                (curvature[0] * gradient[1] - curvature[1] * gradient[0]) / determinant,
            ];
            // Sets that are all but told apart have no finite slope.
            line.intercept = (line.intercept + by[0].clamp(-2.0, 2.0)).clamp(-20.0, 20.0);
            line.slope = (line.slope + by[1].clamp(-2.0, 2.0)).clamp(-20.0, 20.0);
            if by[0].abs() + by[1].abs() < 1e-10 {
                break;
            }
        }
        match line.slope > 0.0 {
            true => line,
            false => flat,
        }
    }

    fn share(&self, z: f64) -> f64 {
        1.0 / (1.0 + (-(self.intercept + self.slope * z)).exp())
    }

    fn ratio(&self, z: f64) -> f64 {
        self.intercept + self.slope * z - self.prior
    }
}

/// Members, all, and the mean normal score of neighbouring ties.
fn bins(ties: &[(Block, f64)], all: f64) -> Vec<(f64, f64, f64)> {
    let size = (all / BINS as f64).max(1.0);
    let mut bins: Vec<(f64, f64, f64)> = Vec::new();
    for (tie, z) in ties {
        match bins.last_mut().filter(|bin| bin.1 < size) {
            Some(bin) => {
                bin.2 = (bin.2 * bin.1 + z * tie.all) / (bin.1 + tie.all);
                bin.0 += tie.members;
                bin.1 += tie.all;
            }
            None => bins.push((tie.members, tie.all, *z)),
        }
    }
    bins
}

impl Block {
    /// How far the log-odds of a member lie above what the line expects.
    fn beyond(&self) -> f64 {
        let odds = |members: f64| (members + SHARED) / (self.all - members + SHARED);
        odds(self.members).ln() - odds(self.expected).ln()
    }

    fn joined(&self, next: &Block) -> Block {
        Block {
            from: self.from,
            members: self.members + next.members,
            all: self.all + next.all,
            expected: self.expected + next.expected,
        }
    }

    /// Twice the log-likelihood that a share of its own gains over the line's.
    fn deviance(&self) -> f64 {
        let part = |found: f64, expected: f64| match found > 0.0 {
            true => found * (found / expected.max(f64::MIN_POSITIVE)).ln(),
            false => 0.0,
        };
        let others = self.all - self.members;
        2.0 * (part(self.members, self.expected) + part(others, self.all - self.expected))
    }

    /// What two blocks gain by having a step each.
    fn apart(&self, next: &Block) -> f64 {
        self.deviance() + next.deviance() - self.joined(next).deviance()
    }
}

/// Joins the last blocks until steps rise.
fn pool(blocks: &mut Vec<Block>) {
    while let [.., before, last] = blocks.as_slice() {
        if before.beyond() < last.beyond() {
            return;
        }
        let one = before.joined(last);
        blocks.truncate(blocks.len() - 2);
        blocks.push(one);
    }
}

/// Joins the two neighbours that differ least, until all differ by more than the price of a step.
fn reduce(blocks: &mut Vec<Block>, price: f64) {
    let mut apart: Vec<f64> = blocks
        .windows(2)
        .map(|pair| pair[0].apart(&pair[1]))
        .collect();
    loop {
        let least = apart.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        let Some((place, _)) = least.filter(|(_, apart)| **apart < price) else {
            return;
        };
        blocks[place] = blocks[place].joined(&blocks[place + 1]);
        blocks.remove(place + 1);
        apart.remove(place);
        for left in place.saturating_sub(1)..=place {
            if left + 1 < blocks.len() {
                apart[left] = blocks[left].apart(&blocks[left + 1]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use stats::streams::{Seed, standard_normal};

    proptest! {
        #[test]
        fn ratios_never_fall_and_are_finite(
            scores in prop::collection::vec((-9_i32..=9, any::<bool>()), 2..80),
        ) {
            let records = scores.iter().map(|&(score, member)| match score {
                9 => (f64::INFINITY, member),
                -9 => (f64::NEG_INFINITY, member),
                score => (f64::from(score), member),
            });
            if let Some(map) = Likelihood::fit(records.collect()) {
                let at = [f64::NEG_INFINITY, -20.0, -3.5, -1.0, 0.0, 2.0, 8.5, 30.0, f64::INFINITY];
                let found = at.map(|score| map.ratio(score));
                prop_assert!(found.iter().all(|ratio| ratio.is_finite()), "{found:?}");
                prop_assert!(found.is_sorted(), "{found:?}");
            }
        }
    }

    #[test]
    fn finds_the_ratio_of_two_normals_whatever_the_base_rate() {
        // N(1, 1) against N(0, 1): the ratio at x is x − 1/2, with three non-members for a member too.
        let mut rng = Seed(3).stream("likelihood");
        let draw = |i: usize| {
            let member = i.is_multiple_of(4);
            (
                standard_normal(&mut rng) + f64::from(u8::from(member)),
                member,
            )
        };
        let map = Likelihood::fit((0..40_000).map(draw).collect()).unwrap();
        for x in [-1.0, 0.0, 0.5, 1.0, 2.0] {
            assert!(
                (map.ratio(x) - (x - 0.5)).abs() < 0.25,
                "{x}: {}",
                map.ratio(x)
            );
        }
    }

    #[test]
    fn scores_the_wrong_way_round_say_nothing() {
        let map = Likelihood::fit((0..100).map(|i| (f64::from(i), i < 50)).collect()).unwrap();
        assert_eq!(map.ratio(3.0), map.ratio(97.0));
        assert!(map.ratio(3.0).abs() < 1e-12);
        assert!(Likelihood::fit(vec![(1.0, true)]).is_none());
    }

    #[test]
    fn steps_by_hand() {
        let block = |members: f64, all: f64| Block {
            from: 0.0,
            members,
            all,
            expected: all / 2.0,
        };
        let (low, high) = (block(10.0, 100.0), block(90.0, 100.0));
        assert!((high.beyond() - (90.5_f64 / 10.5).ln()).abs() < 1e-12);
        assert_eq!(block(50.0, 100.0).beyond(), 0.0);
        // G² of a table of 10, 90, 90, 10.
        let by_hand = 2.0 * 2.0 * (90.0 * 1.8_f64.ln() + 10.0 * 0.2_f64.ln());
        assert!((low.apart(&high) - by_hand).abs() < 1e-9, "{by_hand}");
        assert!(block(50.0, 100.0).deviance().abs() < 1e-12);
        let mut blocks = vec![low, high, block(91.0, 100.0)];
        reduce(&mut blocks, 300_f64.ln());
        assert_eq!(blocks.len(), 2);
        assert_eq!((blocks[1].members, blocks[1].all), (181.0, 200.0));
    }

    /// A sum of ratios against what knows the truth: twenty faint records of each person.
    #[test]
    fn faint_signs_add_up_as_the_true_ratio_does() {
        let mut rng = Seed(12).stream("faint");
        let draw = |i: usize| {
            (
                standard_normal(&mut rng) + if i.is_multiple_of(2) { 0.3 } else { 0.0 },
                i.is_multiple_of(2),
            )
        };
        let map = Likelihood::fit((0..2000).map(draw).collect()).unwrap();
        for x in [-2.0, -1.0, 0.0, 1.0, 2.0] {
            let truth = 0.3 * x - 0.045;
            assert!((map.ratio(x) - truth).abs() < 0.25, "{x}: {}", map.ratio(x));
        }
    }

    #[test]
    fn what_chance_explains_is_one_block() {
        let mut rng = Seed(8).stream("noise");
        let mut blocks = 0;
        for _ in 0..50 {
            let draw = |i: usize| (standard_normal(&mut rng), i.is_multiple_of(2));
            let map = Likelihood::fit((0..2000).map(draw).collect()).unwrap();
            blocks += map.steps.len();
        }
        // The smallest and the largest scores are where chance parts one now and then.
        assert!(blocks <= 75, "{blocks} in 50 fits");
    }

    #[test]
    fn a_few_loud_records_are_told_from_the_noise_below_them() {
        let mut rng = Seed(9).stream("loud");
        let draw = |i: usize| {
            let loud = if i < 24 { 10.0 } else { 0.0 };
            (
                standard_normal(&mut rng) + loud,
                i < 24 || i.is_multiple_of(2),
            )
        };
        let map = Likelihood::fit((0..9600).map(draw).collect()).unwrap();
        assert!(map.ratio(10.0) > 3.0, "{}", map.ratio(10.0));
        for quiet in [-3.0, -1.0, 0.0, 1.0, 2.0, 3.0] {
            assert!(
                map.ratio(quiet).abs() < 0.2,
                "{quiet}: {}",
                map.ratio(quiet)
            );
        }
    }
}
