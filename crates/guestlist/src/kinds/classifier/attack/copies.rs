//! Records that are the same to every model, told by the models' outputs alone.
//!
//! Outputs that agree to the last bit under every model are those of copies, unless so many share
//! them that they say nothing: a sure model answers 1 to much that is not the same, and a forest
//! has few answers. So copies must agree on outputs that hardly any other record has. One model's answers
//! say enough where they are of several classes.

use std::collections::HashMap;

use attacks::signals::shadow::{Meaning, ModelOutputs, Rescale, ShadowSignals};
use formats::data::Units;
use rayon::prelude::*;

use super::near_copies;

/// Models that are looked at before all of them are.
const FIRST_LOOK: usize = 4;
/// Models whose outputs are weighed.
const WEIGHED: usize = 16;
/// What it says in bits that two records agree on a number that nobody else has (about a
/// single-precision number), and on one that few have.
const OWN: f64 = 24.0;
const RARE: f64 = 3.0;
/// Few: one in so many.
const FEW: usize = 20;
/// Bits beyond what as many pairs of records would reach by chance.
const MARGIN: f64 = 8.0;
/// Records that are read together.
const BLOCK: usize = 1024;

/// The units that outputs tell; nothing where one number per record is all there is.
pub fn units(signals: &ShadowSignals) -> Option<Units> {
    let mut models = vec![signals.target];
    models.extend(&signals.shadows);
    let outputs = &signals.outputs;
    match models.len() * numbers(outputs) {
        0 | 1 => None,
        _ => Some(near_copies::joined(signals, equal(outputs, &models))),
    }
}

/// Numbers that a model answers with and that do not follow from each other.
fn numbers(outputs: &ModelOutputs) -> usize {
    match &outputs.meaning {
        Meaning::Logits { classes, .. } => *classes,
        Meaning::Probabilities { classes, .. } => classes - 1,
        Meaning::Phi | Meaning::Probability => 1,
    }
}

/// By outputs that agree to the last bit.
fn equal(outputs: &ModelOutputs, models: &[usize]) -> Units {
    let first = fingerprints(outputs, &spread(models, FIRST_LOOK), |_| true);
    let alike = shared(&first);
    if alike.iter().all(|alike| !alike) {
        return Units::single(outputs.records);
    }
    let all = fingerprints(outputs, models, |records| {
        alike[records].iter().any(|alike| *alike)
    });
    let same = Units::by_key((0..outputs.records).map(|record| match alike[record] {
        true => (first[record], all[record]),
        false => (record as u64, u64::MAX),
    }));
    let telling = telling(outputs, &spread(models, WEIGHED), &same);
    Units::by_key((0..outputs.records).map(|record| {
        let unit = same.unit(record);
        (telling[unit], if telling[unit] { unit } else { record })
    }))
}

/// So many of the models at most, evenly spread.
fn spread(models: &[usize], most: usize) -> Vec<usize> {
    let step = models.len().div_ceil(most);
    models.iter().copied().step_by(step).collect()
}

/// A number per record that depends on every output of these models. Blocks of records that
/// nobody asks about are left out.
fn fingerprints(
    outputs: &ModelOutputs,
    models: &[usize],
    asked: impl Fn(std::ops::Range<usize>) -> bool + Sync,
) -> Vec<u64> {
    let mut prints = vec![0; outputs.records];
    let blocks = prints.par_chunks_mut(BLOCK).enumerate();
    blocks.for_each(|(block, prints)| {
        let records = block * BLOCK..block * BLOCK + prints.len();
        if asked(records.clone()) {
            for &model in models {
                take_in(outputs, model, records.clone(), prints);
            }
        }
    });
    prints
}

fn take_in(
    outputs: &ModelOutputs,
    model: usize,
    records: std::ops::Range<usize>,
    prints: &mut [u64],
) {
    let mut numbers = [0.0; BLOCK];
    let classes = match &outputs.meaning {
        Meaning::Logits { classes, .. } | Meaning::Probabilities { classes, .. } => *classes,
        Meaning::Phi | Meaning::Probability => 1,
    };
    for augmentation in 0..outputs.augmentations {
        for class in 0..classes {
            outputs.planes[model].read(records.clone(), augmentation, class, &mut numbers);
            for (print, number) in prints.iter_mut().zip(numbers) {
                *print = mixed(*print ^ (number + 0.0).to_bits());
            }
        }
    }
    if let Meaning::Logits { labels, .. } | Meaning::Probabilities { labels, .. } = &outputs.meaning
    {
        for (print, label) in prints.iter_mut().zip(&labels[records]) {
            *print = mixed(*print ^ u64::from(*label));
        }
    }
}

/// Every bit of the input moves every bit of the output (SplitMix64, Steele et al. 2014).
fn mixed(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Which records share their number with another.
fn shared(prints: &[u64]) -> Vec<bool> {
    let mut sorted = prints.to_vec();
    sorted.par_sort_unstable();
    let twice = sorted.windows(2).filter(|two| two[0] == two[1]);
    let mut twice: Vec<u64> = twice.map(|two| two[0]).collect();
    twice.dedup();
    if twice.is_empty() {
        return vec![false; prints.len()];
    }
    let prints = prints.par_iter();
    prints
        .map(|print| twice.binary_search(print).is_ok())
        .collect()
}

/// Which units agree on outputs that say enough.
fn telling(outputs: &ModelOutputs, models: &[usize], units: &Units) -> Vec<bool> {
    let sizes = units.sizes();
    let bits = models
        .par_iter()
        .map(|&model| bits(outputs, model, units, &sizes))
        .reduce(|| vec![0.0; sizes.len()], added);
    let needed = 2.0 * (outputs.records as f64).log2() + MARGIN;
    let enough = |(bits, size): (&f64, &usize)| *size > 1 && *bits >= needed;
    bits.iter().zip(&sizes).map(enough).collect()
}

fn added(mut one: Vec<f64>, other: Vec<f64>) -> Vec<f64> {
    one.iter_mut()
        .zip(other)
        .for_each(|(sum, bits)| *sum += bits);
    one
}

/// What it says, unit by unit, that its records agree under one model.
fn bits(outputs: &ModelOutputs, model: usize, units: &Units, sizes: &[usize]) -> Vec<f64> {
    let phi = phi(outputs, model);
    let repeated = |record: &usize| sizes[units.unit(*record)] > 1;
    let mut holders: HashMap<u64, usize> = HashMap::new();
    let with_copies = (0..phi.len()).filter(repeated);
    holders.extend(with_copies.clone().map(|record| (phi[record], 0)));
    for value in &phi {
        if let Some(count) = holders.get_mut(value) {
            *count += 1;
        }
    }
    let mut bits = vec![0.0; sizes.len()];
    for record in with_copies {
        let (unit, holders) = (units.unit(record), holders[&phi[record]]);
        bits[unit] = match holders {
            holders if holders == sizes[unit] => OWN * numbers(outputs) as f64,
            holders if holders * FEW <= phi.len() => RARE,
            _ => 0.0,
        };
    }
    bits
}

/// The bits of φ of one model on every record.
fn phi(outputs: &ModelOutputs, model: usize) -> Vec<u64> {
    let mut values = vec![0.0; outputs.records];
    outputs.phi(model, 0..outputs.records, 0, Rescale::Exact, &mut values);
    values.iter().map(|value| (value + 0.0).to_bits()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_come_twice_are_found_where_they_are() {
        for distinct in [1, 7, 300, 5000] {
            let prints: Vec<u64> = (0..1000).map(|i| mixed(i * i % distinct)).collect();
            let slow = |print: &u64| prints.iter().filter(|other| *other == print).count() > 1;
            let slow: Vec<bool> = prints.iter().map(slow).collect();
            assert_eq!(shared(&prints), slow, "{distinct}");
        }
        assert!(shared(&[]).is_empty());
    }
}
