//! Few-shot attacks: of a handful of records the membership is known, of the others it is asked.
//! One file per attack, one line each in [`ATTACKS`].
//!
//! Jiménez-López et al., "Membership Inference Attacks fueled by Few-Shot Learning to detect
//! privacy leakage tackling data integrity" (FeS-MIA), take three few-shot classifiers as attacks.
//! An attack sees the labels of its support and validation records, which an attacker has, and
//! never those of the records asked about: they are not in [`Task`].

mod laplacian;
mod ls;
mod prototypes;
mod ss;
mod tt;

use std::fmt;

use crate::Attack;
use crate::card::Card;
use crate::settings::Settings;
pub use crate::signals::episodes::Features;
use base::{Error, Result};

/// A record whose membership the attacker knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labelled {
    pub row: usize,
    pub member: bool,
}

/// One episode as an attacker sees it.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    features: &'a Features,
    support: &'a [Labelled],
    validation: &'a [Labelled],
    asked: &'a [usize],
    centre: &'a [f64],
    model: Option<&'a dyn WhiteBox>,
}

impl<'a> Task<'a> {
    /// `support` holds both kinds of record; `validation` may be empty; the rows `asked` about
    /// are scored together; `centre` is the vector that centring takes off.
    pub fn new(
        features: &'a Features,
        support: &'a [Labelled],
        validation: &'a [Labelled],
        asked: &'a [usize],
        centre: &'a [f64],
    ) -> Result<Self> {
        let known = support.iter().chain(validation).map(|one| one.row);
        check_rows(known.chain(asked.iter().copied()), features.records())?;
        if centre.len() != features.width() {
            return Err(Error::setting(
                format!(
                    "the centre has {} values, a record {}",
                    centre.len(),
                    features.width()
                ),
                "give the mean of the same features",
            ));
        }
        for (member, name) in [(true, "member"), (false, "non-member")] {
            if !support.iter().any(|one| one.member == member) {
                return Err(Error::missing_access(
                    format!("no {name} among {} known records", support.len()),
                    "a few-shot attack needs at least one known record of each kind",
                ));
            }
        }
        Ok(Self {
            features,
            support,
            validation,
            asked,
            centre,
            model: None,
        })
    }

    /// With the audited model itself, for attacks that can use its weights.
    pub fn with_model(self, model: Option<&'a dyn WhiteBox>) -> Self {
        Self { model, ..self }
    }
}

fn check_rows(mut rows: impl Iterator<Item = usize>, records: usize) -> Result<()> {
    let wrong = rows.find(|&row| row >= records);
    wrong.map_or(Ok(()), |row| {
        Err(Error::setting(
            format!("row {row} named, but there are {records} records"),
            "rows are numbered from 0",
        ))
    })
}

/// One choice of an attack's hyper-parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub values: Vec<(&'static str, f64)>,
}

impl fmt::Display for Candidate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, value)) in self.values.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            write!(out, "{comma}{name} = {value}")?;
        }
        Ok(())
    }
}

/// A few-shot attack.
pub trait EpisodeAttack: Sync {
    fn card(&self) -> &'static Card;

    /// The hyper-parameters to choose from with so many known records of each kind, in the order
    /// of the published code.
    fn candidates(&self, shots: usize, settings: &Settings) -> Vec<Candidate>;

    /// Learns what does not depend on who is asked.
    fn fit(&self, task: &Task, settings: &Settings) -> Result<Box<dyn Fitted>>;

    /// Whether it trains a model for every episode, so that a run costs much.
    fn trains(&self) -> bool {
        false
    }
}

/// An attack that knows its support. Every score is P(member), from 0 to 1.
pub trait Fitted {
    /// One score per validation record under the candidate of that number.
    fn validation(&self, candidate: usize) -> Vec<f64>;

    /// One score per record asked about.
    fn asked(&self, candidate: usize) -> Vec<f64>;
}

/// A model whose weights can be tuned. Rows are those of the features.
pub trait WhiteBox: Sync {
    /// Fine-tunes the model under a fresh two-way head, once per temperature, always from the
    /// same weights; one answer per temperature.
    fn fine_tune(&self, lesson: &Lesson) -> Result<Vec<Tuned>>;
}

/// What a model is fine-tuned on.
#[derive(Clone, Copy, Debug)]
pub struct Lesson<'a> {
    pub support: &'a [Labelled],
    /// For early stopping only.
    pub validation: &'a [Labelled],
    /// Unlabelled: their entropy is lowered.
    pub asked: &'a [usize],
    pub temperatures: &'a [f64],
    pub recipe: &'a stats::head::Recipe,
}

/// P(member) at temperature 1 after fine-tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    pub validation: Vec<f64>,
    pub asked: Vec<f64>,
}

/// Every few-shot attack, in the order reports list them.
pub static ATTACKS: &[&dyn EpisodeAttack] =
    &[&ss::SimpleShot, &ls::LaplacianShot, &tt::TransductiveTuning];

impl Attack for &'static dyn EpisodeAttack {
    const ON: &'static str = " by few shots";

    fn every() -> &'static [Self] {
        ATTACKS
    }

    fn card(attack: Self) -> &'static Card {
        attack.card()
    }
}

/// The attack of that name.
pub fn find(id: &str) -> Result<&'static dyn EpisodeAttack> {
    Attack::find(id)
}

#[cfg(test)]
mod tests;
