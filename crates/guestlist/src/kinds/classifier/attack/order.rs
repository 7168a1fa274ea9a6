//! Do the models agree on which records are hard? Where one has the records in another order than the others,
//! every attack compares one record with another, and finds nothing.

use attacks::signals::shadow::ShadowSignals;
use judge::Truth;
use judge::guardrails::RecordOrder;
use rayon::prelude::*;

use super::facts::{SAMPLE_RUN, SAMPLE_RUNS};

/// So many shadows at most are compared, and fewer than these show nothing.
const COMPARED: usize = 256;
const FEW_MODELS: usize = 4;
/// Fewer records that a model tells apart show nothing either.
const FEW_RECORDS: usize = 50;
/// Shadows agree, by the rank correlation of each with the mean of the others: of a quarter of them.
const AGREE: f64 = 0.3;
/// A model that agrees by less than this share of what shadows do, and surely less than that, is astray.
const HARDLY: f64 = 0.25;
const SURELY: f64 = 0.5;
/// Standard errors of an interval at 99.9%.
const ERRORS: f64 = 3.29;

/// What a model makes of the sampled records: their ranks among those that it trained on, and among those that it
/// did not, so that training itself tells nothing; of unit length.
struct Ranked {
    model: usize,
    ranks: Vec<f64>,
    /// Records beside the largest tie.
    apart: usize,
}

/// Nothing where too little is there to tell.
pub fn order(signals: &ShadowSignals, truth: &Truth) -> Option<RecordOrder> {
    let places = places(signals.records());
    if signals.shadows.len() < FEW_MODELS || places.len() < FEW_RECORDS {
        return None;
    }
    let step = signals.shadows.len().div_ceil(COMPARED);
    let looked_at: Vec<usize> = (0..signals.shadows.len()).step_by(step).collect();
    let shadow = |k: usize| {
        let members = &signals.members[k];
        let class = |record| usize::from(members.get(record));
        Ranked::new(signals, signals.shadows[k], &places, class)
    };
    let shadows: Vec<Ranked> = looked_at.into_par_iter().filter_map(shadow).collect();
    let of_target = |record| truth.is_member(record).map_or(2, usize::from);
    let target = Ranked::new(signals, signals.target, &places, of_target);
    found(&shadows, target.as_ref())
}

fn found(shadows: &[Ranked], target: Option<&Ranked>) -> Option<RecordOrder> {
    if shadows.len() < FEW_MODELS {
        return None;
    }
    let all = sum(shadows.iter());
    let with_others = |one: &Ranked| {
        let others = all.iter().zip(&one.ranks).map(|(all, own)| all - own);
        correlation(&one.ranks, &others.collect::<Vec<f64>>())
    };
    let agreements: Vec<f64> = shadows.par_iter().map(with_others).collect();
    let mut sorted = agreements.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let typical = sorted[sorted.len() * 3 / 4];
    let strays = |one: &Ranked, agreement: f64| typical >= AGREE && strays(one, agreement, typical);
    let judged = || shadows.iter().zip(&agreements);
    let astray = judged().filter(|(one, agreement)| strays(one, **agreement));
    let mut astray: Vec<usize> = astray.map(|(one, _)| one.model).collect();
    let rest = sum(shadows.iter().filter(|one| !astray.contains(&one.model)));
    let agrees = target.map(|target| correlation(&target.ranks, &rest));
    let gone = target.zip(agrees).filter(|(one, by)| strays(one, *by));
    astray.splice(0..0, gone.map(|(one, _)| one.model));
    Some(RecordOrder {
        records: shadows[0].ranks.len(),
        typical,
        target: agrees,
        target_astray: gone.is_some(),
        astray,
    })
}

fn strays(one: &Ranked, agreement: f64, typical: f64) -> bool {
    let error = 1.0 / (one.apart as f64 - 3.0).sqrt();
    let high = (agreement.clamp(-0.999, 0.999).atanh() + ERRORS * error).tanh();
    agreement < HARDLY * typical && high < SURELY * typical
}

fn places(records: usize) -> Vec<usize> {
    let firsts = (0..records).step_by((records / SAMPLE_RUNS).max(SAMPLE_RUN));
    let runs = firsts.flat_map(|first| first..records.min(first + SAMPLE_RUN));
    runs.collect()
}

impl Ranked {
    fn new(
        signals: &ShadowSignals,
        model: usize,
        places: &[usize],
        class: impl Fn(usize) -> usize,
    ) -> Option<Self> {
        let mut phi = Vec::with_capacity(places.len());
        let mut values = [0.0; SAMPLE_RUN];
        for run in places.chunks(SAMPLE_RUN) {
            let (first, last) = (run[0], run[run.len() - 1] + 1);
            signals.outputs.mean_phi(model, first..last, &mut values);
            phi.extend_from_slice(&values[..last - first]);
        }
        let classes: Vec<usize> = places.iter().map(|&record| class(record)).collect();
        Self::of(model, &phi, &classes)
    }

    /// Nothing of a model that hardly tells records apart.
    fn of(model: usize, phi: &[f64], classes: &[usize]) -> Option<Self> {
        let mut ranks = vec![0.0; phi.len()];
        let mut apart = 0;
        for class in 0..3 {
            let mut order: Vec<usize> = (0..phi.len()).filter(|k| classes[*k] == class).collect();
            order.sort_unstable_by(|a, b| phi[*a].total_cmp(&phi[*b]));
            let size = order.len();
            let (mut before, mut largest) = (0, 0);
            for equal in order.chunk_by(|a, b| phi[*a] == phi[*b]) {
                let middle = before as f64 + equal.len() as f64 / 2.0;
                let rank = middle / size as f64 - 0.5;
                equal.iter().for_each(|&place| ranks[place] = rank);
                (before, largest) = (before + equal.len(), largest.max(equal.len()));
            }
            apart += size - largest;
        }
        let length = ranks.iter().map(|rank| rank * rank).sum::<f64>().sqrt();
        ranks.iter_mut().for_each(|rank| *rank /= length);
        (apart >= FEW_RECORDS).then_some(Self {
            model,
            ranks,
            apart,
        })
    }
}

fn sum<'a>(models: impl Iterator<Item = &'a Ranked>) -> Vec<f64> {
    let mut sum: Vec<f64> = Vec::new();
    for one in models {
        sum.resize(one.ranks.len(), 0.0);
        let ranks = sum.iter_mut().zip(&one.ranks);
        ranks.for_each(|(sum, rank)| *sum += rank);
    }
    sum
}

/// Of numbers around zero; none where one side does not vary.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let square = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>();
    let scale = (square(a) * square(b)).sqrt();
    match scale > 0.0 {
        true => product / scale,
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::streams::{Seed, shuffle, standard_normal, uniform};

    const RECORDS: usize = 1000;

    /// Models of one difficulty, with so much noise of their own and so large a gain; `shuffled` have the records in
    /// an order of their own.
    fn models(noise: [f64; 2], gain: f64, shuffled: &[usize]) -> (Vec<Ranked>, Ranked) {
        let mut rng = Seed(3).stream("models");
        let hard: Vec<f64> = (0..RECORDS).map(|_| standard_normal(&mut rng)).collect();
        let mut model = |model: usize| {
            let mut hard = hard.clone();
            if shuffled.contains(&model) {
                shuffle(&mut rng, &mut hard);
            }
            let noise = noise[usize::from(model > 0)];
            let classes: Vec<usize> = (0..RECORDS)
                .map(|_| usize::from(uniform(&mut rng) < 0.5))
                .collect();
            let phi = hard.iter().zip(&classes);
            let phi = phi.map(|(hard, class)| {
                hard + noise * standard_normal(&mut rng) + gain * *class as f64
            });
            Ranked::of(model, &phi.collect::<Vec<f64>>(), &classes).unwrap()
        };
        let target = model(0);
        ((1..17).map(model).collect(), target)
    }

    fn astray(noise: [f64; 2], gain: f64, shuffled: &[usize]) -> Vec<usize> {
        let (shadows, target) = models(noise, gain, shuffled);
        found(&shadows, Some(&target)).unwrap().astray
    }

    #[test]
    fn models_in_an_order_of_their_own_are_named() {
        assert_eq!(astray([0.5, 0.5], 2.0, &[0]), [0]);
        assert_eq!(astray([0.5, 0.5], 2.0, &[3, 9]), [3, 9]);
        assert_eq!(
            astray([0.5, 0.5], 0.0, &[0, 1, 2, 3, 4, 5]),
            [0, 1, 2, 3, 4, 5]
        );
    }

    #[test]
    fn models_that_agree_less_or_not_at_all_are_not() {
        // One order; a noisier target; noise alone; a leak without a common difficulty.
        assert!(astray([0.5, 0.5], 2.0, &[]).is_empty());
        assert!(astray([1.5, 0.3], 2.0, &[]).is_empty());
        assert!(astray([50.0, 50.0], 0.0, &[]).is_empty());
        let all: Vec<usize> = (0..17).collect();
        let (shadows, target) = models([0.1, 0.1], 3.0, &all);
        let none = found(&shadows, Some(&target)).unwrap();
        assert!(none.astray.is_empty() && none.typical < 0.1, "{none:?}");
    }

    #[test]
    fn a_model_that_tells_no_records_apart_says_nothing() {
        let classes = vec![0; RECORDS];
        assert!(Ranked::of(0, &[4.0; RECORDS], &classes).is_none());
        let few: Vec<f64> = (0..RECORDS).map(|k| f64::from(u8::from(k < 40))).collect();
        assert!(Ranked::of(0, &few, &classes).is_none());
    }
}
