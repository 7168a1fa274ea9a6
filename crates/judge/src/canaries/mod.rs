//! Canaries: records made up for the audit, each in the training data by a fair coin of its own.
//!
//! Because the coins are independent, what one training run remembers of them bounds ε without any
//! assumption about the model ([`crate::epsilon::coins`]). A claim is about one record, and so is a threshold
//! on ε: both are held against every tier of repetition, which share the error, with what group privacy
//! makes of them. What a report shows of an attack by itself rests on the canaries that were trained on least
//! often, which is decided by the draw and not by what was found.

mod draw;
pub mod extraction;
mod finding;

use attacks::scores::Scores;
use stats::roc::Roc;
use stats::streams::Seed;

pub use self::draw::{Draw, Told, TrainingFile, Visibility};
pub use self::extraction::{Extracted, Extraction};
pub use self::finding::{CanaryFinding, CanaryPart, PartKind, Shown};
use crate::epsilon::clopper_pearson;
use crate::epsilon::coins::CoinGuesses;
use crate::measures::other_bounds;
use crate::{AttackMeasures, Options, Truth};

/// One canary, without its coin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Canary {
    /// How often it was trained on if its coin said so.
    pub repetitions: u64,
    /// The place of its design in [`Canaries::designs`].
    pub design: usize,
}

/// All canaries of a draw, as the rows of an audit meet them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Canaries {
    /// By row; nothing where the row is no canary.
    pub rows: Vec<Option<Canary>>,
    /// Canaries that no row is about, with their coins.
    pub missing: Vec<(Canary, bool)>,
    pub designs: Vec<String>,
    pub draw: Draw,
}

/// Which canaries are looked at.
pub(crate) type Wanted<'a> = &'a dyn Fn(&Canary) -> bool;

impl Canaries {
    pub fn len(&self) -> usize {
        self.scored() + self.missing.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows that are canaries.
    pub fn scored(&self) -> usize {
        self.rows.iter().flatten().count()
    }

    /// Rows that are none.
    pub fn foreign(&self) -> usize {
        self.rows.len() - self.scored()
    }

    /// The canaries of one half of the rows. Those that no row is about come in the order of the draw,
    /// which tells nothing: every second of them is of that half.
    pub fn halved(&self) -> Self {
        Self {
            missing: self.missing.iter().copied().step_by(2).collect(),
            ..self.clone()
        }
    }

    fn all(&self) -> impl Iterator<Item = Canary> + '_ {
        let missing = self.missing.iter().map(|(canary, _)| *canary);
        self.rows.iter().flatten().copied().chain(missing)
    }

    /// How often those were trained on that were so least often: what a claim is held against.
    pub fn lowest(&self) -> u64 {
        let repetitions = self.all().map(|canary| canary.repetitions);
        repetitions.min().unwrap_or(1)
    }

    /// How many of them there are.
    pub fn least_repeated(&self) -> usize {
        let lowest = self.lowest();
        self.all()
            .filter(|canary| canary.repetitions == lowest)
            .count()
    }

    /// The guesses of an attack about some of the canaries; `records` are the rows that count.
    fn guesses(
        &self,
        wanted: Wanted,
        scores: &Scores,
        truth: &Truth,
        records: &[usize],
        seed: u64,
    ) -> CoinGuesses {
        let (mut scored, mut unscored) = (Vec::new(), Vec::new());
        let mut repetitions = None;
        for &row in records {
            let canary = self.rows.get(row).copied().flatten();
            let Some((canary, member)) = canary.zip(truth.is_member(row)) else {
                continue;
            };
            if !wanted(&canary) {
                continue;
            }
            repetitions.get_or_insert(canary.repetitions);
            match scores.answer(row) {
                Ok(score) => scored.push((score, member)),
                Err(_) => unscored.push(member),
            }
        }
        let missing = self.missing.iter().filter(|(canary, _)| wanted(canary));
        unscored.extend(missing.map(|(_, included)| *included));
        let repetitions = repetitions.unwrap_or_else(|| self.lowest());
        CoinGuesses::new(&scored, &unscored, repetitions, Seed(seed))
    }

    /// Lets every bound on ε rest on the coins: on the canaries that were trained on least often, and where a
    /// verdict asks for ε, on those of every tier. Bounds that know nothing of repetition are kept where there
    /// was none.
    pub fn bind(
        &self,
        attacks: &mut [AttackMeasures],
        scores: &[(String, Scores)],
        truth: &Truth,
        records: &[usize],
        options: &Options,
    ) {
        let tiers = self.tiers();
        let lowest = tiers.first().copied().unwrap_or(1);
        for attack in attacks {
            let Some((_, scores)) = scores.iter().find(|(id, _)| *id == attack.id) else {
                continue;
            };
            let of_tier = |repetitions: u64| {
                let wanted = |canary: &Canary| canary.repetitions == repetitions;
                let guesses = self.guesses(&wanted, scores, truth, records, options.seed);
                guesses.of_mechanism(options.mechanism)
            };
            let coins = of_tier(lowest);
            attack.epsilon_lower_bound = coins.epsilon_bound(&options.claim());
            attack.epsilon_bounds = match lowest {
                1 => self.further_bounds(scores, truth, records, options),
                _ => Vec::new(),
            };
            attack.epsilon_cuts.clear();
            attack.coins = Some(coins);
            attack.repeated = tiers.iter().skip(1).map(|&tier| of_tier(tier)).collect();
        }
    }

    /// Other bounds of canaries that were trained on once; the one-run bound of one side is within the
    /// one of both.
    fn further_bounds(
        &self,
        scores: &Scores,
        truth: &Truth,
        records: &[usize],
        options: &Options,
    ) -> Vec<crate::epsilon::EpsilonBound> {
        let once = |row: &usize| {
            let canary = self.rows.get(*row).copied().flatten();
            canary.is_some_and(|canary| canary.repetitions == 1)
        };
        let judged = records.iter().filter(|row| once(row));
        let judged =
            judged.filter_map(|&row| Some((scores.answer(row).ok()?, truth.is_member(row)?)));
        let Some(roc) = Roc::new(judged) else {
            return Vec::new();
        };
        let claim = options.claim();
        let seed = Seed(options.seed);
        let others = other_bounds(&roc, &claim, options.inclusion, seed).into_iter();
        let others = others.filter(|bound| bound.method != "one-run, bonferroni");
        std::iter::once(clopper_pearson::bonferroni(&roc, &claim))
            .chain(others)
            .collect()
    }
}

#[cfg(test)]
mod tests;
