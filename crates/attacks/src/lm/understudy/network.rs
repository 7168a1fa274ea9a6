//! The network: two dense layers at every position, one convolution over five positions added to them,
//! pooled by mean, by a learned gate and by maximum, joined with what is known of the text as a whole.
//!
//! Every output of a layer is summed over its inputs in their order, one multiplication and one addition
//! at a time, so that wider vectors change nothing: the same bytes on every machine.

use pulp::{Arch, NullaryFnOnce};

use super::features::{Sheet, Variant};

pub const WIDTH: usize = 64;
/// Positions that the convolution looks at.
pub const TAPS: usize = 5;
/// Standardised numbers are clipped here.
const FARTHEST: f32 = 6.0;

/// Where each part of a network lies in the one list of its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub inputs: usize,
    pub known: usize,
}

pub type Part = std::ops::Range<usize>;

impl Layout {
    pub fn new(variant: Variant) -> Self {
        Self {
            inputs: variant.inputs(),
            known: variant.known(),
        }
    }

    /// Sizes of all parts in order: centres and spreads of the inputs and of what is known, then what
    /// is learnt. Weights lie input by input, each with its row of outputs.
    fn sizes(&self) -> [usize; 16] {
        let (inputs, known) = (self.inputs, self.known);
        [
            inputs,
            inputs,
            known,
            known,
            inputs * WIDTH,
            WIDTH,
            WIDTH * WIDTH,
            WIDTH,
            TAPS * WIDTH * WIDTH,
            WIDTH,
            WIDTH,
            1,
            (3 * WIDTH + known) * WIDTH,
            WIDTH,
            WIDTH,
            1,
        ]
    }

    fn part(&self, number: usize) -> Part {
        let begin = self.sizes()[..number].iter().sum();
        begin..begin + self.sizes()[number]
    }

    pub fn len(&self) -> usize {
        self.sizes().iter().sum()
    }

    /// Everything from here on is learnt.
    pub fn learnt(&self) -> usize {
        self.first().start
    }

    pub fn centre(&self) -> Part {
        self.part(0)
    }
    pub fn spread(&self) -> Part {
        self.part(1)
    }
    pub fn known_centre(&self) -> Part {
        self.part(2)
    }
    pub fn known_spread(&self) -> Part {
        self.part(3)
    }
    pub fn first(&self) -> Part {
        self.part(4)
    }
    pub fn first_bias(&self) -> Part {
        self.part(5)
    }
    pub fn second(&self) -> Part {
        self.part(6)
    }
    pub fn second_bias(&self) -> Part {
        self.part(7)
    }
    pub fn across(&self) -> Part {
        self.part(8)
    }
    pub fn across_bias(&self) -> Part {
        self.part(9)
    }
    pub fn gate(&self) -> Part {
        self.part(10)
    }
    pub fn gate_bias(&self) -> Part {
        self.part(11)
    }
    pub fn joined(&self) -> Part {
        self.part(12)
    }
    pub fn joined_bias(&self) -> Part {
        self.part(13)
    }
    pub fn last(&self) -> Part {
        self.part(14)
    }
    pub fn last_bias(&self) -> Part {
        self.part(15)
    }
}

/// All numbers of one network.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    pub variant: Variant,
    pub numbers: Vec<f32>,
}

/// What a pass leaves behind, for learning from it.
pub struct Pass {
    pub positions: usize,
    /// Standardised inputs, [positions, inputs].
    pub inputs: Vec<f32>,
    /// After each layer, [positions, WIDTH].
    pub first: Vec<f32>,
    pub second: Vec<f32>,
    pub across: Vec<f32>,
    /// What the gate gives each position.
    pub weights: Vec<f32>,
    /// Where each channel is largest.
    pub largest: Vec<usize>,
    /// Mean, gated, largest, known.
    pub pooled: Vec<f32>,
    pub joined: Vec<f32>,
    /// The log-odds that the text is a member.
    pub score: f32,
}

impl Network {
    pub fn layout(&self) -> Layout {
        Layout::new(self.variant)
    }

    pub fn part(&self, part: Part) -> &[f32] {
        &self.numbers[part]
    }

    pub fn score(&self, sheet: &Sheet) -> f32 {
        self.pass(sheet).score
    }

    pub fn pass(&self, sheet: &Sheet) -> Pass {
        Arch::new().dispatch(Reading {
            network: self,
            sheet,
        })
    }
}

struct Reading<'a> {
    network: &'a Network,
    sheet: &'a Sheet,
}

impl NullaryFnOnce for Reading<'_> {
    type Output = Pass;

    #[inline(always)]
    fn call(self) -> Pass {
        let (network, sheet) = (self.network, self.sheet);
        let layout = network.layout();
        let part = |part: Part| &network.numbers[part];
        let positions = sheet.positions;
        let inputs = standardised(&sheet.rows, part(layout.centre()), part(layout.spread()));
        let first = dense(&inputs, part(layout.first()), part(layout.first_bias()));
        let second = dense(&first, part(layout.second()), part(layout.second_bias()));
        let across = convolved(&second, part(layout.across()), part(layout.across_bias()));
        let state: Vec<f32> = second.iter().zip(&across).map(|(a, b)| a + b).collect();
        let weights = gated(&state, part(layout.gate()), part(layout.gate_bias())[0]);
        let (pooled, largest) = pooled(&state, &weights);
        let known = standardised(
            &sheet.known,
            part(layout.known_centre()),
            part(layout.known_spread()),
        );
        let pooled = [pooled, known].concat();
        let joined = dense(&pooled, part(layout.joined()), part(layout.joined_bias()));
        let last = part(layout.last());
        let score = joined.iter().zip(last).map(|(a, b)| a * b);
        let score = score.fold(part(layout.last_bias())[0], |sum, term| sum + term);
        Pass {
            positions,
            inputs,
            first,
            second,
            across,
            weights,
            largest,
            pooled,
            joined,
            score,
        }
    }
}

#[inline(always)]
fn standardised(rows: &[f32], centre: &[f32], spread: &[f32]) -> Vec<f32> {
    let scaled = |(place, value): (usize, &f32)| {
        let column = place % centre.len();
        ((value - centre[column]) / spread[column]).clamp(-FARTHEST, FARTHEST)
    };
    rows.iter().enumerate().map(scaled).collect()
}

/// max(0, bias + row · weights) for every row.
#[inline(always)]
fn dense(rows: &[f32], weights: &[f32], bias: &[f32]) -> Vec<f32> {
    let inner = weights.len() / WIDTH;
    let mut out = Vec::with_capacity(rows.len() / inner * WIDTH);
    for row in rows.chunks_exact(inner) {
        let mut sums = sums_of(bias);
        add_products(&mut sums, row, weights);
        out.extend(sums.map(|sum| sum.max(0.0)));
    }
    out
}

/// The same over a position and two on either side of it; beyond the ends there is nothing.
#[inline(always)]
fn convolved(rows: &[f32], weights: &[f32], bias: &[f32]) -> Vec<f32> {
    let positions = rows.len() / WIDTH;
    let mut out = Vec::with_capacity(rows.len());
    for position in 0..positions {
        let mut sums = sums_of(bias);
        for tap in 0..TAPS {
            let Some(place) = neighbour(position, tap, positions) else {
                continue;
            };
            let weights = &weights[tap * WIDTH * WIDTH..(tap + 1) * WIDTH * WIDTH];
            add_products(
                &mut sums,
                &rows[place * WIDTH..(place + 1) * WIDTH],
                weights,
            );
        }
        out.extend(sums.map(|sum| sum.max(0.0)));
    }
    out
}

/// The position that a tap looks at.
#[inline(always)]
pub fn neighbour(position: usize, tap: usize, positions: usize) -> Option<usize> {
    (position + tap)
        .checked_sub(TAPS / 2)
        .filter(|place| *place < positions)
}

#[inline(always)]
fn sums_of(bias: &[f32]) -> [f32; WIDTH] {
    let mut sums = [0.0; WIDTH];
    sums.copy_from_slice(bias);
    sums
}

/// Half of what follows a rectifier is zero, and adds nothing.
#[inline(always)]
fn add_products(sums: &mut [f32; WIDTH], row: &[f32], weights: &[f32]) {
    for (value, weights) in row.iter().zip(weights.chunks_exact(WIDTH)) {
        if *value != 0.0 {
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += value * weight;
            }
        }
    }
}

#[inline(always)]
fn gated(state: &[f32], gate: &[f32], bias: f32) -> Vec<f32> {
    let scores: Vec<f32> = state
        .chunks_exact(WIDTH)
        .map(|row| row.iter().zip(gate).fold(bias, |sum, (a, b)| sum + a * b))
        .collect();
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = scores.iter().map(|score| exp(score - largest)).collect();
    let total: f32 = powers.iter().sum();
    powers.iter().map(|power| power / total).collect()
}

/// In double precision, whose rounding to single hides differences between libraries.
fn exp(value: f32) -> f32 {
    f64::from(value).exp() as f32
}

#[inline(always)]
fn pooled(state: &[f32], weights: &[f32]) -> (Vec<f32>, Vec<usize>) {
    let count = weights.len() as f32;
    let mut mean = vec![0.0f32; WIDTH];
    let mut gated = vec![0.0f32; WIDTH];
    let mut most = vec![f32::NEG_INFINITY; WIDTH];
    let mut largest = vec![0; WIDTH];
    for (position, (row, weight)) in state.chunks_exact(WIDTH).zip(weights).enumerate() {
        for channel in 0..WIDTH {
            let value = row[channel];
            mean[channel] += value;
            gated[channel] += weight * value;
            if value > most[channel] {
                most[channel] = value;
                largest[channel] = position;
            }
        }
    }
    mean.iter_mut().for_each(|sum| *sum /= count);
    ([mean, gated, most].concat(), largest)
}
