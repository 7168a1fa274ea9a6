//! One parallel look at every stored number: is it finite, and how many sit at the edges?

use std::ops::Range;

use attacks::signals::shadow::{Meaning, ModelOutputs, Rescale};
use rayon::prelude::*;
use stats::widest;

use super::classes::SUM_TOLERANCE;
use super::table::Saturation;

/// Numbers looked at together; they fit the nearest cache.
const BLOCK: usize = 2048;
/// Records per task where a record's models lie side by side.
const STRIDED_TASK: usize = 256;
/// Records per task where a model's records lie side by side.
const CONTIGUOUS_TASK: usize = 1 << 16;

/// What the look found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    smallest: Edge,
    largest: Edge,
    values: u64,
    culprit: Option<Culprit>,
}

/// A number that cannot be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Culprit {
    pub(crate) model: usize,
    pub(crate) record: usize,
    pub(crate) augmentation: usize,
    pub(crate) class: usize,
    pub(crate) value: f64,
}

/// An extreme value and how often it was seen.
#[derive(Clone, Copy, Debug)]
struct Edge {
    value: f64,
    count: u64,
}

impl Edge {
    fn merge(self, other: Self, beats: impl Fn(f64, f64) -> bool) -> Self {
        if self.value == other.value {
            let count = self.count + other.count;
            Self { count, ..self }
        } else if beats(self.value, other.value) {
            self
        } else {
            other
        }
    }
}

impl Facts {
    const NONE: Facts = Facts {
        smallest: Edge {
            value: f64::INFINITY,
            count: 0,
        },
        largest: Edge {
            value: f64::NEG_INFINITY,
            count: 0,
        },
        values: 0,
        culprit: None,
    };

    fn merge(self, other: Self) -> Self {
        let first = match (self.culprit, other.culprit) {
            (Some(a), Some(b)) if b.position() < a.position() => Some(b),
            (a, b) => a.or(b),
        };
        Self {
            smallest: self.smallest.merge(other.smallest, |a, b| a < b),
            largest: self.largest.merge(other.largest, |a, b| a > b),
            values: self.values + other.values,
            culprit: first,
        }
    }

    pub(crate) fn culprit(&self) -> Option<Culprit> {
        self.culprit
    }

    /// Ties at the edges. An edge that one value reaches alone is no sign of anything.
    pub(crate) fn saturation(&self) -> Saturation {
        let tied = |edge: Edge| if edge.count > 1 { edge.count } else { 0 };
        let values = match self.smallest.value == self.largest.value {
            true => tied(self.smallest),
            false => tied(self.smallest) + tied(self.largest),
        };
        Saturation {
            values,
            total: self.values,
        }
    }

    /// How often the largest value was exactly this.
    pub(crate) fn largest_at(&self, value: f64) -> u64 {
        (self.largest.value == value) as u64 * self.largest.count
    }

    /// How often the smallest value was exactly this.
    pub(crate) fn smallest_at(&self, value: f64) -> u64 {
        (self.smallest.value == value) as u64 * self.smallest.count
    }
}

impl Culprit {
    fn position(&self) -> [usize; 4] {
        [self.model, self.record, self.augmentation, self.class]
    }
}

/// Looks at every number. The facts are the same for any number of threads.
pub(crate) fn scan(outputs: &ModelOutputs) -> Facts {
    let tasks = tasks(outputs);
    let look = |(models, records): &(Range<usize>, Range<usize>)| {
        models
            .clone()
            .map(|model| scan_model(outputs, model, records.clone()))
            .fold(Facts::NONE, Facts::merge)
    };
    tasks
        .par_iter()
        .map(look)
        .reduce(|| Facts::NONE, Facts::merge)
}

/// Cuts the work so that each task walks through memory that lies together.
fn tasks(outputs: &ModelOutputs) -> Vec<(Range<usize>, Range<usize>)> {
    let (models, records) = (outputs.planes.len(), outputs.records);
    let (models_each, records_each) = match models_lie_apart(outputs) {
        true => (1, CONTIGUOUS_TASK),
        false => (models, STRIDED_TASK),
    };
    let cut = |all: usize, each: usize| {
        (0..all)
            .step_by(each)
            .map(move |first| first..all.min(first + each))
    };
    cut(models, models_each)
        .flat_map(|models| cut(records, records_each).map(move |records| (models.clone(), records)))
        .collect()
}

fn models_lie_apart(outputs: &ModelOutputs) -> bool {
    let plane = &outputs.planes[0];
    let per_record = outputs.augmentations * classes(outputs) * plane.number.size();
    plane.record_stride == per_record
}

fn classes(outputs: &ModelOutputs) -> usize {
    match outputs.meaning {
        Meaning::Logits { classes, .. } | Meaning::Probabilities { classes, .. } => classes,
        Meaning::Phi | Meaning::Probability => 1,
    }
}

fn scan_model(outputs: &ModelOutputs, model: usize, records: Range<usize>) -> Facts {
    let mut numbers = [0.0; BLOCK];
    let mut facts = Facts::NONE;
    for first in records.clone().step_by(BLOCK) {
        let block = first..records.end.min(first + BLOCK);
        for augmentation in 0..outputs.augmentations {
            for class in 0..classes(outputs) {
                let numbers = &mut numbers[..block.len()];
                outputs.planes[model].read(block.clone(), augmentation, class, numbers);
                let mut seen = look(numbers, &outputs.meaning);
                if let Some(culprit) = &mut seen.culprit {
                    culprit.record += first;
                    (culprit.model, culprit.augmentation, culprit.class) =
                        (model, augmentation, class);
                }
                facts = facts.merge(seen);
            }
            if matches!(outputs.meaning, Meaning::Probabilities { .. }) {
                // Zeros of classes that nobody asks about are no sign of anything; edges of φ are.
                let numbers = &mut numbers[..block.len()];
                outputs.phi(model, block.clone(), augmentation, Rescale::Exact, numbers);
                facts = facts.merge(edges(numbers));
            }
        }
    }
    facts
}

fn look(numbers: &[f64], meaning: &Meaning) -> Facts {
    let refused = match meaning {
        Meaning::Probability => first_refused(numbers, |x| (0.0..=1.0).contains(&x)),
        // Rounding may lift one a little above 1; whether they add up is looked at apart.
        Meaning::Probabilities { .. } => {
            first_refused(numbers, |x| (0.0..=1.0 + SUM_TOLERANCE).contains(&x))
        }
        Meaning::Phi | Meaning::Logits { .. } if all_finite(numbers) => None,
        Meaning::Phi | Meaning::Logits { .. } => first_refused(numbers, f64::is_finite),
    };
    if let Some(record) = refused {
        return bad_value(record, numbers[record]);
    }
    match meaning {
        Meaning::Logits { .. } | Meaning::Probabilities { .. } => Facts::NONE,
        Meaning::Phi | Meaning::Probability => edges(numbers),
    }
}

/// All at once first: a search that may stop anywhere is slow.
fn first_refused(numbers: &[f64], allowed: impl Fn(f64) -> bool) -> Option<usize> {
    let all = numbers.iter().fold(true, |all, &x| all & allowed(x));
    match all {
        true => None,
        false => numbers.iter().position(|&x| !allowed(x)),
    }
}

fn bad_value(record: usize, value: f64) -> Facts {
    let culprit = Culprit {
        model: 0,
        record,
        augmentation: 0,
        class: 0,
        value,
    };
    Facts {
        culprit: Some(culprit),
        ..Facts::NONE
    }
}

fn edges(numbers: &[f64]) -> Facts {
    let (smallest, largest) = extremes(numbers);
    Facts {
        smallest,
        largest,
        values: numbers.len() as u64,
        culprit: None,
    }
}

widest! {
    /// The smallest and the largest number, each with how often it comes. Eight at a time, so that no number
    /// waits for the one before it.
    fn extremes(numbers: &[f64]) -> (Edge, Edge) {
        const LANES: usize = 8;
        let least = |best: f64, x: f64| if x < best { x } else { best };
        let most = |best: f64, x: f64| if x > best { x } else { best };
        let (eights, rest) = numbers.as_chunks::<LANES>();
        let (mut smallest, mut largest) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        for eight in eights {
            for i in 0..LANES {
                smallest[i] = least(smallest[i], eight[i]);
                largest[i] = most(largest[i], eight[i]);
            }
        }
        let smallest = smallest.iter().chain(rest).copied().fold(f64::INFINITY, least);
        let largest = largest.iter().chain(rest).copied().fold(f64::NEG_INFINITY, most);
        let (mut at_smallest, mut at_largest) = (0, 0);
        for &x in numbers {
            at_smallest += u64::from(x == smallest);
            at_largest += u64::from(x == largest);
        }
        let edge = |value: f64, count: u64| Edge { value, count };
        (edge(smallest, at_smallest), edge(largest, at_largest))
    }
}

widest! {
    fn all_finite(numbers: &[f64]) -> bool {
        numbers.iter().fold(true, |all, &x| all & x.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_looks_at_all_numbers_at_once_are_those_at_each() {
        for length in [0, 1, 7, 8, 9, 2048] {
            let numbers: Vec<f64> = (0..length)
                .map(|i| f64::from(i * 37 % 101) - 50.0)
                .collect();
            let times = |value: f64| numbers.iter().filter(|x| **x == value).count() as u64;
            let (smallest, largest) = extremes(&numbers);
            let slow = numbers.iter().copied().fold(f64::INFINITY, f64::min);
            assert_eq!((smallest.value, smallest.count), (slow, times(slow)));
            let slow = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert_eq!((largest.value, largest.count), (slow, times(slow)));
            assert_eq!(first_refused(&numbers, f64::is_finite), None);
            assert!(all_finite(&numbers));
        }
        let mut numbers = [0.5; 40];
        (numbers[17], numbers[30]) = (f64::NAN, f64::INFINITY);
        assert_eq!(first_refused(&numbers, f64::is_finite), Some(17));
        assert!(!all_finite(&numbers) && !all_finite(&numbers[18..]) && all_finite(&numbers[31..]));
        let chance = |x: f64| (0.0..=1.0).contains(&x);
        assert_eq!(first_refused(&numbers[18..], chance), Some(12));
    }

    #[test]
    fn ties_at_the_edges_are_counted_once_each() {
        let saturation = |numbers: &[f64]| edges(numbers).saturation().values;
        assert_eq!(saturation(&[1.0, 2.0, 3.0]), 0);
        assert_eq!(saturation(&[1.0, 2.0, 3.0, 3.0]), 2);
        assert_eq!(saturation(&[0.0, -0.0, 3.0, 3.0]), 4);
        assert_eq!(saturation(&[5.0, 5.0]), 2);
        let merged = edges(&[1.0, 3.0]).merge(edges(&[3.0, 2.0]));
        assert_eq!(
            merged.saturation(),
            Saturation {
                values: 2,
                total: 4
            }
        );
    }
}
