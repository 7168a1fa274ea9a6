//! Sums over shadows for eight records at a time, which the compiler turns into vector
//! instructions with the sums in registers.
//!
//! Each vector lane is a record and sums run over shadows in order, so the bits do not depend on
//! how wide the machine's vectors are. Where a multiply-add is fused it is fused everywhere: a
//! machine without the instruction computes the same bits, slowly.

use stats::vectors::exp_of_nonpositive;
use stats::widest;

use super::block::{LANES, Lanes, Tile};

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

widest! {
    /// Widens one shadow's single-precision numbers into its place in every tile.
    pub(super) fn spread_singles(singles: &[[u8; 4]], tiles: &mut [Lanes], stride: usize) -> () {
        let (whole, rest) = singles.as_chunks::<LANES>();
        for (eight, tile) in whole.iter().zip(tiles.iter_mut().step_by(stride)) {
            for i in 0..LANES {
                tile[i] = f64::from(f32::from_le_bytes(eight[i]));
            }
        }
        if let Some(tile) = tiles.get_mut(whole.len() * stride) {
            for (lane, single) in tile.iter_mut().zip(rest) {
                *lane = f64::from(f32::from_le_bytes(*single));
            }
        }
    }
}

/// Count of IN shadows, and sums of φ over IN and over OUT shadows.
#[derive(Clone, Copy, Default)]
pub(super) struct Sums {
    pub count_in: Lanes,
    pub sum_in: Lanes,
    pub sum_out: Lanes,
}

widest! {
    pub(super) fn sums(tile: Tile) -> Sums {
        let mut sums = Sums::default();
        for (phi, inside) in tile.rows() {
            for i in 0..LANES {
                sums.count_in[i] += inside[i];
                sums.sum_in[i] = inside[i].mul_add(phi[i], sums.sum_in[i]);
                sums.sum_out[i] = (1.0 - inside[i]).mul_add(phi[i], sums.sum_out[i]);
            }
        }
        sums
    }
}

/// Squared distances from the class means, summed over IN and over OUT shadows, and how many OUT
/// shadows are less confident than the target.
#[derive(Clone, Copy, Default)]
pub(super) struct Spreads {
    pub square_in: Lanes,
    pub square_out: Lanes,
    pub below: Lanes,
}

widest! {
    pub(super) fn spreads(tile: Tile, mean_in: &Lanes, mean_out: &Lanes, target: &Lanes) -> Spreads {
        let mut sums = Spreads::default();
        for (phi, inside) in tile.rows() {
            for i in 0..LANES {
                let outside = 1.0 - inside[i];
                let from_in = phi[i] - mean_in[i];
                let from_out = phi[i] - mean_out[i];
                let less = if phi[i] < target[i] { 1.0 } else { 0.0 };
                sums.square_in[i] = inside[i].mul_add(from_in * from_in, sums.square_in[i]);
                sums.square_out[i] = outside.mul_add(from_out * from_out, sums.square_out[i]);
                sums.below[i] = outside.mul_add(less, sums.below[i]);
            }
        }
        sums
    }
}

/// Sums of probabilities p and complements q = 1 − p over all and over OUT shadows.
#[derive(Clone, Copy, Default)]
pub(super) struct Probabilities {
    pub p_all: Lanes,
    pub q_all: Lanes,
    pub p_out: Lanes,
    pub q_out: Lanes,
}

widest! {
    /// p and q of every φ. A long plain loop: short ones with this much arithmetic per value are
    /// unrolled by the compiler instead of vectorised.
    pub(super) fn sigmoids(phi: &[f64], p: &mut [f64], q: &mut [f64]) -> () {
        for ((&phi, p), q) in phi.iter().zip(p).zip(q) {
            let small = exp_of_nonpositive(-phi.abs());
            let large = 1.0 / (1.0 + small);
            let small = small * large;
            let positive = phi >= 0.0;
            *p = if positive { large } else { small };
            *q = if positive { small } else { large };
        }
    }
}

widest! {
    pub(super) fn probabilities(tile: Tile, p: &[Lanes], q: &[Lanes]) -> Probabilities {
        let mut sums = Probabilities::default();
        for (((_, inside), p), q) in tile.rows().zip(p).zip(q) {
            for i in 0..LANES {
                let outside = 1.0 - inside[i];
                sums.p_all[i] += p[i];
                sums.q_all[i] += q[i];
                sums.p_out[i] = outside.mul_add(p[i], sums.p_out[i]);
                sums.q_out[i] = outside.mul_add(q[i], sums.q_out[i]);
            }
        }
        sums
    }
}
