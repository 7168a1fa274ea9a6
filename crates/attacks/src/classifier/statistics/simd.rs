//! Sums over shadows for eight records at a time, which the compiler turns into vector
//! instructions with the sums in registers.
//!
//! Each vector lane is a record and sums run over shadows in order, so the bits do not depend on
//! how wide the machine's vectors are. Where a multiply-add is fused it is fused everywhere: a
//! machine without the instruction computes the same bits, slowly.

use stats::vectors::{half_tanh, in_powers_of_two};
use stats::widest;

use super::block::{LANES, Lanes, Stored, Tile};

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

/// What lies between the steps to the probabilities, of a run of shadows.
#[repr(align(64))]
pub(super) struct Run {
    remainder: [Lanes; RUN],
    /// A signed power of two at first, then p less the nearer of 0 and 1.
    apart: [Lanes; RUN],
}

impl Default for Run {
    fn default() -> Self {
        Self {
            remainder: [[0.0; LANES]; RUN],
            apart: [[0.0; LANES]; RUN],
        }
    }
}

/// Σp as how many p are nearer to 1 than to 0, and what they are apart from the nearer of both, summed: so Σp keeps
/// its digits where it is small, and Σ(1 − p) where that is.
#[derive(Clone, Copy, Default)]
pub(super) struct Probabilities {
    pub ones: [u64; LANES],
    pub apart: Lanes,
}

impl Probabilities {
    #[inline(always)]
    fn add(&mut self, i: usize, apart: f64) {
        // Below 1: the bit of the sign.
        self.ones[i] += apart.to_bits() >> 63;
        self.apart[i] += apart;
    }
}

/// Probabilities under all and under OUT shadows.
#[derive(Clone, Copy, Default)]
pub(super) struct BothProbabilities {
    pub all: Probabilities,
    pub outside: Probabilities,
}

/// Sums and probabilities in one pass. p = σ(φ) is taken in steps of few operations each: a long chain of them has
/// the processor wait.
pub(super) fn sums_and_probabilities<T: Stored>(
    tile: Tile<T>,
    from: &Origins,
    run: &mut Run,
) -> (Sums, BothProbabilities) {
    let mut sums = Sums::default();
    let mut probabilities = BothProbabilities::default();
    for tile in tile.runs(RUN) {
        let shadows = tile.shadows();
        let (remainder, apart) = (&mut run.remainder[..shadows], &mut run.apart[..shadows]);
        reduce(tile, from, &mut sums, remainder, apart);
        sigmoids(remainder.as_flattened(), apart.as_flattened_mut());
        add(tile, apart, &mut probabilities);
    }
    (sums, probabilities)
}

widest! {
    /// −|φ| = k ln 2 + r: r and 2ᵏ, with the sign that p will have less the nearer of 0 and 1. And the sums on the way.
    fn reduce<T: Stored>(
        tile: Tile<T>,
        from: &Origins,
        into: &mut Sums,
        remainder: &mut [Lanes],
        power: &mut [Lanes],
    ) -> () {
        let mut sums = *into;
        let rows = tile.rows().zip(remainder).zip(power);
        for (((phi, outside), remainder), power) in rows {
            for i in 0..LANES {
                let phi = phi[i].widened();
                sums.add(i, phi, outside[i], from);
                let (r, two_to_k) = in_powers_of_two(-phi.abs());
                remainder[i] = r;
                power[i] = two_to_k.copysign(-phi);
            }
        }
        *into = sums;
    }
}

widest! {
    /// σ(−|φ|) = 2ᵏ(A + rB) / (2ᵏ(A + rB) + (A − rB)), as e^r = (1 + tanh(r/2)) / (1 − tanh(r/2)). The signed 2ᵏ
    /// is where it will be, with that sign.
    fn sigmoids(remainder: &[f64], apart: &mut [f64]) -> () {
        for (r, apart) in remainder.iter().zip(apart) {
            let (a, b) = half_tanh(*r);
            let above = (a + b) * *apart;
            *apart = above / (above.abs() + (a - b));
        }
    }
}

widest! {
    fn add<T: Stored>(tile: Tile<T>, apart: &[Lanes], into: &mut BothProbabilities) -> () {
        let mut sums = *into;
        for (apart, outside) in apart.iter().zip(tile.outside()) {
            for i in 0..LANES {
                sums.all.add(i, apart[i]);
                sums.outside.add(i, kept(apart[i], outside[i]));
            }
        }
        *into = sums;
    }
}
