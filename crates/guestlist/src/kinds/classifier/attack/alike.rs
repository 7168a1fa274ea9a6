//! Which models give the same outputs though they trained on different records: found on a sample
//! of the records, so that it costs next to nothing at any size of data.

use attacks::signals::shadow::ShadowSignals;
use judge::guardrails::Alike;
use rayon::prelude::*;
use stats::vectors::{centred_product, equal_places};

/// Records looked at, in runs spread evenly over the data.
const RUNS: usize = 64;
const RUN: usize = 16;
/// So many models at most are compared pair by pair.
const COMPARED: usize = 256;
/// Outputs that differ by no more than this share of their spread, scale and offset aside, are nearly
/// the same: one model with noise or calibrated anew. Models that trained on different records and do
/// react to them differ more.
const NEARLY: f64 = 1e-2;
/// Beyond so many standard errors of the training gain, models that differ little do react to their
/// records: fine-tuned from one start, for instance.
pub const REACTS: f64 = 3.0;
/// Fewer values that a model gives once say nothing about copies.
const ENOUGH: usize = 20;

/// Groups of models that are alike. Models that differ in the last bits only count where they
/// do not react to what they trained on.
pub fn groups(
    signals: &ShadowSignals,
    differ: &(dyn Fn(usize, usize) -> bool + Sync),
    react: bool,
) -> Vec<Alike> {
    let models = compared(signals);
    let samples: Vec<Sample> = models
        .par_iter()
        .map(|&model| Sample::new(signals, model))
        .collect();
    let pairs: Vec<(usize, usize, f64)> = (0..models.len())
        .into_par_iter()
        .flat_map_iter(|one| (one + 1..models.len()).map(move |other| (one, other)))
        .filter_map(|(one, other)| {
            let agreement = samples[one].likeness(&samples[other], react)?;
            differ(models[one], models[other]).then_some((one, other, agreement))
        })
        .collect();
    let group = |group: Group| Alike {
        target: group.places.contains(&0),
        models: sorted(group.places.iter().map(|&place| models[place])),
        agreement: group.agreement,
        same_records: false,
    };
    let groups = united(&pairs).into_iter().map(group);
    groups.chain(itself(signals, differ)).collect()
}

/// The target and shadows that are the target: its outputs to the last bit, and its training records.
fn itself(
    signals: &ShadowSignals,
    differ: &(dyn Fn(usize, usize) -> bool + Sync),
) -> Option<Alike> {
    let target = signals.target;
    let own = Sample::new(signals, target).phi;
    let is_target =
        |model: &usize| !differ(target, *model) && Sample::new(signals, *model).phi == own;
    let shadows = signals.shadows.par_iter().copied();
    let copies: Vec<usize> = shadows.filter(is_target).collect();
    (!copies.is_empty()).then(|| Alike {
        models: sorted(copies.into_iter().chain([target])),
        target: true,
        agreement: 1.0,
        same_records: true,
    })
}

/// The target, and the shadows or as many of them as are compared, spread evenly.
fn compared(signals: &ShadowSignals) -> Vec<usize> {
    let shadows = &signals.shadows;
    let step = shadows.len().div_ceil(COMPARED).max(1);
    let some = shadows.iter().step_by(step).copied();
    std::iter::once(signals.target).chain(some).collect()
}

fn sorted(models: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut models: Vec<usize> = models.collect();
    models.sort_unstable();
    models
}

/// One model's φ on the sampled records.
struct Sample {
    phi: Vec<f64>,
    /// Values that the model gives to one record only, and NaN, which equals nothing, elsewhere: ties say nothing
    /// about copies, as models of few values (trees, neighbours, saturated outputs) share them by their nature.
    once: Vec<f64>,
    singles: usize,
    mean: f64,
    spread: f64,
}

impl Sample {
    fn new(signals: &ShadowSignals, model: usize) -> Self {
        let records = signals.records();
        let step = (records / RUNS).max(RUN);
        let mut phi = Vec::with_capacity(RUNS * RUN);
        let mut values = [0.0; RUN];
        for first in (0..records).step_by(step) {
            let run = first..records.min(first + RUN);
            signals.outputs.mean_phi(model, run.clone(), &mut values);
            phi.extend(&values[..run.len()]);
        }
        Self::of(phi)
    }

    fn of(phi: Vec<f64>) -> Self {
        let once = given_once(&phi);
        Self {
            singles: once.iter().filter(|value| !value.is_nan()).count(),
            once,
            mean: phi.iter().sum::<f64>() / phi.len() as f64,
            spread: spread(&phi),
            phi,
        }
    }

    /// On which share of the records two models agree to the last bit, where they are alike.
    fn likeness(&self, other: &Self, react: bool) -> Option<f64> {
        let equal = equal_places(&self.phi, &other.phi);
        let agreement = equal as f64 / self.phi.len() as f64;
        let near = !react && self.apart(other) <= NEARLY;
        let shares = equal > 0 && self.shares_most(other);
        (equal == self.phi.len() || near || shares).then_some(agreement)
    }

    /// How far the other lies from this one times a factor and plus an offset, as a share of its spread.
    fn apart(&self, other: &Self) -> f64 {
        if self.spread == 0.0 || other.spread == 0.0 {
            return f64::from(u8::from(self.spread != other.spread));
        }
        let product = centred_product(&self.phi, self.mean, &other.phi, other.mean);
        let covariance = product / self.phi.len() as f64;
        let correlation = (covariance / (self.spread * other.spread)).clamp(-1.0, 1.0);
        match correlation > 0.0 {
            true => (1.0 - correlation * correlation).sqrt(),
            false => 1.0,
        }
    }

    /// Whether most of the values that a model gives only once are the other's as well.
    fn shares_most(&self, other: &Self) -> bool {
        let equal = equal_places(&self.once, &other.phi);
        self.singles >= ENOUGH && 2 * equal > self.singles
    }
}

fn given_once(phi: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..phi.len()).collect();
    order.sort_unstable_by(|a, b| phi[*a].total_cmp(&phi[*b]));
    let mut once = vec![f64::NAN; phi.len()];
    for equal in order.chunk_by(|a, b| phi[*a] == phi[*b]) {
        if let [alone] = equal {
            once[*alone] = phi[*alone];
        }
    }
    once
}

fn spread(values: &[f64]) -> f64 {
    let n = (values.len() as f64).max(1.0);
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / n).sqrt()
}

/// Places of models that hang together by pairs, and the least agreement among those pairs.
struct Group {
    places: Vec<usize>,
    agreement: f64,
}

fn united(pairs: &[(usize, usize, f64)]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for &(one, other, agreement) in pairs {
        let joined =
            |group: &mut Group| group.places.contains(&one) || group.places.contains(&other);
        let mut union = Group {
            places: vec![one, other],
            agreement,
        };
        for group in groups.extract_if(.., joined) {
            union.places.extend(group.places);
            union.agreement = union.agreement.min(group.agreement);
        }
        union.places.sort_unstable();
        union.places.dedup();
        groups.push(union);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(phi: Vec<f64>) -> Sample {
        Sample::of(phi)
    }

    /// Two models of a few values, right on most records: they agree on many, but not on all.
    #[test]
    fn models_of_few_values_are_no_copies_of_each_other() {
        let tree = |seed: usize| {
            let leaf = |i: usize| {
                if (i * 7 + seed * i * i).is_multiple_of(10) {
                    -17.0
                } else {
                    17.0
                }
            };
            sample((0..500).map(leaf).collect())
        };
        assert_eq!(tree(1).likeness(&tree(2), false), None);
        assert_eq!(tree(1).likeness(&tree(1), false), Some(1.0));
    }

    #[test]
    fn tiny_noise_on_one_model_is_nearly_the_same_unless_models_react() {
        let model: Vec<f64> = (0..500).map(|i| f64::from(i * 37 % 101) / 10.0).collect();
        let noisy = model.iter().enumerate();
        let noisy = noisy
            .map(|(i, phi)| phi + 1e-5 * (i % 7) as f64 + 1e-7)
            .collect();
        let (model, noisy) = (sample(model), sample(noisy));
        assert!(model.likeness(&noisy, false).is_some());
        assert_eq!(model.likeness(&noisy, true), None);
        // Calibrated anew, and with noise of half a percent of its spread.
        let scaled = sample(model.phi.iter().map(|phi| 1.3 * phi - 0.4).collect());
        assert!(model.likeness(&scaled, false).is_some());
        let rough = model.phi.iter().enumerate();
        let rough = rough.map(|(i, phi)| phi + 0.015 * ((i * 7919 % 13) as f64 / 6.0 - 1.0));
        assert!(model.likeness(&sample(rough.collect()), false).is_some());
        let other = model.phi.iter().enumerate();
        let other = other.map(|(i, phi)| phi + 0.3 * ((i * 7919 % 13) as f64 / 6.0 - 1.0));
        assert_eq!(model.likeness(&sample(other.collect()), false), None);
    }

    #[test]
    fn pairs_that_share_a_model_are_one_group() {
        let groups = united(&[(0, 3, 1.0), (1, 2, 1.0), (2, 3, 0.9), (5, 6, 1.0)]);
        let places: Vec<&[usize]> = groups.iter().map(|group| group.places.as_slice()).collect();
        assert_eq!(places, [&[0, 1, 2, 3][..], &[5, 6]]);
        assert_eq!(groups[0].agreement, 0.9);
    }
}
