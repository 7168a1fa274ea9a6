//! Scores by a model that learned from other records. The judge does this, because it alone may
//! open the truth: a record is scored by a model that never saw it, and by nothing else.

use std::collections::HashSet;

use attacks::rag::Features;
use attacks::scores::{Abstention, Answer, Scores};
use stats::logistic::fit_logistic_dense;
use stats::streams::{Seed, shuffle};

use crate::Truth;

const FOLDS: usize = 5;
/// Of standardised features; fixed beforehand, never searched for.
const PENALTY: f64 = 5.0;
/// Fewer records of a kind teach nothing.
const FEWEST: usize = 10;

/// Out-of-fold scores: within each fold the share of records below, because two models' scales
/// are not the same.
pub fn cross_fitted(features: &Features, truth: &Truth, seed: Seed) -> Scores {
    let known: Vec<usize> = (0..truth.len())
        .filter(|&place| features.rows[place].is_ok() && truth.is_member(place).is_some())
        .collect();
    let mut answers: Vec<Answer> = features
        .rows
        .iter()
        .map(|row| match row {
            Ok(_) => Err(Abstention::Undefined),
            Err(reason) => Err(*reason),
        })
        .collect();
    for fold in folds(&known, truth, seed) {
        let held: HashSet<usize> = fold.iter().copied().collect();
        let others = known.iter().filter(|place| !held.contains(place));
        let rest: Vec<usize> = others.copied().collect();
        let Some(values) = predict(features, truth, &rest, &fold) else {
            continue;
        };
        for (place, rank) in fold.iter().zip(shares_below(&values)) {
            answers[*place] = Ok(rank);
        }
    }
    let scores: Scores = answers.into_iter().collect();
    scores.by_cross_fitting()
}

/// Members and non-members dealt out in turn, in an order drawn by the seed.
fn folds(known: &[usize], truth: &Truth, seed: Seed) -> Vec<Vec<usize>> {
    let mut folds = vec![Vec::new(); FOLDS];
    for kind in [true, false] {
        let mut places: Vec<usize> = known
            .iter()
            .copied()
            .filter(|&place| truth.is_member(place) == Some(kind))
            .collect();
        if places.len() < FEWEST {
            return Vec::new();
        }
        shuffle(&mut seed.stream("cross-fitting"), &mut places);
        for (turn, place) in places.into_iter().enumerate() {
            folds[turn % FOLDS].push(place);
        }
    }
    folds
}

/// Fits on `rest`, and answers for `fold`.
fn predict(features: &Features, truth: &Truth, rest: &[usize], fold: &[usize]) -> Option<Vec<f64>> {
    let row = |place: usize| features.rows[place].as_deref().unwrap_or_default();
    let scales = scales(rest.iter().map(|&place| row(place)));
    let standardised = |place: usize| -> Vec<f64> {
        let of = |(mean, deviation, column): &(f64, f64, usize)| {
            // A missing value says nothing: it stands at the mean.
            row(place)[*column].map_or(0.0, |value| (value - mean) / deviation)
        };
        std::iter::once(1.0).chain(scales.iter().map(of)).collect()
    };
    let columns = scales.len() + 1;
    let rows: Vec<f64> = rest.iter().flat_map(|&place| standardised(place)).collect();
    let labels: Vec<bool> = rest
        .iter()
        .filter_map(|&place| truth.is_member(place))
        .collect();
    let weights = fit_logistic_dense(&rows, columns, &labels, PENALTY)?;
    let predict = |place: &usize| {
        let row = standardised(*place);
        row.iter().zip(&weights).map(|(x, w)| x * w).sum()
    };
    Some(fold.iter().map(predict).collect())
}

/// Mean and deviation of every column that varies.
fn scales<'a>(rows: impl Iterator<Item = &'a [Option<f64>]>) -> Vec<(f64, f64, usize)> {
    let rows: Vec<&[Option<f64>]> = rows.collect();
    let columns = rows.first().map_or(0, |row| row.len());
    let scale = |column: usize| {
        let values: Vec<f64> = rows.iter().filter_map(|row| row[column]).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (squares / n).sqrt();
        (deviation > 1e-9 * (1.0 + mean.abs())).then_some((mean, deviation, column))
    };
    (0..columns).filter_map(scale).collect()
}

fn shares_below(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let share = |value: &f64| {
        let below = sorted.partition_point(|other| other < value);
        let equal = sorted.partition_point(|other| other <= value) - below;
        (below as f64 + equal as f64 / 2.0) / values.len() as f64
    };
    values.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, measure};
    use stats::streams::standard_normal;

    fn features(run: u64, records: usize, lift: f64) -> Features {
        let mut rng = Seed(3).numbered("features", run);
        let row = |place: usize| {
            let mut values: Vec<Option<f64>> =
                (0..12).map(|_| Some(standard_normal(&mut rng))).collect();
            if place < records / 2 {
                values[3] = values[3].map(|value| value + lift);
            }
            values[7] = Some(1.0);
            if place.is_multiple_of(5) {
                values[5] = None;
            }
            Ok(values)
        };
        Features {
            rows: (0..records).map(row).collect(),
        }
    }

    fn area(scores: &Scores, truth: &Truth) -> crate::measure::Auc {
        let options = Options {
            bootstrap_replicates: 0,
            ..Options::default()
        };
        measure("cross-fitted", scores, truth, &options)
            .unwrap()
            .auc
    }

    #[test]
    fn finds_the_telling_column_and_nothing_else() {
        let truth = Truth::new((0..200).map(|place| place < 100)).unwrap();
        let scores = cross_fitted(&features(0, 200, 2.0), &truth, Seed(1));
        assert!(area(&scores, &truth).value > 0.85);
    }

    #[test]
    fn noise_is_called_a_leak_no_more_often_than_claimed() {
        let truth = Truth::new((0..100).map(|place| place < 50)).unwrap();
        let runs = 200;
        let areas = (0..runs).map(|run| {
            let scores = cross_fitted(&features(run + 1, 100, 0.0), &truth, Seed(run));
            assert!(scores.is_cross_fitted());
            area(&scores, &truth)
        });
        let areas: Vec<_> = areas.collect();
        let outside = areas.iter().filter(|auc| auc.low > 0.5 || auc.high < 0.5);
        // 5% expected: 10 of 200, standard deviation 3.1.
        let outside = outside.count();
        assert!(outside <= 16, "{outside} of {runs}");
        // Why: the variance is twice that of independent scores, which DeLong's is.
        let mean = |of: &dyn Fn(&crate::measure::Auc) -> f64| {
            areas.iter().map(of).sum::<f64>() / runs as f64
        };
        let centre = mean(&|auc| auc.value);
        let varies = mean(&|auc| (auc.value - centre).powi(2));
        let claimed = mean(&|auc| auc.standard_error.unwrap().powi(2));
        let ratio = varies / claimed;
        assert!((0.7..1.3).contains(&ratio), "{ratio}");
    }

    #[test]
    fn missing_rows_keep_their_reason_and_few_documents_teach_nothing() {
        let truth = Truth::new((0..40).map(|place| place < 20)).unwrap();
        let mut rows = features(0, 40, 1.0);
        rows.rows[3] = Err(Abstention::NoAnswer);
        let scores = cross_fitted(&rows, &truth, Seed(1));
        assert_eq!(scores.answer(3), Err(Abstention::NoAnswer));
        assert_eq!(scores.abstained(), 1);
        let few = Truth::new((0..10).map(|place| place < 5)).unwrap();
        assert_eq!(
            cross_fitted(&features(0, 10, 1.0), &few, Seed(1)).abstained(),
            10
        );
    }
}
