//! How the scores of members and of non-members are spread, in a few bins.

use serde::{Deserialize, Serialize};
use stats::roc::Roc;

use crate::ranking::groups;

const BINS: usize = 40;
/// The share of all records that the bins leave beyond either end, to be counted in the outermost.
const TAIL: f64 = 0.005;

/// `edges` has one number more than there are bins. The first and the last bin also hold all that
/// lies beyond, infinite scores included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

/// Even steps between the outer quantiles of the finite scores.
fn edges(roc: &Roc) -> Option<Vec<f64>> {
    let finite = || scored(roc).filter(|(score, _)| score.is_finite());
    let count = |(_, group): (f64, crate::ranking::Group)| group.members + group.nonmembers;
    let tail = (finite().map(count).sum::<u64>() as f64 * TAIL) as u64;
    let mut passed = 0;
    let (mut high, mut low) = (None, None);
    let total: u64 = finite().map(count).sum();
    for (score, group) in finite() {
        passed += group.members + group.nonmembers;
        if high.is_none() && passed > tail {
            high = Some(score);
        }
        if low.is_none() && passed >= total - tail {
            low = Some(score);
        }
    }
    let (low, high) = (low?, high?);
    let step = (high - low) / BINS as f64;
    // Scores that are all alike, or too close for so many steps, share one bin.
    if !(step.is_finite() && step > 0.0 && low + step > low && high - step < high) {
        return Some(vec![low, high]);
    }
    let inner = (0..BINS).map(|bin| low + step * bin as f64);
    Some(inner.chain([high]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(scores: &[(f64, bool)]) -> Histogram {
        histogram(&Roc::new(scores.iter().copied()).unwrap()).unwrap()
    }

    #[test]
    fn everybody_is_in_the_bin_a_slow_count_puts_them_in() {
        let scores: Vec<(f64, bool)> = (0..3000)
            .map(|i| (f64::from(i * 7919 % 3001).powf(1.3), i % 3 == 0))
            .collect();
        let found = of(&scores);
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
    fn infinite_scores_are_counted_at_the_ends() {
        let found = of(&[
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
        let found = of(&[(0.5, true), (0.5, false)]);
        assert_eq!((found.members, found.nonmembers), (vec![1], vec![1]));
        let endless = [(f64::INFINITY, true), (f64::NEG_INFINITY, false)];
        assert_eq!(histogram(&Roc::new(endless.into_iter()).unwrap()), None);
    }
}
