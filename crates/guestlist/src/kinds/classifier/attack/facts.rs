//! What the guardrails want to know about the shadow models.

use super::{alike, apart, misplaced, order};
use attacks::signals::membership::MemberRow;
use attacks::signals::shadow::ShadowSignals;
use formats::shadow::ShadowTable;
use judge::Truth;
use judge::guardrails::{Alike, RecordOrder, ShadowFacts};
use rayon::prelude::*;
use stats::roc::Roc;

/// Records looked at for a model's mean φ: enough to compare models, at any size of data.
pub(super) const SAMPLE_RUNS: usize = 64;
pub(super) const SAMPLE_RUN: usize = 64;

/// Of an offline audit, what shadows gain by training is seen on the reference records; and as the target
/// alone trained on audited records, it is compared with shadows on its non-members.
pub fn shadow_facts(
    signals: &ShadowSignals,
    table: &ShadowTable,
    truth: &Truth,
    references: Option<&ShadowSignals>,
) -> ShadowFacts {
    let offline = signals.is_offline();
    let trained = references.unwrap_or(signals);
    let inside = MemberRow::counts(&signals.members, signals.records());
    let shadows = signals.shadows.len();
    let mut sorted = inside.clone();
    sorted.sort_unstable();
    let median_in = sorted[sorted.len() / 2] as usize;
    let right = |sampled: &[Sampled], class: usize| {
        mean_and_deviation(sampled.iter().filter_map(|sampled| sampled.right(class))).0
    };
    let sampled: Vec<Sampled> = (0..shadows)
        .into_par_iter()
        .map(|k| {
            let members = &trained.members[k];
            let class = |record| Some(usize::from(members.get(record)));
            Sampled::new(trained, trained.shadows[k], class)
        })
        .collect();
    let comparable = |record: usize| match offline {
        true => (truth.is_member(record) == Some(false)).then_some(0),
        false => Some(0),
    };
    let mean = |model: usize| Sampled::new(signals, model, comparable).mean();
    let means: Vec<f64> = signals
        .shadows
        .par_iter()
        .map(|&model| mean(model))
        .collect();
    let (shadow_mean, shadow_deviation) = mean_and_deviation(means.into_iter());
    let (training_gain, deviation) = mean_and_deviation(sampled.iter().filter_map(Sampled::gain));
    let of_target = |record| truth.is_member(record).map(usize::from);
    let target_gain = Sampled::new(signals, signals.target, of_target).gain();
    let (followed, misplaced) = misplaced::misplaced(trained);
    let (know_target, outsiders) = apart::by_shadows(signals, truth);
    let training_gain_error = deviation / (shadows as f64).max(1.0).sqrt();
    ShadowFacts {
        shadows,
        records_without_in: inside.iter().filter(|&&count| count == 0).count(),
        records_without_out: inside
            .iter()
            .filter(|&&count| count as usize == shadows)
            .count(),
        median_in,
        median_out: shadows - sorted[(sorted.len() - 1) / 2] as usize,
        saturated_values: table.saturated.values,
        stored_values: table.saturated.total,
        target_mean: mean(signals.target),
        shadow_mean,
        shadow_deviation,
        training_gain,
        training_gain_error,
        training_gain_deviation: deviation,
        target_gain,
        followed,
        misplaced,
        right_inside: right(&sampled, 1),
        right_outside: right(&sampled, 0),
        commonest_class: table.labels.as_deref().and_then(commonest_class),
        alike: alike::groups(
            signals,
            &|one, other| differ(signals, references, table, one, other),
            training_gain > alike::REACTS * training_gain_error,
        )
        .into_iter()
        .map(|group| Alike {
            models: called(table, &group.models),
            ..group
        })
        .collect(),
        order: order::order(signals, truth).map(|order| RecordOrder {
            astray: called(table, &order.astray),
            ..order
        }),
        count_auc: count_auc(&inside, truth),
        know_target,
        outsiders,
        labels: (table.labels.as_deref()).and_then(|labels| apart::by_labels(labels, truth)),
        reference_records: offline.then(|| references.map_or(0, ShadowSignals::records)),
    }
}

/// What models are called.
fn called(table: &ShadowTable, models: &[usize]) -> Vec<usize> {
    models.iter().map(|&model| table.number(model)).collect()
}

/// Nothing where all records are of one class, which anybody names rightly.
fn commonest_class(labels: &[i64]) -> Option<f64> {
    let mut counts = std::collections::BTreeMap::<i64, usize>::new();
    for label in labels {
        *counts.entry(*label).or_default() += 1;
    }
    let most = counts.values().max().filter(|_| counts.len() > 1)?;
    Some(*most as f64 / labels.len() as f64)
}

/// Whether two models trained on different records, audited or reference.
fn differ(
    signals: &ShadowSignals,
    references: Option<&ShadowSignals>,
    table: &ShadowTable,
    one: usize,
    other: usize,
) -> bool {
    let shadow = |model: usize| signals.shadows.iter().position(|&shadow| shadow == model);
    let apart = || {
        let rows = &references?.members;
        Some(rows[shadow(one)?] != rows[shadow(other)?])
    };
    table.members[one] != table.members[other] || apart().unwrap_or(false)
}

/// How well the number of IN shadows alone tells members apart.
fn count_auc(inside: &[u32], truth: &Truth) -> f64 {
    let counted = truth.known();
    let counted = counted.map(|(record, member)| (f64::from(inside[record]), member));
    Roc::new(counted).map_or(0.5, |roc| roc.auc())
}

fn mean_and_deviation(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.collect();
    let n = (values.len() as f64).max(1.0);
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0).max(1.0)).sqrt())
}

/// Sums of a model's φ over runs of records spread evenly over the data, on what it trained on
/// and on the rest.
#[derive(Default)]
struct Sampled {
    sum: [f64; 2],
    right: [f64; 2],
    count: [f64; 2],
}

impl Sampled {
    /// By the class of each record: 1 where the model trained on it, 0 elsewhere, nothing where it does
    /// not count.
    fn new(signals: &ShadowSignals, model: usize, class: impl Fn(usize) -> Option<usize>) -> Self {
        let records = signals.records();
        let step = (records / SAMPLE_RUNS).max(SAMPLE_RUN);
        let mut sampled = Sampled::default();
        let mut values = [0.0; SAMPLE_RUN];
        for first in (0..records).step_by(step) {
            let last = records.min(first + SAMPLE_RUN);
            signals.outputs.mean_phi(model, first..last, &mut values);
            for (record, phi) in (first..last).zip(values) {
                let Some(class) = class(record) else {
                    continue;
                };
                sampled.sum[class] += phi;
                sampled.right[class] += f64::from(u8::from(phi > 0.0));
                sampled.count[class] += 1.0;
            }
        }
        sampled
    }

    fn mean(&self) -> f64 {
        self.sum.iter().sum::<f64>() / self.count.iter().sum::<f64>()
    }

    /// How often φ is above zero, where the model trained or elsewhere.
    fn right(&self, class: usize) -> Option<f64> {
        (self.count[class] > 0.0).then(|| self.right[class] / self.count[class])
    }

    /// Mean φ where the model trained less where it did not; nothing without both.
    fn gain(&self) -> Option<f64> {
        let mean = |class: usize| self.sum[class] / self.count[class];
        (self.count[0] > 0.0 && self.count[1] > 0.0).then(|| mean(1) - mean(0))
    }
}
