//! How the scores of members and of non-members are spread, in a few bins.

use serde::{Deserialize, Serialize};
use stats::roc::Roc;

use crate::ranking::groups;

const BINS: usize = 40;
/// The share of all records that the bins leave beyond either end, to be counted in the outermost.
const TAIL: f64 = 0.005;
/// How far the bins reach beyond the middle half of the scores, in widths of it.
const REACH: f64 = 5.0;

/// `edges` has one number more than there are bins. The first and the last bin also hold all that
/// lies beyond, infinite scores included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Histogram {
    pub edges: Vec<f64>,
    pub members: Vec<u64>,
    pub nonmembers: Vec<u64>,
}

/// Nothing where no score is finite.
pub fn histogram(roc: &Roc) -> Option<Histogram> {
    let edges = edges(roc)?;
    let bins = edges.len() - 1;
    let mut found = Histogram {
        members: vec![0; bins],
        nonmembers: vec![0; bins],
        edges,
    };
    for (score, group) in scored(roc) {
        let bin = found.bin(score);
        found.members[bin] += group.members;
        found.nonmembers[bin] += group.nonmembers;
    }
    Some(found)
}

impl Histogram {
    /// A bin holds its lower edge.
    fn bin(&self, score: f64) -> usize {
        let above = self.edges.partition_point(|edge| *edge <= score);
        above.clamp(1, self.edges.len() - 1) - 1
    }
}

/// Every distinct score with those who have it, from the highest to the lowest.
fn scored(roc: &Roc) -> impl Iterator<Item = (f64, crate::ranking::Group)> + '_ {
    let thresholds = roc.points().iter().skip(1);
    let scores = thresholds.filter_map(|point| point.threshold);
    scores.zip(groups(roc))
}

/// Even steps over where most finite scores lie: no further than the outer quantiles, and no further
/// from the middle half than a few times its width. Some attacks' scores have tails so long that all
/// else would be one bin.
fn edges(roc: &Roc) -> Option<Vec<f64>> {
    let total: u64 = finite(roc).map(|(_, count)| count).sum();
    let [low, lower, upper, high] = quantiles(roc, total, [TAIL, 0.25, 0.75, 1.0 - TAIL])?;
    let reach = REACH * (upper - lower);
    let (low, high) = match reach.is_finite() && reach > 0.0 {
        true => (low.max(lower - reach), high.min(upper + reach)),
        false => (low, high),
    };
    let step = (high - low) / BINS as f64;
    // Scores that are all alike, or too close for so many steps, share one bin.
    if !(step.is_finite() && step > 0.0 && low + step > low && high - step < high) {
        return Some(vec![low, high]);
    }
    let inner = (0..BINS).map(|bin| low + step * bin as f64);
    Some(inner.chain([high]).collect())
}

/// Finite scores with how many records have them, from the highest to the lowest.
fn finite(roc: &Roc) -> impl Iterator<Item = (f64, u64)> + '_ {
    let counted = scored(roc).map(|(score, group)| (score, group.members + group.nonmembers));
    counted.filter(|(score, _)| score.is_finite())
}

/// Scores that these shares of all finite ones lie below, shares ascending.
fn quantiles<const N: usize>(roc: &Roc, total: u64, shares: [f64; N]) -> Option<[f64; N]> {
    let mut found = [f64::NAN; N];
    let mut above = 0;
    let mut open = N;
    for (score, count) in finite(roc) {
        above += count;
        while open > 0 && above as f64 > total as f64 * (1.0 - shares[open - 1]) {
            open -= 1;
            found[open] = score;
        }
    }
    (open == 0).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram_of(scores: &[(f64, bool)]) -> Histogram {
        histogram(&Roc::new(scores.iter().copied()).unwrap()).unwrap()
    }

    #[test]
    fn everybody_is_in_the_bin_a_slow_count_puts_them_in() {
        let scores: Vec<(f64, bool)> = (0..3000)
            .map(|i| (f64::from(i * 7919 % 3001).powf(1.3), i % 3 == 0))
            .collect();
        let found = histogram_of(&scores);
        assert_eq!(found.edges.len(), BINS + 1);
        for bin in 0..BINS {
            let (first, last) = (bin == 0, bin == BINS - 1);
            let inside = |score: f64| {
                (first || score >= found.edges[bin]) && (last || score < found.edges[bin + 1])
            };
            let count = |kind: bool| {
                let kind = scores.iter().filter(|(_, member)| *member == kind);
                kind.filter(|(score, _)| inside(*score)).count() as u64
            };
            assert_eq!(found.members[bin], count(true), "members in bin {bin}");
            assert_eq!(found.nonmembers[bin], count(false), "others in bin {bin}");
        }
    }

    #[test]
    fn a_long_tail_does_not_hide_the_rest() {
        let tail = |i: i32| {
            if i % 10 == 0 {
                -1e6 * f64::from(i)
            } else {
                f64::from(i % 100)
            }
        };
        let scores: Vec<(f64, bool)> = (1..2000).map(|i| (tail(i), i % 2 == 0)).collect();
        let found = histogram_of(&scores);
        let filled = found
            .members
            .iter()
            .zip(&found.nonmembers)
            .filter(|(m, n)| *m + *n > 0);
        assert!(filled.count() > 5, "{found:?}");
        assert!(found.edges[0] > -1000.0, "{found:?}");
        let counted: u64 = found.members.iter().chain(&found.nonmembers).sum();
        assert_eq!(counted, 1999);
    }

    #[test]
    fn infinite_scores_are_counted_at_the_ends() {
        let found = histogram_of(&[
            (f64::INFINITY, true),
            (1.0, true),
            (0.0, false),
            (f64::NEG_INFINITY, false),
        ]);
        assert_eq!(found.members.iter().sum::<u64>(), 2);
        assert_eq!(*found.members.last().unwrap(), 2);
        assert_eq!(found.nonmembers[0], 2);
    }

    #[test]
    fn equal_scores_share_one_bin() {
        let found = histogram_of(&[(0.5, true), (0.5, false)]);
        assert_eq!((found.members, found.nonmembers), (vec![1], vec![1]));
        let endless = [(f64::INFINITY, true), (f64::NEG_INFINITY, false)];
        assert_eq!(histogram(&Roc::new(endless.into_iter()).unwrap()), None);
    }
}
