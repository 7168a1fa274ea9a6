//! Clopper–Pearson with the cut chosen on one half of the records and judged on the other, so
//! that nothing needs to be corrected for the choice.
//!
//! The halves are drawn within each class and are a function of the seed and of the sorted
//! scores alone, not of the order in which the records came.

use stats::roc::Roc;
use stats::streams::{Rng, Seed, below};

use super::candidates::Counts;
use super::clopper_pearson::{NOTE, epsilon_at};
use super::{Claim, EpsilonBound};
use crate::ranking::groups;

/// Cumulative counts of both halves at every cut, best score first.
struct Halves {
    choosing: Vec<(u64, u64)>,
    judging: Vec<(u64, u64)>,
}

pub fn split(roc: &Roc, claim: &Claim, seed: Seed) -> EpsilonBound {
    let halves = Halves::draw(roc, seed);
    let error = 1.0 - claim.confidence;
    let judged = halves
        .chosen_cut(error, claim.delta)
        .map(|cut| counts(&halves.judging, cut));
    let value = judged.map_or(0.0, |counts| epsilon_at(&counts, error, claim.delta));
    EpsilonBound {
        value,
        delta: claim.delta,
        confidence: claim.confidence,
        method: "clopper-pearson, split".to_owned(),
        cuts: 1,
        tp: judged.map(|c| c.tp),
        fp: judged.map(|c| c.fp),
        mu: None,
        n_members: judged.map_or(0, |c| c.members),
        n_nonmembers: judged.map_or(0, |c| c.nonmembers),
        note: format!("the cut was chosen on one half and judged on the other; {NOTE}"),
    }
}

impl Halves {
    fn draw(roc: &Roc, seed: Seed) -> Self {
        let mut members = Picker::new(roc.members(), seed.stream("epsilon split members"));
        let mut nonmembers = Picker::new(roc.nonmembers(), seed.stream("epsilon split nonmembers"));
        let (mut choosing, mut judging) = (vec![(0, 0)], vec![(0, 0)]);
        let (mut tp, mut fp, mut other_tp, mut other_fp) = (0, 0, 0, 0);
        for group in groups(roc) {
            let (right, wrong) = (
                members.pick(group.members),
                nonmembers.pick(group.nonmembers),
            );
            tp += right;
            fp += wrong;
            other_tp += group.members - right;
            other_fp += group.nonmembers - wrong;
            choosing.push((tp, fp));
            judging.push((other_tp, other_fp));
        }
        Halves { choosing, judging }
    }

    /// The cut with the best bound on the choosing half, among a few hundred spread over the
    /// ranks evenly in their logarithm from both ends.
    fn chosen_cut(&self, error: f64, delta: f64) -> Option<usize> {
        let last = self.choosing.len() - 1;
        let totals = counts(&self.choosing, last);
        let other = counts(&self.judging, last);
        if totals
            .members
            .min(totals.nonmembers)
            .min(other.members)
            .min(other.nonmembers)
            == 0
        {
            return None;
        }
        let value = |cut: usize| epsilon_at(&counts(&self.choosing, cut), error, delta);
        spread(last)
            .map(|cut| (value(cut), cut))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
            .map(|(_, cut)| cut)
    }
}

fn counts(half: &[(u64, u64)], cut: usize) -> Counts {
    let (members, nonmembers) = half[half.len() - 1];
    Counts {
        tp: half[cut].0,
        fp: half[cut].1,
        members,
        nonmembers,
    }
}

/// Cuts 1..=last, thinned: steps grow by a twentieth of the distance from the nearer end.
fn spread(last: usize) -> impl Iterator<Item = usize> {
    let step = move |cut: usize| 1 + cut.min(last.saturating_sub(cut)) / 20;
    std::iter::successors(Some(1), move |&cut| {
        Some(cut + step(cut)).filter(|&c| c <= last)
    })
    .filter(move |&cut| cut <= last)
}

/// Takes half of the records, one after another, every subset equally likely.
struct Picker<R> {
    left: u64,
    wanted: u64,
    stream: R,
}

impl<R: Rng> Picker<R> {
    fn new(records: u64, stream: R) -> Self {
        Picker {
            left: records,
            wanted: records / 2,
            stream,
        }
    }

    /// How many of the next `records` are taken.
    fn pick(&mut self, records: u64) -> u64 {
        (0..records).map(|_| u64::from(self.take_one())).sum()
    }

    fn take_one(&mut self) -> bool {
        let taken = u64::from(below(&mut self.stream, self.left as u32)) < self.wanted;
        self.left -= 1;
        self.wanted -= u64::from(taken);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAIM: Claim = Claim {
        confidence: 0.95,
        delta: 1e-5,
    };

    #[test]
    fn halves_are_halves_and_add_up() {
        let roc = Roc::new((0..501).map(|i| (f64::from(i % 50), i % 3 == 0))).unwrap();
        let halves = Halves::draw(&roc, Seed(3));
        let last = halves.choosing.len() - 1;
        assert_eq!(halves.choosing[last], (83, 167));
        for (cut, point) in roc.points().iter().enumerate() {
            let (a, b) = (halves.choosing[cut], halves.judging[cut]);
            assert_eq!(a.0 + b.0, point.true_positives);
            assert_eq!(a.1 + b.1, point.false_positives);
        }
    }

    #[test]
    fn finds_a_leak_and_repeats_itself() {
        let roc = Roc::new((0..2000).map(|i| (f64::from(i), i >= 1000))).unwrap();
        let bound = split(&roc, &CLAIM, Seed(3));
        assert!(bound.value > 4.0, "{}", bound.value);
        assert_eq!(bound, split(&roc, &CLAIM, Seed(3)));
    }

    #[test]
    fn too_few_records_prove_nothing() {
        let roc = Roc::new([(1.0, true), (0.0, false)].into_iter()).unwrap();
        assert_eq!(split(&roc, &CLAIM, Seed(3)).value, 0.0);
    }

    #[test]
    fn spread_cuts_ascend_and_are_few() {
        let cuts: Vec<_> = spread(1_000_000).collect();
        assert!(cuts.len() < 600, "{}", cuts.len());
        assert!(cuts.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(spread(0).count(), 0);
        assert_eq!(spread(3).collect::<Vec<_>>(), [1, 2, 3]);
    }
}
