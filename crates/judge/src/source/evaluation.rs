//! Accuracy and macro F1 with their intervals.

use attacks::source::Label;
use serde::{Deserialize, Serialize};
use stats::beta::{clopper_pearson_lower, clopper_pearson_upper};
use stats::streams::{Rng, Seed, below};

use super::chance::{Chance, chance};
use super::confusion::{self, ClassMeasures, Confusion, confusion, macro_f1};
use crate::Error;
use crate::measure::bootstrap::percentile_interval;

const REPLICATES: usize = 1_999;

/// How well the sources of some items were told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Evaluation {
    pub n: u64,
    /// Rows truth, columns called: pretrained, retrieved, non-member.
    pub confusion: Confusion,
    pub accuracy: Accuracy,
    pub macro_f1: MacroF1,
    pub per_class: [ClassMeasures; 3],
    pub chance: Chance,
}

/// The share of items called what they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Accuracy {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub method: String,
    pub confidence: f64,
}

/// The mean over sources of F1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MacroF1 {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub method: String,
    pub confidence: f64,
    /// The sources it is the mean over: those that the truth has.
    pub classes: Vec<Label>,
}

/// Refused where there is nothing to judge, or not one label for each truth.
pub fn evaluate(
    truth: &[Label],
    called: &[Label],
    confidence: f64,
    seed: Seed,
) -> Result<Evaluation, Error> {
    if truth.is_empty() || truth.len() != called.len() {
        return Err(Error::input(
            format!("{} true sources and {} labels", truth.len(), called.len()),
            "judge items whose source is known and that have a label, one for one",
        ));
    }
    let table = confusion(truth, called);
    Ok(Evaluation {
        n: truth.len() as u64,
        confusion: table,
        accuracy: accuracy(&table, truth.len() as u64, confidence),
        macro_f1: bootstrapped(&table, confidence, seed),
        per_class: confusion::classes(&table),
        chance: chance(truth, called, &table, seed),
    })
}

fn accuracy(table: &Confusion, n: u64, confidence: f64) -> Accuracy {
    let right = confusion::right(table);
    let side = (1.0 - confidence) / 2.0;
    Accuracy {
        value: right as f64 / n as f64,
        low: clopper_pearson_lower(right, n, side),
        high: clopper_pearson_upper(right, n, side),
        method: "clopper-pearson".into(),
        confidence,
    }
}

/// Items are drawn anew within each true source. At an edge, where all items of a source are
/// called alike, its draws are all alike too and the interval is too narrow; the method says so.
fn bootstrapped(table: &Confusion, confidence: f64, seed: Seed) -> MacroF1 {
    let replicate = |index: usize| {
        let mut rng = seed.numbered("source bootstrap", index as u64);
        macro_f1(&table.map(|row| redrawn(row, &mut rng)))
    };
    let interval = percentile_interval((0..REPLICATES).map(replicate).collect(), confidence);
    let sure = |row: &[u64; 3]| row.iter().filter(|count| **count > 0).count() == 1;
    let edge = match table.iter().any(sure) {
        true => "; too narrow, because all items of a source were called alike",
        false => "",
    };
    let truth = confusion::true_counts(table);
    let present = |label: &Label| truth[label.place()] > 0;
    MacroF1 {
        value: macro_f1(table),
        low: interval.low,
        high: interval.high,
        method: format!("bootstrap within each source, percentile{edge}"),
        confidence,
        classes: Label::ALL.into_iter().filter(present).collect(),
    }
}

/// As many items as the row has, each drawn from it with replacement.
fn redrawn(row: [u64; 3], rng: &mut impl Rng) -> [u64; 3] {
    let total: u64 = row.iter().sum();
    let mut drawn = [0; 3];
    for _ in 0..total {
        let item = u64::from(below(rng, total as u32));
        let class = usize::from(item >= row[0]) + usize::from(item >= row[0] + row[1]);
        drawn[class] += 1;
    }
    drawn
}
