//! The regression of responses on masks with and without retrieval, and the labels it gives.
//!
//! β_off says what keeping a word does to the answer of the model alone, β_on with retrieval, and
//! ADS = β_on − β_off what retrieval adds; by linearity it is the regression of the difference of
//! the two responses. A word is pretrained where β_off reaches τ; else non-member where ADS stays
//! within its band; else retrieved.
//!
//! Calibrated thresholds are quantiles over permutations (see [`super::permuted`]). A whole
//! document is called by its totals Σβ_off and Σ ADS and their permutation p-values, because a sum
//! over many words shows what no single word does. Fixed thresholds have no such test: there the
//! document is what most of its words are.

use serde::{Deserialize, Serialize};
use stats::ridge::Intercept;
use stats::ridge_operator::RidgeOperator;
use stats::streams::Seed;

use super::label::Label;
use super::masks::Masks;
use super::permuted::{Permuted, Totals};
use super::rules::{MIN_ROWS, Rules, Thresholds};
use crate::scores::Abstention;

/// Responses by row of the masks, with retrieval and without; nothing where no answer came.
#[derive(Clone, Copy, Debug)]
pub struct Responses<'a> {
    pub masks: &'a Masks,
    pub on: &'a [Option<f64>],
    pub off: &'a [Option<f64>],
}

/// What the regressions say about one document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Attribution {
    pub beta_on: Vec<f64>,
    pub beta_off: Vec<f64>,
    pub ads: Vec<f64>,
    /// One per key word.
    pub labels: Vec<Label>,
    /// The thresholds in force.
    pub tau: f64,
    pub band: f64,
    pub document: DocumentCall,
    /// Rows that were answered in both arms.
    pub rows: usize,
}

/// What the document's totals say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DocumentCall {
    pub label: Label,
    /// Σβ_off and Σ ADS.
    pub off: f64,
    pub ads: f64,
    /// By permutation: one-sided, and two-sided.
    pub off_p: f64,
    pub ads_p: f64,
    /// In standard deviations over all permutations, from their mean.
    pub off_z: f64,
    pub ads_z: f64,
}

/// Labels the words of one document, and the document. Only rows answered in both arms count;
/// `document` numbers the draws.
pub fn attribute(
    responses: &Responses,
    rules: &Rules,
    seed: Seed,
    document: u64,
) -> Result<Attribution, Abstention> {
    let columns = responses.masks.columns();
    if columns == 0 {
        return Err(Abstention::NoQuestion);
    }
    let paired = Paired::new(responses, rules.intercept);
    if paired.off.len() < MIN_ROWS {
        return Err(Abstention::TooFewAnswers);
    }
    let intercept = match rules.intercept {
        true => Intercept::Free,
        false => Intercept::None,
    };
    let operator = RidgeOperator::new(&paired.kept, columns, rules.penalty, intercept)
        .ok_or(Abstention::Undefined)?;
    let beta_off: Vec<f64> = operator.weights(&paired.off).collect();
    let ads: Vec<f64> = operator.weights(&paired.difference).collect();
    let mut permuted = Permuted::draw(
        &operator,
        &paired.off,
        &paired.difference,
        rules,
        seed,
        document,
    );
    let (tau, band) = match rules.thresholds {
        Thresholds::Calibrated => permuted.thresholds(rules.level),
        Thresholds::Fixed { tau, band } => (tau, band),
    };
    let calibrated = rules.thresholds == Thresholds::Calibrated;
    let label = |(off, ads): (&f64, &f64)| {
        // The least value that chance reaches too often is itself not beyond chance.
        let known = if calibrated { *off > tau } else { *off >= tau };
        called(known && *off > 0.0, ads.abs() > band)
    };
    let labels: Vec<Label> = beta_off.iter().zip(&ads).map(label).collect();
    let document = match calibrated {
        true => called(permuted.off.p <= rules.level, permuted.ads.p <= rules.level),
        false => most_frequent(&labels),
    };
    Ok(Attribution {
        beta_on: beta_off
            .iter()
            .zip(&ads)
            .map(|(off, ads)| off + ads)
            .collect(),
        document: document_call(document, &permuted.off, &permuted.ads),
        rows: paired.off.len(),
        beta_off,
        ads,
        labels,
        tau,
        band,
    })
}

fn called(known: bool, brought: bool) -> Label {
    match (known, brought) {
        (true, _) => Label::Pretrained,
        (false, true) => Label::Retrieved,
        (false, false) => Label::NonMember,
    }
}

fn document_call(label: Label, off: &Totals, ads: &Totals) -> DocumentCall {
    DocumentCall {
        label,
        off: off.total,
        ads: ads.total,
        off_p: off.p,
        ads_p: ads.p,
        off_z: off.z,
        ads_z: ads.z,
    }
}

/// The label most words have; with a tie at the top, non-member.
pub fn most_frequent(labels: &[Label]) -> Label {
    let count = |label: Label| labels.iter().filter(|found| **found == label).count();
    let most = Label::ALL.map(count).into_iter().max().unwrap_or(0);
    let mut top = Label::ALL.into_iter().filter(|label| count(*label) == most);
    match (top.next(), top.next()) {
        (Some(label), None) => label,
        _ => Label::NonMember,
    }
}

/// The rows that were answered in both arms.
struct Paired {
    /// Row-major, 1 for a word that was kept.
    kept: Vec<f64>,
    off: Vec<f64>,
    /// With retrieval less without.
    difference: Vec<f64>,
}

impl Paired {
    fn new(responses: &Responses, centre: bool) -> Self {
        let mut paired = Self {
            kept: Vec::new(),
            off: Vec::new(),
            difference: Vec::new(),
        };
        let finite = |value: &Option<f64>| value.filter(|value| value.is_finite());
        let arms = responses.on.iter().zip(responses.off);
        for (row, (on, off)) in responses.masks.iter().zip(arms) {
            if let (Some(on), Some(off)) = (finite(on), finite(off)) {
                paired
                    .kept
                    .extend(row.iter().map(|kept| f64::from(u8::from(*kept))));
                paired.off.push(off);
                paired.difference.push(on - off);
            }
        }
        if centre {
            centred(&mut paired.off);
            centred(&mut paired.difference);
        }
        paired
    }
}

/// Less their mean. What differs by rounding alone becomes 0, so that no threshold is ever held
/// against the last digits of a constant.
fn centred(values: &mut [f64]) {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let size = values
        .iter()
        .fold(0.0_f64, |size, value| size.max(value.abs()));
    values.iter_mut().for_each(|value| *value -= mean);
    if values.iter().all(|value| value.abs() <= 1e-12 * size) {
        values.fill(0.0);
    }
}
