//! What the guardrails want to know about the shadow models. None of it needs the truth.

use attacks::signals::shadow::{Rescale, ShadowSignals};
use collect::shadow::ShadowTable;
use judge::guardrails::ShadowFacts;

/// Records looked at for a model's mean φ: enough to compare models, at any size of data.
const SAMPLE_RUNS: usize = 64;
const SAMPLE_RUN: usize = 64;

pub fn of(signals: &ShadowSignals, table: &ShadowTable) -> ShadowFacts {
    let inside = in_counts(signals);
    let shadows = signals.shadows.len();
    let mut sorted = inside.clone();
    sorted.sort_unstable();
    let median_in = sorted[sorted.len() / 2] as usize;
    let means: Vec<f64> = signals
        .shadows
        .iter()
        .map(|&model| mean_phi(signals, model))
        .collect();
    let shadow_mean = means.iter().sum::<f64>() / shadows as f64;
    let squares: f64 = means.iter().map(|mean| (mean - shadow_mean).powi(2)).sum();
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
        target_mean: mean_phi(signals, signals.target),
        shadow_mean,
        shadow_deviation: (squares / (shadows as f64 - 1.0).max(1.0)).sqrt(),
    }
}

/// How many shadows trained on each record.
fn in_counts(signals: &ShadowSignals) -> Vec<u32> {
    let mut counts = vec![0; signals.records()];
    for row in &signals.members {
        for (record, count) in counts.iter_mut().enumerate() {
            *count += u32::from(row.get(record));
        }
    }
    counts
}

/// A model's mean φ over runs of records spread evenly over the data.
fn mean_phi(signals: &ShadowSignals, model: usize) -> f64 {
    let records = signals.records();
    let step = (records / SAMPLE_RUNS).max(SAMPLE_RUN);
    let (mut sum, mut count) = (0.0, 0);
    let mut values = [0.0; SAMPLE_RUN];
    for first in (0..records).step_by(step) {
        let last = records.min(first + SAMPLE_RUN);
        signals
            .outputs
            .phi(model, first..last, 0, Rescale::Exact, &mut values);
        sum += values[..last - first].iter().sum::<f64>();
        count += last - first;
    }
    sum / count as f64
}
