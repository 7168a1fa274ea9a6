//! From a score of any scale to a log-likelihood ratio: how much likelier it is of a member's record
//! than of a non-member's.
//!
//! Isotonic calibration (Zadrozny and Elkan, "Transforming classifier scores into accurate multiclass
//! probability estimates", KDD 2002): pool adjacent violators over the sorted scores, so that the share
//! of members never falls as the score rises. Only the order of scores counts, so that infinite ones
//! are like others. Blocks that chance explains are pooled further (Schell and Singh, "The reduced
//! monotonic regression method", JASA 1997): as long as neighbours differ by a likelihood-ratio
//! statistic G² of less than ln(records), the price of a block by Schwarz's criterion, the nearest two
//! become one. Without that, the noise of many small blocks adds up over a person's records and drowns
//! the one that tells. With m members and n non-members in a block, M and N in all and π = M/(M + N),
//!
//! llr = ln((m + π)/(n + 1 − π)) − ln(M/N):
//!
//! one further record, shared between the classes as all are, keeps a block of one class finite, and
//! the prior odds are taken out, so that a score that says nothing has a ratio of 1. A ratio is that of
//! the block that a score falls into; between two blocks, of the lower one.

/// A monotone map from scores to log-likelihood ratios.
pub struct Likelihood {
    /// Ascending; the scores that it was fitted on.
    scores: Vec<f64>,
    /// The smallest score of each block, and its ratio; both ascending.
    blocks: Vec<(f64, f64)>,
}

#[derive(Clone, Copy)]
struct Block {
    from: f64,
    members: f64,
    others: f64,
    llr: f64,
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
        let llr = |inside: f64, outside: f64| {
            let share = members / all;
            let odds = (inside + share) / (outside + 1.0 - share);
            odds.ln() - (members / (all - members)).ln()
        };
        let mut blocks: Vec<Block> = Vec::new();
        for tie in records.chunk_by(|a, b| a.0 == b.0) {
            let inside = tie.iter().filter(|record| record.1).count() as f64;
            let outside = tie.len() as f64 - inside;
            blocks.push(Block {
                from: tie[0].0,
                members: inside,
                others: outside,
                llr: llr(inside, outside),
            });
            pool(&mut blocks, llr);
        }
        reduce(&mut blocks, all.ln(), llr);
        Some(Self {
            blocks: blocks.iter().map(|block| (block.from, block.llr)).collect(),
            scores: records.into_iter().map(|record| record.0).collect(),
        })
    }

    /// The log-likelihood ratio of a score.
    pub fn ratio(&self, score: f64) -> f64 {
        let through = self.blocks.partition_point(|block| block.0 <= score);
        let block = self.blocks.get(through.saturating_sub(1));
        block.map_or(0.0, |block| block.1)
    }

    /// Where a score lies among those of the fit, from 0 to 1: what is left to go by within a block.
    pub fn rank(&self, score: f64) -> f64 {
        let below = self.scores.partition_point(|other| *other < score);
        let through = self.scores.partition_point(|other| *other <= score);
        (below + through) as f64 / 2.0 / self.scores.len() as f64
    }
}

/// Joins the last blocks until ratios rise.
fn pool(blocks: &mut Vec<Block>, llr: impl Fn(f64, f64) -> f64) {
    while let [.., before, last] = blocks.as_slice() {
        if before.llr < last.llr {
            return;
        }
        let one = join(before, last, &llr);
        blocks.truncate(blocks.len() - 2);
        blocks.push(one);
    }
}

/// Joins the two neighbours that differ least, until all differ by more than the price of a block.
fn reduce(blocks: &mut Vec<Block>, price: f64, llr: impl Fn(f64, f64) -> f64) {
    let mut apart: Vec<f64> = blocks
        .windows(2)
        .map(|pair| difference(&pair[0], &pair[1]))
        .collect();
    loop {
        let least = apart.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        let Some((place, _)) = least.filter(|(_, apart)| **apart < price) else {
            return;
        };
        blocks[place] = join(&blocks[place], &blocks[place + 1], &llr);
        blocks.remove(place + 1);
        apart.remove(place);
        for left in place.saturating_sub(1)..=place {
            if left + 1 < blocks.len() {
                apart[left] = difference(&blocks[left], &blocks[left + 1]);
            }
        }
    }
}

fn join(one: &Block, next: &Block, llr: impl Fn(f64, f64) -> f64) -> Block {
    let (members, others) = (one.members + next.members, one.others + next.others);
    Block {
        from: one.from,
        members,
        others,
        llr: llr(members, others),
    }
}

/// G² of two blocks: twice the log-likelihood that they gain by having a share of members each.
fn difference(one: &Block, next: &Block) -> f64 {
    let likelihood = |members: f64, others: f64| {
        let all = members + others;
        let part = |count: f64| match count > 0.0 {
            true => count * (count / all).ln(),
            false => 0.0,
        };
        part(members) + part(others)
    };
    let apart = likelihood(one.members, one.others) + likelihood(next.members, next.others);
    let together = likelihood(one.members + next.members, one.others + next.others);
    2.0 * (apart - together)
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
    fn by_hand() {
        // Nine in ten of the upper hundred are members, one in ten of the lower: G² is 147, and ln 200 is 5.
        let records = (0..200).map(|i| (f64::from(i), (i < 100) == (i % 10 == 0)));
        let map = Likelihood::fit(records.collect()).unwrap();
        let edge = (90.5_f64 / 10.5).ln();
        assert_eq!(map.blocks.len(), 2);
        assert!(
            (map.ratio(300.0) - edge).abs() < 1e-12,
            "{}",
            map.ratio(300.0)
        );
        assert!((map.ratio(-1.0) + edge).abs() < 1e-12);
        // Between two blocks the lower one counts.
        assert_eq!(map.ratio(map.blocks[1].0 - 0.5), map.ratio(0.0));
        assert_eq!(map.rank(99.5), 0.5);
    }

    #[test]
    fn what_chance_explains_is_one_block() {
        let mut rng = Seed(8).stream("noise");
        let mut blocks = 0;
        for _ in 0..50 {
            let draw = |i: usize| (standard_normal(&mut rng), i.is_multiple_of(2));
            let map = Likelihood::fit((0..2000).map(draw).collect()).unwrap();
            blocks += map.blocks.len();
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
