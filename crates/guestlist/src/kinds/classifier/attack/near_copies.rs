//! Records that are the same to every model but for rounding: copies whose outputs were computed in
//! another batch, on another machine, or in another precision.
//!
//! Two records are near where φ of every model agrees to a small part of what models differ by on one
//! record. That says something only where few other records have such a value, as with equal outputs.

use attacks::signals::shadow::{Rescale, ShadowSignals};
use formats::data::Units;
use rayon::prelude::*;

/// Models whose φ is compared: enough to be sure, at any number of models.
const MODELS: usize = 16;
/// Values are equal up to this share of a model's spread, and of the spread over models.
const OF_SPREAD: f64 = 1e-4;
const OF_NOISE: f64 = 0.02;
/// Neighbours that are looked at: copies lie next to each other.
const NEIGHBOURS: usize = 256;
/// Bits beyond what as many pairs of records would reach by chance.
const MARGIN: f64 = 8.0;

/// The same units, joined where their records are near each other.
pub fn joined(signals: &ShadowSignals, units: Units) -> Units {
    let pairs = Sketch::from_signals(signals).pairs();
    if pairs.is_empty() {
        return units;
    }
    let mut roots = Roots::new(&units);
    for (one, other) in pairs {
        roots.join(units.unit(one), units.unit(other));
    }
    Units::by_key((0..units.records()).map(|record| roots.root(units.unit(record))))
}

/// φ of some models, by model and record.
struct Sketch {
    phi: Vec<Vec<f64>>,
    tolerance: Vec<f64>,
    /// What agreement under one model says at most, in bits.
    most_bits: f64,
}

impl Sketch {
    fn from_signals(signals: &ShadowSignals) -> Self {
        let mut models = vec![signals.target];
        models.extend(&signals.shadows);
        let step = models.len().div_ceil(MODELS);
        let models: Vec<usize> = models.into_iter().step_by(step).collect();
        let of_model = |model: &usize| {
            let mut phi = vec![0.0; signals.records()];
            let all = 0..signals.records();
            (signals.outputs).phi(*model, all, 0, Rescale::Exact, &mut phi);
            phi
        };
        Self::new(models.par_iter().map(of_model).collect())
    }

    fn new(phi: Vec<Vec<f64>>) -> Self {
        let noise = noise(&phi);
        let tolerance = |phi: &Vec<f64>| (OF_SPREAD * spread(phi)).min(OF_NOISE * noise);
        let tolerance: Vec<f64> = phi.par_iter().map(tolerance).collect();
        let widest = tolerance.iter().copied().fold(0.0, f64::max);
        Self {
            most_bits: (noise / (2.0 * widest)).log2().max(0.0),
            tolerance,
            phi,
        }
    }

    /// Pairs of records that are near, each record with its nearest neighbours in the order of the
    /// first model.
    fn pairs(&self) -> Vec<(usize, usize)> {
        if self.phi.len() < 2 || self.tolerance.iter().any(|tolerance| *tolerance <= 0.0) {
            return Vec::new();
        }
        let (first, tolerance) = (&self.phi[0], self.tolerance[0]);
        let mut order: Vec<usize> = (0..first.len()).collect();
        order.par_sort_unstable_by(|a, b| first[*a].total_cmp(&first[*b]).then(a.cmp(b)));
        let near = |place: usize| {
            let one = order[place];
            let next = order[place + 1..].iter().take(NEIGHBOURS);
            let next = next.take_while(move |other| first[**other] - first[one] <= tolerance);
            let near = next.filter(move |other| self.agree(one, **other));
            near.map(move |other| (one, *other))
        };
        let places = || (0..order.len()).into_par_iter();
        // In most data no two records agree, and nothing needs to be sorted.
        if !places().any(|place| near(place).next().is_some()) {
            return Vec::new();
        }
        let sorted = self.sorted();
        let needed = 2.0 * (first.len() as f64).log2() + MARGIN;
        let telling = |(one, _): &(usize, usize)| self.bits(*one, &sorted) >= needed;
        places()
            .flat_map_iter(|place| near(place).filter(telling))
            .collect()
    }

    /// Whether two records are the same to every model.
    fn agree(&self, one: usize, other: usize) -> bool {
        let mut models = self.phi.iter().zip(&self.tolerance);
        models.all(|(phi, tolerance)| (phi[one] - phi[other]).abs() <= *tolerance)
    }

    /// Sorted values by model, to tell how common one is.
    fn sorted(&self) -> Vec<Vec<f64>> {
        let sort = |phi: &Vec<f64>| {
            let mut sorted = phi.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            sorted
        };
        self.phi.par_iter().map(sort).collect()
    }

    /// What it says that a record has a double.
    fn bits(&self, record: usize, sorted: &[Vec<f64>]) -> f64 {
        let models = self.phi.iter().zip(sorted).zip(&self.tolerance);
        let bits = models.map(|((phi, sorted), tolerance)| {
            let value = phi[record];
            let below = sorted.partition_point(|other| *other < value - tolerance);
            let within = sorted.partition_point(|other| *other <= value + tolerance) - below;
            let share = within as f64 / sorted.len() as f64;
            (-share.log2()).clamp(0.0, self.most_bits)
        });
        bits.sum()
    }
}

fn spread(values: &[f64]) -> f64 {
    let n = (values.len() as f64).max(1.0);
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / n).sqrt()
}

/// By how much models differ on one record, in the middle over records.
fn noise(phi: &[Vec<f64>]) -> f64 {
    let records = phi.first().map_or(0, Vec::len);
    let of_record = |values: &mut Vec<f64>, record: usize| {
        values.clear();
        values.extend(phi.iter().map(|phi| phi[record]));
        spread(values)
    };
    let records = (0..records).into_par_iter();
    let mut spreads: Vec<f64> = records.map_init(Vec::new, of_record).collect();
    if spreads.is_empty() {
        return 0.0;
    }
    let middle = spreads.len() / 2;
    *spreads.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Which units are one: each points to a smaller one of its kind.
struct Roots(Vec<usize>);

impl Roots {
    fn new(units: &Units) -> Self {
        Self((0..units.count()).collect())
    }

    fn root(&self, mut unit: usize) -> usize {
        while self.0[unit] != unit {
            unit = self.0[unit];
        }
        unit
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::streams::{Seed, standard_normal};

    /// Models that see a record much alike, and copies with noise on top.
    fn sketch(different: usize, copies: usize, rounding: f64) -> Sketch {
        let mut rng = Seed(3).stream("near copies");
        let hard: Vec<f64> = (0..different)
            .map(|_| 2.0 * standard_normal(&mut rng))
            .collect();
        let model = |_| {
            let once: Vec<f64> = hard
                .iter()
                .map(|hard| hard + 0.5 * standard_normal(&mut rng))
                .collect();
            let all = (0..copies).flat_map(|_| once.clone());
            all.map(|phi| phi + rounding * standard_normal(&mut rng))
                .collect()
        };
        Sketch::new((0..9).map(model).collect())
    }

    #[test]
    fn copies_are_found_in_spite_of_rounding() {
        for rounding in [1e-6, 1e-5] {
            assert_eq!(sketch(300, 2, rounding).pairs().len(), 300);
        }
    }

    #[test]
    fn different_records_and_those_of_few_values_are_no_copies() {
        assert_eq!(sketch(2000, 1, 0.0).pairs(), []);
        // A model of few values, such as a tree: some records share all of them.
        let mut rng = Seed(4).stream("few values");
        let leaf = |_| standard_normal(&mut rng).round().clamp(-1.0, 1.0);
        let values: Vec<f64> = (0..9 * 600).map(leaf).collect();
        let tree = Sketch::new(values.chunks(600).map(<[f64]>::to_vec).collect());
        assert_eq!(tree.pairs(), []);
    }
}
