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

/// Cumulative counts of both halves at the cuts that are tried, best score first; of ten million scores,
/// those at every cut would be the largest thing that an audit holds.
struct Halves {
    tried: Vec<Cut>,
    /// Of either half.
    members: [u64; 2],
    nonmembers: [u64; 2],
}

/// Members and non-members above a cut, those of the choosing half first.
#[derive(Clone, Copy)]
struct Cut {
    tp: [u64; 2],
    fp: [u64; 2],
}

const CHOOSING: usize = 0;
const JUDGING: usize = 1;

pub fn split(roc: &Roc, claim: &Claim, seed: Seed) -> EpsilonBound {
    let halves = Halves::draw(roc, seed);
    let error = 1.0 - claim.confidence;
    let judged = halves
        .chosen_cut(error, claim.delta)
        .map(|cut| halves.counts(cut, JUDGING));
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
        let mut wanted = spread(roc.points().len() - 1).peekable();
        let mut tried = Vec::new();
        let (mut tp, mut fp) = ([0; 2], [0; 2]);
        for (group, cut) in groups(roc).zip(1..) {
            let (right, wrong) = (
                members.pick(group.members),
                nonmembers.pick(group.nonmembers),
            );
            tp[CHOOSING] += right;
            fp[CHOOSING] += wrong;
            tp[JUDGING] += group.members - right;
            fp[JUDGING] += group.nonmembers - wrong;
            if wanted.next_if_eq(&cut).is_some() {
                tried.push(Cut { tp, fp });
            }
        }
        Halves {
            tried,
            members: tp,
            nonmembers: fp,
        }
    }

    /// The cut with the best bound on the choosing half, among a few hundred spread over the
    /// ranks evenly in their logarithm from both ends; the highest among equals.
    fn chosen_cut(&self, error: f64, delta: f64) -> Option<Cut> {
        if self.members.contains(&0) || self.nonmembers.contains(&0) {
            return None;
        }
        let mut best: Option<(f64, Cut)> = None;
        for &cut in &self.tried {
            let value = epsilon_at(&self.counts(cut, CHOOSING), error, delta);
            if best.is_none_or(|(most, _)| value.total_cmp(&most).is_gt()) {
                best = Some((value, cut));
            }
        }
        best.map(|(_, cut)| cut)
    }

    fn counts(&self, cut: Cut, half: usize) -> Counts {
        Counts {
            tp: cut.tp[half],
            fp: cut.fp[half],
            members: self.members[half],
            nonmembers: self.nonmembers[half],
        }
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
        assert_eq!((halves.members, halves.nonmembers), ([83, 84], [167, 167]));
        let cuts: Vec<usize> = spread(roc.points().len() - 1).collect();
        assert_eq!(halves.tried.len(), cuts.len());
        for (cut, place) in halves.tried.iter().zip(cuts) {
            let point = roc.points()[place];
            assert_eq!(cut.tp.iter().sum::<u64>(), point.true_positives);
            assert_eq!(cut.fp.iter().sum::<u64>(), point.false_positives);
        }
    }

    /// The slow twin: every record drawn into a half by itself, every cut kept, and the best looked up.
    #[test]
    fn the_cuts_that_are_kept_choose_as_all_of_them_would() {
        for step in [1, 7] {
            let score = |i: i32| f64::from((i * 7919 % 3001 + i % 3 * 400) / step);
            let roc = Roc::new((0..3000).map(|i| (score(i), i % 3 == 2))).unwrap();
            let seed = Seed(11);
            let mut members = Picker::new(roc.members(), seed.stream("epsilon split members"));
            let mut others = Picker::new(roc.nonmembers(), seed.stream("epsilon split nonmembers"));
            let (mut tp, mut fp) = (vec![0], vec![0]);
            for group in groups(&roc) {
                tp.push(tp[tp.len() - 1] + members.pick(group.members));
                fp.push(fp[fp.len() - 1] + others.pick(group.nonmembers));
            }
            let last = tp.len() - 1;
            let chosen = |cut: usize| Counts {
                tp: tp[cut],
                fp: fp[cut],
                members: tp[last],
                nonmembers: fp[last],
            };
            let value = |cut: usize| epsilon_at(&chosen(cut), 0.05, CLAIM.delta);
            let first_best = |a: &usize, b: &usize| value(*a).total_cmp(&value(*b)).then(b.cmp(a));
            let cut = spread(last).max_by(first_best).unwrap();
            let point = roc.points()[cut];
            let bound = split(&roc, &CLAIM, seed);
            assert!(bound.value > 0.0);
            assert_eq!(bound.tp, Some(point.true_positives - tp[cut]));
            assert_eq!(bound.fp, Some(point.false_positives - fp[cut]));
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
