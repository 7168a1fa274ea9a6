//! How often words and documents are called where there is nothing to find: made-up documents
//! whose retrieval never fires, labelled as an audit labels its own, by calibrated thresholds and by
//! fixed ones.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stats::streams::{Rng, Seed, standard_normal, uniform};

use super::attribution::{Attribution, Responses, attribute};
use super::label::Label;
use super::masks::Masks;
use super::rules::Rules;
use super::settling::{Look, looks, settled};

/// How responses come about where retrieval brings nothing.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Null {
    /// The mask means nothing: mean 0.7, standard deviation 0.1, in both arms.
    #[default]
    Flat,
    /// The same with a standard deviation of 0.3, as where answers are now short, now long.
    Noisy,
    /// The model reacts to words, in both arms alike, and noise comes to each.
    Reacting,
    /// The mask means nothing, and responses take three values.
    Tied,
}

/// How an audit asks and labels, as far as chance is concerned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Habits {
    /// The share of words that a copy keeps.
    pub keep: f64,
    /// Calibrated thresholds, at the level of a whole audit of one document.
    pub calibrated: Rules,
    pub fixed: Rules,
    /// Labels are looked at as copies come in, until they settle.
    pub early_stopping: bool,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            keep: 0.5,
            calibrated: Rules::default(),
            fixed: Rules::paper(),
            early_stopping: false,
        }
    }
}

/// Shares of words and documents that were called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NullRates {
    /// Key words of each document.
    pub length: usize,
    pub rows: usize,
    pub documents: usize,
    /// At which the calibrated rules promise to hold.
    pub level: f64,
    pub fixed_retrieved: f64,
    pub fixed_pretrained: f64,
    pub calibrated_retrieved: f64,
    pub calibrated_pretrained: f64,
    pub fixed_document_retrieved: f64,
    pub fixed_document_pretrained: f64,
    pub calibrated_document_retrieved: f64,
    pub calibrated_document_pretrained: f64,
    /// The mean β without retrieval under the published rules: 0 would be right.
    pub fixed_mean_beta: f64,
}

/// Documents of so many key words whose responses do not depend on the mask.
pub fn nulls(length: usize, rows: usize, count: usize, habits: &Habits, seed: Seed) -> NullRates {
    nulls_of(Null::Flat, length, rows, count, habits, seed)
}

/// The same for any kind of null.
pub fn nulls_of(
    kind: Null,
    length: usize,
    rows: usize,
    count: usize,
    habits: &Habits,
    seed: Seed,
) -> NullRates {
    // Labels by fixed thresholds ask no permutations.
    let fixed = Rules {
        permutations: 0,
        ..habits.fixed
    };
    let found: Vec<[Called; 2]> = (0..count as u64)
        .into_par_iter()
        .filter_map(|document| {
            let (masks, on, off) = made_up(kind, length, rows, habits.keep, seed, document);
            let responses = Responses {
                masks: &masks,
                on: &on,
                off: &off,
            };
            let early = habits.early_stopping;
            let of = |rules: Rules| Called::by(&responses, &rules, early, seed, document);
            Some([of(habits.calibrated)?, of(fixed)?])
        })
        .collect();
    let mean = |pick: &dyn Fn(&[Called; 2]) -> f64| {
        found.iter().map(pick).sum::<f64>() / found.len().max(1) as f64
    };
    NullRates {
        length,
        rows,
        documents: found.len(),
        level: habits.calibrated.level,
        fixed_retrieved: mean(&|[_, fixed]| fixed.retrieved),
        fixed_pretrained: mean(&|[_, fixed]| fixed.pretrained),
        calibrated_retrieved: mean(&|[calibrated, _]| calibrated.retrieved),
        calibrated_pretrained: mean(&|[calibrated, _]| calibrated.pretrained),
        fixed_document_retrieved: mean(&|[_, fixed]| fixed.is(Label::Retrieved)),
        fixed_document_pretrained: mean(&|[_, fixed]| fixed.is(Label::Pretrained)),
        calibrated_document_retrieved: mean(&|[calibrated, _]| calibrated.is(Label::Retrieved)),
        calibrated_document_pretrained: mean(&|[calibrated, _]| calibrated.is(Label::Pretrained)),
        fixed_mean_beta: mean(&|[_, fixed]| fixed.mean_beta),
    }
}

/// What one document was called.
struct Called {
    retrieved: f64,
    pretrained: f64,
    document: Label,
    mean_beta: f64,
}

impl Called {
    fn by(
        responses: &Responses,
        rules: &Rules,
        early: bool,
        seed: Seed,
        document: u64,
    ) -> Option<Self> {
        let found = match early {
            true => stopped(responses, rules, seed, document),
            false => attribute(responses, rules, seed, document).ok(),
        }?;
        let words = found.labels.len() as f64;
        let share = |label: Label| {
            found.labels.iter().filter(|found| **found == label).count() as f64 / words
        };
        Some(Self {
            retrieved: share(Label::Retrieved),
            pretrained: share(Label::Pretrained),
            document: found.document.label,
            mean_beta: found.beta_off.iter().sum::<f64>() / words,
        })
    }

    fn is(&self, label: Label) -> f64 {
        f64::from(u8::from(self.document == label))
    }
}

/// The labels at the look that settles them, or at the last.
fn stopped(responses: &Responses, rules: &Rules, seed: Seed, document: u64) -> Option<Attribution> {
    let looks = looks(responses.masks.rows());
    let rules = rules.shared(looks.len());
    let (mut seen, mut last) = (Vec::new(), None);
    for rows in looks {
        let first = Responses {
            on: &responses.on[..rows],
            off: &responses.off[..rows],
            ..*responses
        };
        let Ok(found) = attribute(&first, &rules, seed, document) else {
            continue;
        };
        seen.push(Look::new(rows, &found));
        last = Some(found);
        if settled(&seen) {
            break;
        }
    }
    last
}

type MadeUp = (Masks, Vec<Option<f64>>, Vec<Option<f64>>);

fn made_up(kind: Null, length: usize, rows: usize, keep: f64, seed: Seed, document: u64) -> MadeUp {
    let masks = Masks::draw(rows, length, keep, seed, document);
    let mut rng = seed.numbered("sma nulls", document);
    // What the model makes of each word: one half in all, unevenly.
    let weights: Vec<f64> = (0..length)
        .map(|_| uniform(&mut rng) / length as f64)
        .collect();
    let (mut on, mut off) = (Vec::new(), Vec::new());
    for row in masks.iter() {
        let reaction: f64 = weights
            .iter()
            .zip(row)
            .filter(|(_, kept)| **kept)
            .map(|(w, _)| w)
            .sum();
        for arm in [&mut on, &mut off] {
            arm.push(Some(response(kind, reaction, &mut rng)));
        }
    }
    (masks, on, off)
}

fn response(kind: Null, reaction: f64, rng: &mut impl Rng) -> f64 {
    let noise = 0.1 * standard_normal(rng);
    match kind {
        Null::Flat => 0.7 + noise,
        Null::Noisy => 0.7 + 3.0 * noise,
        Null::Reacting => 0.4 + reaction + noise,
        Null::Tied => 0.5 + 0.1 * (uniform(rng) * 3.0).floor(),
    }
}
