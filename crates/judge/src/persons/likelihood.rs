//! From a score of any scale to a log-likelihood ratio: how much likelier it is of a member's record
//! than of a non-member's.
//!
//! Isotonic calibration (Zadrozny and Elkan, "Transforming classifier scores into accurate multiclass
//! probability estimates", KDD 2002): pool adjacent violators over the sorted scores, so that the share
//! of members never falls as the score rises. Only the order of scores counts, so that infinite ones
//! are like others. With m members and n non-members in a block, M and N in all and π = M/(M + N),
//!
//! llr = ln((m + π)/(n + 1 − π)) − ln(M/N):
//!
//! one further record, shared between the classes as all are, keeps a block of one class finite, and
//! the prior odds are taken out, so that a score that says nothing has a ratio of 1. Between the
//! middles of blocks the ratio is interpolated over ranks; beyond the first and the last it is theirs.

/// A monotone map from scores to log-likelihood ratios.
pub struct Likelihood {
    /// Ascending; the scores that it was fitted on.
    scores: Vec<f64>,
    /// Middle rank of a block, from 0 to 1, and its ratio; both ascending.
    knots: Vec<(f64, f64)>,
}

struct Block {
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
                members: inside,
                others: outside,
                llr: llr(inside, outside),
            });
            pool(&mut blocks, llr);
        }
        Some(Self {
            knots: knots(&blocks, all),
            scores: records.into_iter().map(|record| record.0).collect(),
        })
    }

    /// The log-likelihood ratio of a score.
    pub fn ratio(&self, score: f64) -> f64 {
        let below = self.scores.partition_point(|other| *other < score);
        let through = self.scores.partition_point(|other| *other <= score);
        let rank = (below + through) as f64 / 2.0 / self.scores.len() as f64;
        let next = self.knots.partition_point(|knot| knot.0 < rank);
        let Some(&(right, above)) = self.knots.get(next) else {
            return self.knots.last().map_or(0.0, |knot| knot.1);
        };
        let Some(&(left, under)) = next
            .checked_sub(1)
            .and_then(|before| self.knots.get(before))
        else {
            return above;
        };
        let ratio = under + (above - under) * (rank - left) / (right - left);
        // Rounding must not lift it above the next block.
        ratio.clamp(under, above)
    }
}

/// Joins the last blocks until ratios rise.
fn pool(blocks: &mut Vec<Block>, llr: impl Fn(f64, f64) -> f64) {
    while let [.., before, last] = blocks.as_mut_slice() {
        if before.llr < last.llr {
            return;
        }
        before.members += last.members;
        before.others += last.others;
        before.llr = llr(before.members, before.others);
        blocks.pop();
    }
}

fn knots(blocks: &[Block], all: f64) -> Vec<(f64, f64)> {
    let mut before = 0.0;
    let knot = |block: &Block| {
        let size = block.members + block.others;
        let middle = (before + size / 2.0) / all;
        before += size;
        (middle, block.llr)
    };
    blocks.iter().map(knot).collect()
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
        // Scores 1 (non-member), 2 (member), 3 (non-member), 4 (member): 2 and 3 are pooled.
        let records = vec![(1.0, false), (2.0, true), (3.0, false), (4.0, true)];
        let map = Likelihood::fit(records).unwrap();
        let edge = 3_f64.ln();
        assert!((map.ratio(9.0) - edge).abs() < 1e-12);
        assert!((map.ratio(0.0) + edge).abs() < 1e-12);
        // The middle of the pooled block is at rank 1/2; 2 lies at 3/8, a third of the way from 1/8.
        assert!((map.ratio(2.5)).abs() < 1e-12);
        assert!((map.ratio(2.0) + edge / 3.0).abs() < 1e-12);
    }
}
