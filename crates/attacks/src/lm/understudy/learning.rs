//! Learning further from a shadow: gradients of the network by hand, and AdamW (Loshchilov and Hutter
//! 2019) with a rate that falls to zero.
//!
//! A batch is cut into a fixed number of parts whose gradients are added in order, so that threads race
//! for parts and not for the order of additions.

use base::Progress;
use rayon::prelude::*;
use stats::streams::{Seed, shuffle};

use super::features::Sheet;
use super::network::{Network, Part, Pass, TAPS, WIDTH, neighbour};

/// So many passes did best on pairs of a fine-tune and its shadow (`bench/understudy_lm`); large shadows
/// need fewer, and the wait stays bounded.
const PASSES: usize = 12;
const FEWEST_PASSES: usize = 2;
const MOST_LESSONS: usize = 24_000;
const BATCH: usize = 64;
const PARTS: usize = 8;
const RATE: f32 = 1.5e-3;
const DECAY: f32 = 0.01;
const FIRST_MOMENT: f32 = 0.9;
const SECOND_MOMENT: f32 = 0.999;
const LEAST: f32 = 1e-8;

/// A text of a shadow, and whether the shadow trained on it.
pub type Lesson = (Sheet, bool);

/// The network after it went through all lessons a few times; nothing if it was told to stop.
pub fn further(
    network: &Network,
    lessons: &[Lesson],
    seed: Seed,
    progress: Progress<'_>,
) -> Option<Network> {
    let mut network = network.clone();
    let mut stepper = Stepper::new(network.numbers.len());
    let passes = passes(lessons.len());
    let steps = passes * lessons.len().div_ceil(BATCH);
    let mut rng = seed.stream("understudy-lm");
    let mut order: Vec<usize> = (0..lessons.len()).collect();
    for _ in 0..passes {
        shuffle(&mut rng, &mut order);
        for batch in order.chunks(BATCH) {
            if progress.cancelled() {
                return None;
            }
            let gradient = of_batch(&network, lessons, batch);
            let rate = RATE * (1.0 - stepper.step as f32 / steps as f32);
            stepper.apply(&mut network, &gradient, rate);
            progress.advance(batch.len());
        }
    }
    Some(network)
}

/// How many texts are gone through.
pub fn work(lessons: usize) -> usize {
    passes(lessons) * lessons
}

fn passes(lessons: usize) -> usize {
    (MOST_LESSONS / lessons.max(1)).clamp(FEWEST_PASSES, PASSES)
}

/// The mean gradient of the loss (binary cross-entropy) over a batch.
fn of_batch(network: &Network, lessons: &[Lesson], batch: &[usize]) -> Vec<f32> {
    let parts = batch.chunks(batch.len().div_ceil(PARTS));
    let parts: Vec<Vec<f32>> = parts
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|part| {
            let mut sum = vec![0.0; network.numbers.len()];
            for lesson in part {
                let (sheet, member) = &lessons[*lesson];
                add_gradient(network, sheet, *member, &mut sum);
            }
            sum
        })
        .collect();
    let mut total = vec![0.0; network.numbers.len()];
    for part in parts {
        total
            .iter_mut()
            .zip(part)
            .for_each(|(sum, term)| *sum += term);
    }
    let share = 1.0 / batch.len() as f32;
    total.iter_mut().for_each(|sum| *sum *= share);
    total
}

/// ∂loss/∂score = σ(score) − member; the rest is the chain rule, from the score back to the inputs.
fn add_gradient(network: &Network, sheet: &Sheet, member: bool, sum: &mut [f32]) {
    let pass = network.pass(sheet);
    let believed = 1.0 / (1.0 + f64::from(-pass.score).exp());
    let score = believed as f32 - f32::from(u8::from(member));
    let layout = network.layout();
    let part = |part: Part| network.part(part);
    let joined: Vec<f32> = part(layout.last())
        .iter()
        .map(|weight| weight * score)
        .collect();
    add(&mut sum[layout.last()], &pass.joined, score);
    sum[layout.last_bias()][0] += score;
    let joined = where_positive(joined, &pass.joined);
    add_outer(&mut sum[layout.joined()], &pass.pooled, &joined);
    add(&mut sum[layout.joined_bias()], &joined, 1.0);
    let pooled = back(part(layout.joined()), &joined);
    let state = unpooled(network, &pass, &pooled, sum);
    let across = where_positive(state.clone(), &pass.across);
    let mut second = state;
    add_convolution(network, &pass, &across, &mut second, sum);
    let second = where_positive(second, &pass.second);
    let mut first = Vec::with_capacity(pass.first.len());
    for (row, input) in second
        .chunks_exact(WIDTH)
        .zip(pass.first.chunks_exact(WIDTH))
    {
        add_outer(&mut sum[layout.second()], input, row);
        add(&mut sum[layout.second_bias()], row, 1.0);
        first.extend(back(part(layout.second()), row));
    }
    let first = where_positive(first, &pass.first);
    for (row, input) in first
        .chunks_exact(WIDTH)
        .zip(pass.inputs.chunks_exact(layout.inputs))
    {
        add_outer(&mut sum[layout.first()], input, row);
        add(&mut sum[layout.first_bias()], row, 1.0);
    }
}

/// From the pooled channels back to every position: mean, gate (a softmax) and maximum.
fn unpooled(network: &Network, pass: &Pass, pooled: &[f32], sum: &mut [f32]) -> Vec<f32> {
    let layout = network.layout();
    let gate = network.part(layout.gate());
    let (mean, rest) = pooled.split_at(WIDTH);
    let (gated, rest) = rest.split_at(WIDTH);
    let most = &rest[..WIDTH];
    let share = 1.0 / pass.positions as f32;
    let found = &pass.pooled[WIDTH..2 * WIDTH];
    let average = dot(found, gated);
    let mut state = Vec::with_capacity(pass.positions * WIDTH);
    for position in 0..pass.positions {
        let here = position * WIDTH..(position + 1) * WIDTH;
        let row: Vec<f32> = pass.second[here.clone()]
            .iter()
            .zip(&pass.across[here])
            .map(|(a, b)| a + b)
            .collect();
        let weight = pass.weights[position];
        let logit = weight * (dot(&row, gated) - average);
        add(&mut sum[layout.gate()], &row, logit);
        sum[layout.gate_bias()][0] += logit;
        for channel in 0..WIDTH {
            let mut value = mean[channel] * share + weight * gated[channel] + logit * gate[channel];
            if pass.largest[channel] == position {
                value += most[channel];
            }
            state.push(value);
        }
    }
    state
}

fn add_convolution(
    network: &Network,
    pass: &Pass,
    across: &[f32],
    second: &mut [f32],
    sum: &mut [f32],
) {
    let layout = network.layout();
    let weights = network.part(layout.across());
    let start = layout.across().start;
    for (position, row) in across.chunks_exact(WIDTH).enumerate() {
        add(&mut sum[layout.across_bias()], row, 1.0);
        for tap in 0..TAPS {
            let Some(place) = neighbour(position, tap, pass.positions) else {
                continue;
            };
            let there = place * WIDTH..(place + 1) * WIDTH;
            let tap = tap * WIDTH * WIDTH..(tap + 1) * WIDTH * WIDTH;
            let share = back(&weights[tap.clone()], row);
            add(&mut second[there.clone()], &share, 1.0);
            let gradient = &mut sum[start + tap.start..start + tap.end];
            add_outer(gradient, &pass.second[there], row);
        }
    }
}

fn where_positive(mut gradient: Vec<f32>, output: &[f32]) -> Vec<f32> {
    for (value, output) in gradient.iter_mut().zip(output) {
        if *output <= 0.0 {
            *value = 0.0;
        }
    }
    gradient
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(sum: &mut [f32], values: &[f32], scale: f32) {
    sum.iter_mut()
        .zip(values)
        .for_each(|(sum, value)| *sum += scale * value);
}

/// sum[input][output] += inputs[input] · outputs[output]
fn add_outer(sum: &mut [f32], inputs: &[f32], outputs: &[f32]) {
    for (sum, input) in sum.chunks_exact_mut(WIDTH).zip(inputs) {
        if *input != 0.0 {
            add(sum, outputs, *input);
        }
    }
}

/// What each input of a layer hears of its outputs.
fn back(weights: &[f32], outputs: &[f32]) -> Vec<f32> {
    let rows = weights.chunks_exact(WIDTH);
    rows.map(|weights| dot(weights, outputs)).collect()
}

struct Stepper {
    step: usize,
    mean: Vec<f32>,
    square: Vec<f32>,
}

impl Stepper {
    fn new(count: usize) -> Self {
        Self {
            step: 0,
            mean: vec![0.0; count],
            square: vec![0.0; count],
        }
    }

    fn apply(&mut self, network: &mut Network, gradient: &[f32], rate: f32) {
        self.step += 1;
        let steps = self.step as i32;
        let (first, second) = (
            1.0 - FIRST_MOMENT.powi(steps),
            1.0 - SECOND_MOMENT.powi(steps),
        );
        let learnt = network.layout().learnt();
        for (place, &g) in gradient.iter().enumerate().skip(learnt) {
            let mean = &mut self.mean[place];
            *mean = FIRST_MOMENT * *mean + (1.0 - FIRST_MOMENT) * g;
            let square = &mut self.square[place];
            *square = SECOND_MOMENT * *square + (1.0 - SECOND_MOMENT) * g * g;
            let step = (*mean / first) / ((*square / second).sqrt() + LEAST);
            let number = &mut network.numbers[place];
            *number -= rate * (step + DECAY * *number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::features::Variant;
    use super::super::tests::{drawn_network, drawn_sheet};
    use super::*;

    fn loss(network: &Network, sheet: &Sheet, member: bool) -> f64 {
        let score = f64::from(network.score(sheet));
        (if member { -score } else { score }).exp().ln_1p()
    }

    /// Every learnt number that the loss depends on, against a small step in it.
    #[test]
    fn gradients_are_the_slopes() {
        let network = drawn_network(Variant::Moments, 3);
        let sheet = drawn_sheet(Variant::Moments, 9, 4);
        let mut gradient = vec![0.0; network.numbers.len()];
        add_gradient(&network, &sheet, true, &mut gradient);
        let (mut compared, mut apart) = (0, 0);
        for place in (network.layout().learnt()..gradient.len()).step_by(7) {
            let moved = |by: f32| {
                let mut network = network.clone();
                network.numbers[place] += by;
                loss(&network, &sheet, true)
            };
            let slope = (moved(2e-3) - moved(-2e-3)) / 4e-3;
            let found = f64::from(gradient[place]);
            compared += 1;
            // Near a kink of a rectifier or of the maximum both sides have a slope of their own.
            apart += usize::from((slope - found).abs() > 0.02 * slope.abs() + 2e-3);
        }
        assert!(
            compared > 3000 && apart * 200 < compared,
            "{apart} of {compared}"
        );
    }

    #[test]
    fn lessons_are_learnt_and_repeated_to_the_bit() {
        let network = drawn_network(Variant::Bare, 5);
        let lesson = |number: u64| {
            let mut sheet = drawn_sheet(Variant::Bare, 12, number);
            let member = number.is_multiple_of(2);
            let shift = if member { 0.8 } else { -0.8 };
            sheet.rows.iter_mut().for_each(|value| *value += shift);
            (sheet, member)
        };
        let lessons: Vec<Lesson> = (0..400).map(lesson).collect();
        let mean = |network: &Network| {
            let all = lessons
                .iter()
                .map(|(sheet, member)| loss(network, sheet, *member));
            all.sum::<f64>() / lessons.len() as f64
        };
        let learn = || further(&network, &lessons, Seed(1), Progress::unwatched()).unwrap();
        let taught = learn();
        assert!(
            mean(&taught) < 0.8 * mean(&network),
            "{} {}",
            mean(&network),
            mean(&taught)
        );
        let alone = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        assert_eq!(alone.install(learn), taught);
    }
}
