//! Attacks on language models by what they make of a text's tokens: one file per attack or
//! family, one line each in [`ATTACKS`].

mod ez;
mod loss;
mod lowercase;
mod min_k;
mod ratio;
mod understudy;
mod wbc;
mod zlib;

use rayon::prelude::*;

pub use understudy::{Taught, teach};

use crate::Attack;
use crate::card::{Access, Card};
use crate::scores::{Abstention, Answer};
use crate::settings::Settings;
use crate::signals::tokens::{Need, TextSignals};
use base::Result;

/// Turns one text's signals into a score. An attack never sees which texts are members.
pub trait TokenAttack: Sync {
    fn card(&self) -> &'static Card;

    /// Called with at least one prediction, and with everything that its card says it needs.
    fn score(&self, text: &TextSignals, settings: &Settings) -> Answer;

    /// The same after a shadow taught it; attacks that do not learn score as ever.
    fn score_taught(&self, text: &TextSignals, settings: &Settings, _: &Taught) -> Answer {
        self.score(text, settings)
    }

    /// Whether a shadow can teach it.
    fn learns(&self) -> bool {
        false
    }
}

/// Every attack on language models, in the order reports list them.
pub static ATTACKS: &[&dyn TokenAttack] = &[
    &loss::Loss,
    &zlib::Zlib,
    &lowercase::Lowercase,
    &ratio::Ratio,
    &min_k::MinK,
    &min_k::MinKPlusPlus,
    &wbc::Wbc,
    &ez::Ez,
    &ez::EzPublished,
    &ez::EzSmoothed,
    &understudy::UnderstudyLm,
];

impl Attack for &'static dyn TokenAttack {
    const ON: &'static str = " on language models";

    fn every() -> &'static [Self] {
        ATTACKS
    }

    fn card(attack: Self) -> &'static Card {
        attack.card()
    }
}

/// The attack of that name.
pub fn find(id: &str) -> Result<&'static dyn TokenAttack> {
    Attack::find(id)
}

/// What each attack says of each text: `answers[attack][text]`.
pub fn run(
    attacks: &[&'static dyn TokenAttack],
    texts: &[TextSignals],
    settings: &Settings,
) -> Vec<Vec<Answer>> {
    run_taught(attacks, texts, settings, None)
}

/// The same, where a shadow may have taught the attacks that learn.
pub fn run_taught(
    attacks: &[&'static dyn TokenAttack],
    texts: &[TextSignals],
    settings: &Settings,
    taught: Option<&Taught>,
) -> Vec<Vec<Answer>> {
    let judge = |attack: &&'static dyn TokenAttack| {
        texts
            .par_iter()
            .map(|text| answer_taught(*attack, text, settings, taught))
            .collect()
    };
    attacks.par_iter().map(judge).collect()
}

/// One attack on one text; an abstention where the text lacks what the attack needs.
pub fn answer(attack: &dyn TokenAttack, text: &TextSignals, settings: &Settings) -> Answer {
    answer_taught(attack, text, settings, None)
}

fn answer_taught(
    attack: &dyn TokenAttack,
    text: &TextSignals,
    settings: &Settings,
    taught: Option<&Taught>,
) -> Answer {
    if text.logprob.is_empty() {
        return Err(Abstention::NoPrediction);
    }
    if let Access::Tokens(needs) = attack.card().access {
        for need in needs {
            check(*need, text)?;
        }
    }
    let score = match taught {
        Some(taught) => attack.score_taught(text, settings, taught),
        None => attack.score(text, settings),
    };
    match score? {
        score if score.is_nan() => Err(Abstention::Undefined),
        score => Ok(score),
    }
}

fn check(need: Need, text: &TextSignals) -> Result<(), Abstention> {
    let (there, missing) = match need {
        Need::Text => (text.text.is_some(), Abstention::NoText),
        Need::Ranks => (text.rank.is_some(), Abstention::NoRank),
        Need::Moments => (
            text.mean.is_some() && text.variance.is_some(),
            Abstention::NoMoments,
        ),
        Need::Reference => (text.reference.is_some(), Abstention::NoReference),
        Need::Lowercase => (
            text.lowercase.as_ref().is_some_and(|list| !list.is_empty()),
            Abstention::NoLowercase,
        ),
    };
    there.then_some(()).ok_or(missing)
}

/// A list that the card asked for and [`check`] has seen.
fn given<T>(list: &Option<Vec<T>>) -> &[T] {
    list.as_deref().unwrap_or_default()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests;
