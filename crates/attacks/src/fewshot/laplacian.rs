//! Laplacian-regularised assignment: records that lie close together are to be judged alike.
//!
//! Ziko et al. 2020, "Laplacian Regularized Few-Shot Learning", equation 8: with unaries U (the
//! squared distance of each record to each prototype) and a graph W of near records, the bound
//! update Y ← softmax(−U + λ W Y) lowers Σ Y ln Y + U·Y − λ (W Y)·Y step by step.
//!
//! An audit does this tens of thousands of times, so rows are padded to whole vectors and sums run
//! in lanes of a fixed number: the bits are the same on every processor.

use pulp::{Arch, NullaryFnOnce};

const MOST_STEPS: usize = 20;
const TOLERANCE: f64 = 1e-6;
/// Values that are worked on at once.
const LANES: usize = 4;

/// The records of one set, with what does not depend on hyper-parameters.
pub(super) struct Graph {
    prototypes: usize,
    /// The length of a row: prototypes and padding.
    padded: usize,
    /// Infinite in the padding, which so gets no share.
    unaries: Vec<f64>,
    /// For each record the others, nearest first, as far as any candidate looks.
    neighbours: Vec<u32>,
    looked: usize,
}

impl Graph {
    /// `unaries` is [records, prototypes], `between` the squared distances [records, records];
    /// each record looks at up to `most` others.
    pub(super) fn new(unaries: &[f64], prototypes: usize, between: &[f64], most: usize) -> Self {
        let records = unaries.len() / prototypes;
        let looked = most.min(records.saturating_sub(1));
        let mut neighbours = Vec::with_capacity(records * looked);
        for (record, distances) in between.chunks_exact(records.max(1)).enumerate() {
            let mut others: Vec<u32> = (0..records as u32)
                .filter(|&other| other as usize != record)
                .collect();
            // Stable: equally near records stay in their order.
            let distance = |other: &u32| distances[*other as usize];
            others.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
            neighbours.extend(&others[..looked]);
        }
        let padded = prototypes.next_multiple_of(LANES);
        let mut rows = vec![f64::INFINITY; records * padded];
        for (place, row) in rows
            .chunks_exact_mut(padded)
            .zip(unaries.chunks_exact(prototypes))
        {
            place[..prototypes].copy_from_slice(row);
        }
        Self {
            prototypes,
            padded,
            unaries: rows,
            neighbours,
            looked,
        }
    }

    /// Shares [records, prototypes] after bound updates until the energy settles; every row sums
    /// to 1. Each record leans on its `near` nearest others.
    pub(super) fn settle(&self, near: usize, lambda: f64) -> Vec<f64> {
        self.trace(near, lambda).0
    }

    /// The same, with the steps taken and the energy at the end.
    pub(super) fn trace(&self, near: usize, lambda: f64) -> (Vec<f64>, usize, f64) {
        let mut shares = vec![0.0; self.unaries.len()];
        let descent = Descent {
            graph: self,
            near: near.min(self.looked),
            lambda,
            shares: &mut shares,
        };
        let (steps, energy) = Arch::new().dispatch(descent);
        let rows = shares.chunks_exact(self.padded);
        let shares = rows.flat_map(|row| &row[..self.prototypes]).copied();
        (shares.collect(), steps, energy)
    }

    /// Y ← softmax(−U + λ pull); gives Σ Y ln Y + U·Y, where ln Y = −U + λ pull − ln Z needs no
    /// logarithm per value: the sum is Σ λ pull·Y − ln Z per record.
    #[inline(always)]
    fn update(&self, pull: &[f64], lambda: f64, shares: &mut [f64]) -> f64 {
        let mut total = 0.0;
        let rows = self.unaries.chunks_exact(self.padded);
        let rows = rows.zip(pull.chunks_exact(self.padded));
        for ((unary, pull), out) in rows.zip(shares.chunks_exact_mut(self.padded)) {
            for ((out, unary), pull) in out.iter_mut().zip(unary).zip(pull) {
                *out = lambda * pull - unary;
            }
            let top = largest(out);
            total -= top;
            for value in out.iter_mut() {
                *value -= top;
            }
        }
        // Over all rows at once, because a single row is too short to keep the processor busy.
        for value in shares.iter_mut() {
            *value = exp(*value);
        }
        let rows = shares.chunks_exact_mut(self.padded);
        for (out, pull) in rows.zip(pull.chunks_exact(self.padded)) {
            let sum = sum(out);
            let scale = 1.0 / sum;
            for value in out.iter_mut() {
                *value *= scale;
            }
            total += lambda * dot(out, pull) - sum.ln();
        }
        total
    }

    /// pull ← W Y.
    #[inline(always)]
    fn gather(&self, shares: &[f64], near: usize, pull: &mut [f64]) {
        if near == 0 {
            pull.fill(0.0);
            return;
        }
        let lists = self.neighbours.chunks_exact(self.looked);
        for (list, out) in lists.zip(pull.chunks_exact_mut(self.padded)) {
            for (first, out) in (0..).step_by(LANES).zip(out.chunks_exact_mut(LANES)) {
                let mut lanes = [0.0; LANES];
                for &other in &list[..near] {
                    let piece = &shares[other as usize * self.padded + first..][..LANES];
                    for (lane, value) in lanes.iter_mut().zip(piece) {
                        *lane += value;
                    }
                }
                out.copy_from_slice(&lanes);
            }
        }
    }
}

/// The updates of one candidate. No closure, because its body must become part of the code for the
/// processor at hand.
struct Descent<'a> {
    graph: &'a Graph,
    near: usize,
    lambda: f64,
    shares: &'a mut [f64],
}

impl NullaryFnOnce for Descent<'_> {
    /// Steps taken, and the energy at the end.
    type Output = (usize, f64);

    #[inline(always)]
    fn call(self) -> (usize, f64) {
        let Descent {
            graph,
            near,
            lambda,
            shares,
        } = self;
        let mut pull = vec![0.0; shares.len()];
        graph.update(&pull, lambda, shares);
        graph.gather(shares, near, &mut pull);
        let (mut energy, mut steps) = (f64::INFINITY, 0);
        while steps < MOST_STEPS {
            let last = energy;
            energy = graph.update(&pull, lambda, shares);
            graph.gather(shares, near, &mut pull);
            energy -= lambda * dot(shares, &pull);
            steps += 1;
            if steps > 2 && (energy - last).abs() <= TOLERANCE * last.abs() {
                break;
            }
        }
        (steps, energy)
    }
}

/// The lanes of a row, joined at the end in a fixed order.
#[inline(always)]
fn in_lanes(values: &[f64], start: f64, join: impl Fn(f64, f64) -> f64) -> f64 {
    let mut lanes = [start; LANES];
    for chunk in values.chunks_exact(LANES) {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = join(*lane, *value);
        }
    }
    join(join(lanes[0], lanes[1]), join(lanes[2], lanes[3]))
}

#[inline(always)]
fn largest(row: &[f64]) -> f64 {
    in_lanes(row, f64::NEG_INFINITY, |a, b| if b > a { b } else { a })
}

#[inline(always)]
fn sum(row: &[f64]) -> f64 {
    in_lanes(row, 0.0, |a, b| a + b)
}

#[inline(always)]
fn dot(left: &[f64], right: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let chunks = left.chunks_exact(LANES).zip(right.chunks_exact(LANES));
    for (left, right) in chunks {
        for ((lane, a), b) in lanes.iter_mut().zip(left).zip(right) {
            *lane += a * b;
        }
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

/// 1.5·2⁵²: added to a small number, it leaves the nearest integer in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts; the first has zeros at its end, so that its small multiples are exact.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// eˣ for x ≤ 0 to 1e-14 relative, without a branch or a call, so that it is done in vectors:
/// 2ⁿ times the Taylor series of the rest. Below −700 it stays at e⁻⁷⁰⁰.
#[inline(always)]
fn exp(x: f64) -> f64 {
    let x = if x > -700.0 { x } else { -700.0 };
    let shifted = x * std::f64::consts::LOG2_E + ROUNDER;
    let whole = shifted - ROUNDER;
    let r = (x - whole * LN_2_HIGH) - whole * LN_2_LOW;
    let power = f64::from_bits((shifted.to_bits().wrapping_add(1023)) << 52);
    let mut series = 1.0 / 479_001_600.0;
    for factor in FACTORIALS {
        series = series * r + 1.0 / factor;
    }
    power * series
}

/// 11! down to 0!.
const FACTORIALS: [f64; 12] = [
    39_916_800.0,
    3_628_800.0,
    362_880.0,
    40_320.0,
    5_040.0,
    720.0,
    120.0,
    24.0,
    6.0,
    2.0,
    1.0,
    1.0,
];

#[cfg(test)]
mod tests {
    use super::exp;

    #[test]
    fn exp_agrees_with_the_library() {
        for x in (0..70_000).map(|i| f64::from(i) * -0.01) {
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-13, "{x}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(f64::NEG_INFINITY) < 1e-300);
    }
}
