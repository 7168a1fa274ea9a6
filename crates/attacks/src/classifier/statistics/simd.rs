//! Sums over shadows for eight records at a time, which the compiler turns into vector
//! instructions with the sums in registers.
//!
//! Each vector lane is a record and sums run over shadows in order, so the bits do not depend on
//! how wide the machine's vectors are. Where a multiply-add is fused it is fused everywhere: a
//! machine without the instruction computes the same bits, slowly.

use std::f64::consts::{LN_2, LOG2_E};

use stats::vectors::half_tanh;
use stats::widest;

use super::block::{LANES, Lanes, Mask, Stored, Tile};

/// Asks the memory for bytes that will be read soon: rows of a matrix lie too far apart for the
/// processor to foresee which comes next.
pub(super) fn fetch_soon(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint about bytes that are there; it reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

/// What the sums of a tile's records are taken from.
#[derive(Clone, Copy, Default)]
pub(super) struct Origins {
    /// A number near the φ of the shadows that trained on the record, and of those that did not.
    pub inside: Lanes,
    pub outside: Lanes,
    /// φ under the target.
    pub target: Lanes,
}

/// Of the distances from the origin: sum and sum of squares over IN and over OUT shadows. And how many OUT
/// shadows there are, and how many of them are less confident than the target.
#[derive(Clone, Copy, Default)]
pub(super) struct Sums {
    pub inside: Lanes,
    pub outside: Lanes,
    pub square_in: Lanes,
    pub square_out: Lanes,
    pub count_out: [u64; LANES],
    pub below: [u64; LANES],
}

impl Sums {
    #[inline(always)]
    fn add(&mut self, i: usize, phi: f64, outside: u64, from: &Origins) {
        let to_in = kept(phi - from.inside[i], !outside);
        let to_out = kept(phi - from.outside[i], outside);
        self.inside[i] += to_in;
        self.outside[i] += to_out;
        self.square_in[i] = to_in.mul_add(to_in, self.square_in[i]);
        self.square_out[i] = to_out.mul_add(to_out, self.square_out[i]);
        // All bits of a lane are minus one.
        self.count_out[i] = self.count_out[i].wrapping_sub(outside);
        let less = if phi < from.target[i] { outside } else { 0 };
        self.below[i] = self.below[i].wrapping_sub(less);
    }
}

/// The number where the mask has all bits, 0 where it has none.
#[inline(always)]
fn kept(number: f64, mask: u64) -> f64 {
    f64::from_bits(number.to_bits() & mask)
}

widest! {
    pub(super) fn sums<T: Stored>(tile: Tile<T>, from: &Origins) -> Sums {
        let mut sums = Sums::default();
        for (phi, outside) in tile.rows() {
            for i in 0..LANES {
                sums.add(i, phi[i].widened(), outside[i], from);
            }
        }
        sums
    }
}

/// Squared distances from the class means, summed over IN and over OUT shadows.
#[derive(Clone, Copy, Default)]
pub(super) struct Spreads {
    pub square_in: Lanes,
    pub square_out: Lanes,
}

widest! {
    pub(super) fn spreads<T: Stored>(tile: Tile<T>, mean_in: &Lanes, mean_out: &Lanes) -> Spreads {
        let mut sums = Spreads::default();
        for (phi, outside) in tile.rows() {
            for i in 0..LANES {
                let phi = phi[i].widened();
                let from_in = kept(phi - mean_in[i], !outside[i]);
                let from_out = kept(phi - mean_out[i], outside[i]);
                sums.square_in[i] = from_in.mul_add(from_in, sums.square_in[i]);
                sums.square_out[i] = from_out.mul_add(from_out, sums.square_out[i]);
            }
        }
        sums
    }
}

/// So many shadows' numbers are between two steps at a time: they stay in the fastest cache.
const RUN: usize = 64;

/// What lies between the steps to the sigmoid, of a run of shadows.
#[repr(align(64))]
pub(super) struct Run {
    remainder: [Lanes; RUN],
    /// A power of two at first, then σ.
    sigmoid: [Lanes; RUN],
}

impl Default for Run {
    fn default() -> Self {
        Self {
            remainder: [[0.0; LANES]; RUN],
            sigmoid: [[0.0; LANES]; RUN],
        }
    }
}

/// Sums of σ(φ), or of σ(−φ) where `flipped`, over all and over OUT shadows.
#[derive(Clone, Copy, Default)]
pub(super) struct Probabilities {
    pub all: Lanes,
    pub outside: Lanes,
}

/// Sums and probabilities in one pass. σ is taken in steps of few operations each: a long chain of them has the
/// processor wait. `flipped` is the bit of the sign, or nothing.
pub(super) fn sums_and_probabilities<T: Stored>(
    tile: Tile<T>,
    from: &Origins,
    flipped: &Mask,
    run: &mut Run,
) -> (Sums, Probabilities) {
    let mut sums = Sums::default();
    let mut probabilities = Probabilities::default();
    for tile in tile.runs(RUN) {
        let shadows = tile.shadows();
        let (remainder, sigmoid) = (&mut run.remainder[..shadows], &mut run.sigmoid[..shadows]);
        reduce(tile, from, flipped, &mut sums, remainder, sigmoid);
        sigmoids(remainder.as_flattened(), sigmoid.as_flattened_mut());
        add(tile, sigmoid, &mut probabilities);
    }
    (sums, probabilities)
}

/// Where e^−φ is cut off, at a normal number, and where σ is 1 to the last digit.
const LEAST: f64 = -708.0;
const MOST: f64 = 40.0;

widest! {
    /// φ = k ln 2 + r with |r| ≤ ln 2 / 2: r and 2ᵏ, and the sums on the way.
    fn reduce<T: Stored>(
        tile: Tile<T>,
        from: &Origins,
        flipped: &Mask,
        into: &mut Sums,
        remainder: &mut [Lanes],
        power: &mut [Lanes],
    ) -> () {
        // Adding 1.5·2⁵² rounds to the nearest integer and leaves it in the low bits.
        const ROUNDER: f64 = 6_755_399_441_055_744.0;
        let mut sums = *into;
        let rows = tile.rows().zip(remainder).zip(power);
        for (((phi, outside), remainder), power) in rows {
            for i in 0..LANES {
                let phi = phi[i].widened();
                sums.add(i, phi, outside[i], from);
                let phi = f64::from_bits(phi.to_bits() ^ flipped[i]);
                let phi = if phi > LEAST { phi } else { LEAST };
                let phi = if phi < MOST { phi } else { MOST };
                let shifted = phi.mul_add(LOG2_E, ROUNDER);
                remainder[i] = (shifted - ROUNDER).mul_add(-LN_2, phi);
                power[i] = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
            }
        }
        *into = sums;
    }
}

widest! {
    /// σ(φ) = 2ᵏ(A + rB) / (2ᵏ(A + rB) + (A − rB)), as e^r = (1 + tanh(r/2)) / (1 − tanh(r/2)). 2ᵏ is where σ will
    /// be.
    fn sigmoids(remainder: &[f64], sigmoid: &mut [f64]) -> () {
        for (r, sigmoid) in remainder.iter().zip(sigmoid) {
            let (a, b) = half_tanh(*r);
            let above = (a + b) * *sigmoid;
            *sigmoid = above / (above + (a - b));
        }
    }
}

widest! {
    /// Four shadows at a time: a sum waits for the one before.
    fn add<T: Stored>(tile: Tile<T>, sigmoid: &[Lanes], into: &mut Probabilities) -> () {
        let mut outside = tile.outside();
        let (fours, rest) = sigmoid.as_chunks::<4>();
        let mut sums = *into;
        let mut others = Probabilities::default();
        for p in fours {
            let masks: [&Mask; 4] = std::array::from_fn(|_| outside.next().unwrap_or(&[0; LANES]));
            for i in 0..LANES {
                let out = |n: usize| kept(p[n][i], masks[n][i]);
                sums.all[i] += p[0][i] + p[1][i];
                others.all[i] += p[2][i] + p[3][i];
                sums.outside[i] += out(0) + out(1);
                others.outside[i] += out(2) + out(3);
            }
        }
        for (p, outside) in rest.iter().zip(outside) {
            for i in 0..LANES {
                sums.all[i] += p[i];
                sums.outside[i] += kept(p[i], outside[i]);
            }
        }
        for i in 0..LANES {
            into.all[i] = sums.all[i] + others.all[i];
            into.outside[i] = sums.outside[i] + others.outside[i];
        }
    }
}
