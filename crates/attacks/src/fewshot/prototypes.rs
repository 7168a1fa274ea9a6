//! Points that few-shot attacks measure distances to, and what is done to features before.

use super::{Labelled, Task};
use crate::settings::{Kind, Setting, Settings};

/// A norm below this counts as this (as in the published code), so that an empty vector stays one.
const LEAST_NORM: f64 = 1e-6;

pub(super) static NORMALISE: Setting = Setting {
    key: "fes.normalise",
    kind: Kind::Choice {
        default: "cl2n",
        choices: &["cl2n", "l2", "none", "as-coded"],
    },
    help: "what fes-ss and fes-ls do to features: cl2n takes off the mean and divides by the \
           length, l2 only divides, none leaves them, as-coded repeats the published code (fes-ss: \
           known records as they are and the others cl2n; fes-ls: none)",
};

/// What is done to one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Normalise {
    CentredLength,
    Length,
    Nothing,
}

/// The choice in force for known records and for the others; `as_coded` is the attack's own.
pub(super) fn chosen(settings: &Settings, as_coded: [Normalise; 2]) -> [Normalise; 2] {
    match settings.choice(&NORMALISE) {
        "as-coded" => as_coded,
        "l2" => [Normalise::Length; 2],
        "none" => [Normalise::Nothing; 2],
        _ => [Normalise::CentredLength; 2],
    }
}

impl Normalise {
    /// A row of the task's features (Wang et al. 2019, "SimpleShot", section 3.2).
    fn apply(self, task: &Task, row: usize, out: &mut Vec<f64>) {
        let start = out.len();
        let values = task.features.row(row);
        match self {
            Normalise::CentredLength => {
                out.extend(values.iter().zip(task.centre).map(|(x, mean)| x - mean));
            }
            _ => out.extend(values),
        }
        if self != Normalise::Nothing {
            let place = &mut out[start..];
            let squares: f64 = place.iter().map(|x| x * x).sum();
            let norm = squares.sqrt().max(LEAST_NORM);
            place.iter_mut().for_each(|x| *x /= norm);
        }
    }
}

/// Vectors of one width, row by row.
pub(super) struct Points {
    width: usize,
    values: Vec<f64>,
}

impl Points {
    pub(super) fn new(
        task: &Task,
        rows: impl Iterator<Item = usize>,
        normalise: Normalise,
    ) -> Self {
        let mut values = Vec::new();
        for row in rows {
            normalise.apply(task, row, &mut values);
        }
        Self {
            width: task.features.width(),
            values,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.values.len() / self.width
    }

    pub(super) fn row(&self, place: usize) -> &[f64] {
        &self.values[place * self.width..][..self.width]
    }

    /// Squared distances from each of these to each of the others, [these, others].
    pub(super) fn distances(&self, others: &Points) -> Vec<f64> {
        let mut all = Vec::with_capacity(self.len() * others.len());
        for row in self.values.chunks_exact(self.width) {
            let others = others.values.chunks_exact(self.width);
            all.extend(others.map(|other| squared_distance(row, other)));
        }
        all
    }

    fn push_mean(&mut self, rows: impl Iterator<Item = usize>) {
        let mut sums = vec![0.0; self.width];
        let mut count = 0.0;
        for row in rows {
            count += 1.0;
            for (sum, value) in sums.iter_mut().zip(self.row(row)) {
                *sum += value;
            }
        }
        self.values.extend(sums.iter().map(|sum| sum / count));
    }
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// Points of known membership.
pub(super) struct Prototypes {
    pub(super) points: Points,
    pub(super) member: Vec<bool>,
}

impl Prototypes {
    /// The known records, and when there are more than two also the centre of each kind: first
    /// non-members', then members'.
    pub(super) fn new(task: &Task, normalise: Normalise) -> Self {
        let support = task.support;
        let mut points = Points::new(task, support.iter().map(|one| one.row), normalise);
        let mut member: Vec<bool> = support.iter().map(|one| one.member).collect();
        if support.len() > 2 {
            for kind in [false, true] {
                points.push_mean(places(support, kind));
                member.push(kind);
            }
        }
        Self { points, member }
    }

    /// The two centres alone, as the original few-shot classifiers have it.
    #[cfg(test)]
    pub(super) fn centres(task: &Task, normalise: Normalise) -> Self {
        let all = Self::new(task, normalise);
        let points = Points {
            width: all.points.width,
            values: [all.member.len() - 2, all.member.len() - 1]
                .iter()
                .flat_map(|&place| all.points.row(place).to_vec())
                .collect(),
        };
        Self {
            points,
            member: vec![false, true],
        }
    }
}

fn places(support: &[Labelled], kind: bool) -> impl Iterator<Item = usize> {
    let known = support.iter().enumerate();
    known.filter_map(move |(place, one)| (one.member == kind).then_some(place))
}
