//! Whether the values of a record's classes are probabilities: none below zero, one in sum.

use attacks::signals::shadow::ModelOutputs;
use rayon::prelude::*;

/// Probabilities of a record may miss 1 by this much in sum.
pub const SUM_TOLERANCE: f64 = 1e-2;
/// What nobody calls probabilities must miss 1 by more than this for every class: as much as rounding
/// to two decimals does.
const TAKEN_FOR_ONE: f64 = 5.1e-3;
/// Records of each model that are looked at to tell logits from probabilities.
const SAMPLE: usize = 64;
/// Fewer rows than this may look like probabilities by chance.
const ENOUGH: usize = 8;

/// A record whose probabilities do not add up to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OddSum {
    pub(crate) model: usize,
    pub(crate) record: usize,
    pub(crate) sum: f64,
}

/// The first record of the first model whose probabilities do not add up to one.
pub(crate) fn first_odd_sum(outputs: &ModelOutputs, classes: usize) -> Option<OddSum> {
    let of_model = |model: usize| {
        let mut row = vec![0.0; classes];
        let mut rows = (0..outputs.records)
            .flat_map(|record| (0..outputs.augmentations).map(move |which| (record, which)));
        rows.find_map(|(record, augmentation)| {
            outputs.planes[model].read_classes(record, augmentation, &mut row);
            let sum: f64 = row.iter().sum();
            let odd = OddSum { model, record, sum };
            ((sum - 1.0).abs() > SUM_TOLERANCE).then_some(odd)
        })
    };
    let models = (0..outputs.planes.len()).into_par_iter();
    models.find_map_first(of_model)
}

/// What numbers that are called logits turn out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// Of all classes, or of class 1 alone.
    Probabilities,
    /// Of each class against the rest: between 0 and 1, and not one in sum.
    OneAgainstRest,
}

/// Whether what is called logits are probabilities.
pub(crate) fn taken(outputs: &ModelOutputs, classes: usize) -> Option<Taken> {
    if all_rows(outputs, classes, is_probable) {
        return Some(Taken::Probabilities);
    }
    all_rows(outputs, classes, is_within).then_some(Taken::OneAgainstRest)
}

fn all_rows(outputs: &ModelOutputs, classes: usize, fits: fn(&[f64]) -> bool) -> bool {
    let models = outputs.planes.len();
    let sampled = SAMPLE.min(outputs.records);
    let step = outputs.records / sampled.max(1);
    let probable = |model: usize| {
        let mut row = vec![0.0; classes];
        (0..sampled).all(|place| {
            outputs.planes[model].read_classes(place * step, 0, &mut row);
            fits(&row)
        })
    };
    models * sampled >= ENOUGH && (0..models).into_par_iter().all(probable)
}

fn is_within(row: &[f64]) -> bool {
    row.iter().all(|value| (0.0..=1.0).contains(value))
}

fn is_probable(row: &[f64]) -> bool {
    let sum: f64 = row.iter().sum();
    is_within(row) && (row.len() == 1 || (sum - 1.0).abs() <= TAKEN_FOR_ONE * row.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logits_and_their_logarithms_are_no_probabilities() {
        assert!(is_probable(&[0.25, 0.75]));
        assert!(is_probable(&[0.9]));
        assert!(!is_probable(&[0.25f64.ln(), 0.75f64.ln()]));
        assert!(!is_probable(&[0.5, 0.25]));
        assert!(!is_probable(&[2.0, -1.0]));
        assert!(!is_probable(&[1.5]));
        assert!(is_within(&[0.9, 0.8, 0.1]) && !is_within(&[0.9, -0.1]));
    }
}
