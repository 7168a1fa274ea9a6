//! Asking one question after the other: when has a document been asked enough?
//!
//! Every answer, or pair of answers that belong together, is a *sign*: for membership, against it, or neither.
//! How much a sign of one attack says about this service is learnt from all documents together and from
//! nobody's truth: two kinds of documents that answer differently are told apart by expectation
//! maximisation. A document is settled once the likelihood ratio of its signs leaves the bounds of Wald's
//! sequential test; it is looked at a few times, not after every answer, so that many can be asked at once.

use std::collections::BTreeMap;

use crate::signals::probes::{Document, Exchange, Probe};

/// What an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    For,
    Neither,
    Against,
}

impl Sign {
    fn place(self) -> usize {
        match self {
            Sign::For => 0,
            Sign::Neither => 1,
            Sign::Against => 2,
        }
    }
}

/// Questions that are one sign together, by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Asked together.
    pub first: Vec<usize>,
    /// Asked where the first answers are no sign for membership, and the document is not settled.
    pub then: Vec<usize>,
}

impl Step {
    pub fn of(place: usize) -> Self {
        Self {
            first: vec![place],
            then: Vec::new(),
        }
    }
}

/// An attack whose questions can be asked one after the other.
pub trait Sequence: Sync {
    /// Its questions about one document, step by step, the most telling first.
    fn steps(&self, asked: &[&Probe]) -> Vec<Step> {
        (0..asked.len()).map(Step::of).collect()
    }

    /// What the answers of one step say; nothing where none came.
    fn sign(&self, document: &Document, exchanges: &[&Exchange]) -> Option<Sign>;
}

/// Steps of two questions, a true one and a changed one.
pub fn pairs(asked: &[&Probe]) -> Vec<Step> {
    let pair = |start: usize| Step {
        first: (start..asked.len().min(start + 2)).collect(),
        then: Vec::new(),
    };
    (0..asked.len()).step_by(2).map(pair).collect()
}

/// How many steps have been asked at each look, the last being all: two at least, and then half as many again.
pub fn looks(steps: usize) -> Vec<usize> {
    let mut looks = Vec::new();
    let mut next = LEAST;
    while next < steps {
        looks.push(next);
        next += (next / 2).max(1);
    }
    looks.extend((steps > 0).then_some(steps));
    looks
}

/// Several wordings are asked whatever the first answer is.
pub const LEAST: usize = 2;
/// Wald's bounds at this rate of error on either side.
const ERROR: f64 = 0.01;
/// No single sign settles a document, however rare it is.
const LARGEST: f64 = 3.0;
/// What says neither says little, even where nobody says anything else.
const LARGEST_NEITHER: f64 = 0.5;

/// The share of documents that must seem to be held before others are settled as not held.
const FEWEST_HELD: f64 = 0.15;

/// Signs of one document.
pub type Counts = [usize; 3];

/// How many documents show the same signs: most of many do.
pub type Tally = BTreeMap<Counts, usize>;

pub fn counted(signs: impl Iterator<Item = Sign>) -> Counts {
    let mut counts = [0; 3];
    for sign in signs {
        counts[sign.place()] += 1;
    }
    counts
}

/// How often each sign comes from documents that the service seems to hold, and from others.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    held: [f64; 3],
    other: [f64; 3],
    /// The share of the documents heard that seem to be held.
    share: f64,
}

/// What is expected before anything was heard, worth so many signs of each kind.
const BEFORE: Calibration = Calibration {
    held: [0.7, 0.2, 0.1],
    other: [0.1, 0.3, 0.6],
    share: 0.5,
};
const WEIGHT: f64 = 10.0;
const ROUNDS: usize = 100;

impl Default for Calibration {
    fn default() -> Self {
        BEFORE
    }
}

impl Calibration {
    /// From the signs of all documents heard so far, whoever they are.
    pub fn fit(heard: &Tally) -> Self {
        let documents = heard.values().sum::<usize>() as f64;
        let mut found = BEFORE;
        let mut share: f64 = 0.5;
        for _ in 0..ROUNDS {
            let mut held = BEFORE.held.map(|p| p * WEIGHT);
            let mut other = BEFORE.other.map(|p| p * WEIGHT);
            let mut members = 0.0;
            for (counts, &alike) in heard {
                let odds = found.uncapped(counts) + (share / (1.0 - share)).ln();
                let chance = 1.0 / (1.0 + (-odds).exp());
                let alike = alike as f64;
                members += alike * chance;
                for sign in 0..3 {
                    let signs = alike * counts[sign] as f64;
                    held[sign] += chance * signs;
                    other[sign] += (1.0 - chance) * signs;
                }
            }
            let next = Self {
                held: normalised(held),
                other: normalised(other),
                share: match heard.is_empty() {
                    true => BEFORE.share,
                    false => members / documents,
                },
            };
            share = (WEIGHT / 2.0 + members) / (WEIGHT + documents);
            if next.distance(&found) < 1e-10 {
                return next;
            }
            found = next;
        }
        found
    }

    /// The logarithm of the likelihood ratio of a document's signs; 0 where the signs for do not speak for.
    pub fn evidence(&self, counts: &Counts) -> f64 {
        if self.of_sign(0) <= self.of_sign(2) {
            return 0.0;
        }
        let largest = [LARGEST, LARGEST_NEITHER, LARGEST];
        let worth = |sign: usize| self.of_sign(sign).clamp(-largest[sign], largest[sign]);
        (0..3).map(|sign| counts[sign] as f64 * worth(sign)).sum()
    }

    /// Whether nothing more needs to be asked. Where hardly any document seems to be held, nobody is settled
    /// as one that is not: a service that finds little finds it late, and further answers still order the rest.
    pub fn settles(&self, counts: &Counts) -> bool {
        let bound = ((1.0 - ERROR) / ERROR).ln();
        let evidence = self.evidence(counts);
        let against = evidence <= -bound && self.share >= FEWEST_HELD;
        counts.iter().sum::<usize>() >= LEAST && (evidence >= bound || against)
    }

    /// Steps that a document of so many is expected to take, one half being held.
    pub fn expected_steps(&self, steps: usize) -> f64 {
        let mean = |of: &[f64; 3]| {
            let mut open = BTreeMap::from([([0_usize; 3], 1.0)]);
            let (mut asked, mut expected) = (0, 0.0);
            for look in looks(steps) {
                for _ in asked..look {
                    open = one_more(&open, of);
                }
                asked = look;
                let (done, still): (BTreeMap<Counts, f64>, _) = (open.into_iter())
                    .partition(|(counts, _)| look == steps || self.settles(counts));
                expected += look as f64 * done.values().sum::<f64>();
                open = still;
            }
            expected
        };
        (mean(&self.held) + mean(&self.other)) / 2.0
    }

    /// How often a step is expected to be no sign for membership, one half of the documents being held.
    pub fn share_unclear(&self) -> f64 {
        1.0 - (self.held[0] + self.other[0]) / 2.0
    }

    fn of_sign(&self, sign: usize) -> f64 {
        self.held[sign].ln() - self.other[sign].ln()
    }

    fn uncapped(&self, counts: &Counts) -> f64 {
        (0..3)
            .map(|sign| counts[sign] as f64 * self.of_sign(sign))
            .sum()
    }

    fn distance(&self, other: &Self) -> f64 {
        let pairs = self
            .held
            .iter()
            .zip(&other.held)
            .chain(self.other.iter().zip(&other.other));
        pairs
            .map(|(one, two)| (one - two).abs())
            .fold(0.0, f64::max)
    }
}

fn one_more(open: &BTreeMap<Counts, f64>, of: &[f64; 3]) -> BTreeMap<Counts, f64> {
    let mut next = BTreeMap::new();
    for (counts, chance) in open {
        for sign in 0..3 {
            let mut more = *counts;
            more[sign] += 1;
            *next.entry(more).or_insert(0.0) += chance * of[sign];
        }
    }
    next
}

fn normalised(counts: [f64; 3]) -> [f64; 3] {
    let all: f64 = counts.iter().sum();
    counts.map(|count| count / all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::streams::{Seed, uniform};

    #[test]
    fn looks_grow_and_end_with_all() {
        assert_eq!(looks(30), [2, 3, 4, 6, 9, 13, 19, 28, 30]);
        assert_eq!(looks(2), [2]);
        assert_eq!(looks(1), [1]);
        assert!(looks(0).is_empty());
    }

    /// Documents of two kinds that answer so many questions each.
    fn drawn(
        held: [f64; 3],
        other: [f64; 3],
        documents: usize,
        steps: usize,
        seed: u64,
    ) -> Vec<Counts> {
        let mut rng = Seed(seed).stream("signs");
        let document = |place: usize| {
            let of = if place.is_multiple_of(2) { held } else { other };
            let mut counts = [0; 3];
            for _ in 0..steps {
                let draw = uniform(&mut rng);
                let sign = usize::from(draw > of[0]) + usize::from(draw > of[0] + of[1]);
                counts[sign] += 1;
            }
            counts
        };
        (0..documents).map(document).collect()
    }

    #[test]
    fn two_kinds_of_documents_are_found_without_their_truth() {
        let documents = drawn([0.6, 0.3, 0.1], [0.05, 0.25, 0.7], 400, 6, 1);
        let found = fit(&documents);
        assert!((found.held[0] - 0.6).abs() < 0.06, "{found:?}");
        assert!((found.other[2] - 0.7).abs() < 0.06, "{found:?}");
        assert!(
            found.settles(&[4, 0, 0]) && found.settles(&[0, 0, 3]) && !found.settles(&[1, 1, 1])
        );
    }

    fn fit(documents: &[Counts]) -> Calibration {
        let mut tally = Tally::new();
        for counts in documents {
            *tally.entry(*counts).or_default() += 1;
        }
        Calibration::fit(&tally)
    }

    /// One document after the other.
    fn naive(documents: &[Counts]) -> Calibration {
        let (mut found, mut share) = (BEFORE, 0.5_f64);
        for _ in 0..ROUNDS {
            let mut held = BEFORE.held.map(|p| p * WEIGHT);
            let mut other = BEFORE.other.map(|p| p * WEIGHT);
            let mut members = 0.0;
            for counts in documents {
                let odds = found.uncapped(counts) + (share / (1.0 - share)).ln();
                let chance = 1.0 / (1.0 + (-odds).exp());
                members += chance;
                for sign in 0..3 {
                    held[sign] += chance * counts[sign] as f64;
                    other[sign] += (1.0 - chance) * counts[sign] as f64;
                }
            }
            share = (WEIGHT / 2.0 + members) / (WEIGHT + documents.len() as f64);
            let before = std::mem::replace(
                &mut found,
                Calibration {
                    held: normalised(held),
                    other: normalised(other),
                    share: match documents.len() {
                        0 => BEFORE.share,
                        count => members / count as f64,
                    },
                },
            );
            if found.distance(&before) < 1e-10 {
                break;
            }
        }
        found
    }

    #[test]
    fn documents_with_the_same_signs_are_worth_the_same() {
        for (count, seed) in [(0, 1), (1, 2), (7, 3), (400, 4)] {
            let documents = drawn([0.6, 0.3, 0.1], [0.05, 0.25, 0.7], count, 6, seed);
            let (fast, slow) = (fit(&documents), naive(&documents));
            assert!(fast.distance(&slow) < 1e-9, "{fast:?} {slow:?}");
            assert!((fast.share - slow.share).abs() < 1e-9);
        }
    }

    #[test]
    fn where_all_answer_alike_nobody_is_settled_soon() {
        let documents = vec![[0, 6, 0]; 200];
        let found = fit(&documents);
        assert!(!found.settles(&[0, 6, 0]), "{found:?}");
        assert_eq!(found.expected_steps(0), 0.0);
    }

    #[test]
    fn where_nobody_seems_to_be_held_nobody_is_settled_as_not_held() {
        let found = fit(&vec![[0, 0, 4]; 200]);
        assert!(!found.settles(&[0, 0, 8]), "{found:?}");
        // Beside documents that are held the same answers settle it.
        let beside = fit(&[vec![[0, 0, 4]; 120], vec![[4, 0, 0]; 80]].concat());
        assert!(beside.settles(&[0, 0, 4]), "{beside:?}");
    }

    #[test]
    fn one_sign_alone_settles_nothing() {
        let found = fit(&drawn([1.0, 0.0, 0.0], [0.0, 0.0, 1.0], 600, 8, 2));
        assert!(!found.settles(&[1, 0, 0]) && !found.settles(&[1, 1, 0]));
        assert!(found.settles(&[2, 0, 0]));
    }

    /// What is expected is what happens.
    #[test]
    fn expected_steps_are_the_mean_of_many() {
        let steps = 12;
        let of = Calibration {
            held: [0.5, 0.3, 0.2],
            other: [0.2, 0.3, 0.5],
            share: 0.5,
        };
        let mut rng = Seed(5).stream("walks");
        let (walks, mut total) = (20_000, 0);
        for walk in 0..walks {
            let shares = if walk % 2 == 0 { of.held } else { of.other };
            let mut counts = [0; 3];
            let mut asked = 0;
            for look in looks(steps) {
                for _ in asked..look {
                    let draw = uniform(&mut rng);
                    counts[usize::from(draw > shares[0])
                        + usize::from(draw > shares[0] + shares[1])] += 1;
                }
                asked = look;
                if of.settles(&counts) {
                    break;
                }
            }
            total += asked;
        }
        let mean = f64::from(total as u32) / f64::from(walks);
        assert!(
            (mean - of.expected_steps(steps)).abs() < 0.08,
            "{mean} {}",
            of.expected_steps(steps)
        );
    }
}
