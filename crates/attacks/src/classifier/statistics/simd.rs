//! Sums over shadows for eight records at a time, which the compiler turns into vector
//! instructions with the sums in registers.
//!
//! Each vector lane is a record and sums run over shadows in order, so the bits do not depend on
//! how wide the machine's vectors are. Where a multiply-add is fused it is fused everywhere: a
//! machine without the instruction computes the same bits, slowly.

use super::block::{LANES, Lanes, Tile};

/// The widest vectors at hand.
#[cfg(target_arch = "x86_64")]
enum Vectors {
    Avx512,
    Avx2,
    Baseline,
}

#[cfg(target_arch = "x86_64")]
impl Vectors {
    /// Cheap: the answer is looked up once and remembered by the standard library.
    fn of_this_machine() -> Self {
        use std::arch::is_x86_feature_detected as has;
        if !has!("fma") {
            Vectors::Baseline
        } else if has!("avx512f") && has!("avx512dq") && has!("avx512vl") {
            Vectors::Avx512
        } else if has!("avx2") {
            Vectors::Avx2
        } else {
            Vectors::Baseline
        }
    }
}

/// Defines a function that is also compiled for wider vectors, and called in the widest form that
/// the machine has.
macro_rules! widest {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) -> $result:ty $body:block) => {
        $(#[$doc])*
        pub(super) fn $name($($argument: $kind),*) -> $result {
            #[inline(always)]
            fn body($($argument: $kind),*) -> $result $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
                fn widest($($argument: $kind),*) -> $result {
                    body($($argument),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn wide($($argument: $kind),*) -> $result {
                    body($($argument),*)
                }
                match Vectors::of_this_machine() {
                    // SAFETY: the features were detected on this machine.
                    Vectors::Avx512 => return unsafe { widest($($argument),*) },
                    // SAFETY: the features were detected on this machine.
                    Vectors::Avx2 => return unsafe { wide($($argument),*) },
                    Vectors::Baseline => {}
                }
            }
            body($($argument),*)
        }
    };
}

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
    fn spread_singles(singles: &[[u8; 4]], tiles: &mut [Lanes], stride: usize) -> () {
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
    fn sums(tile: Tile) -> Sums {
        let mut sums = Sums::default();
        for (phi, inside) in tile.rows() {
            for i in 0..LANES {
                sums.count_in[i] += inside[i];
                sums.sum_in[i] += inside[i] * phi[i];
                sums.sum_out[i] += (1.0 - inside[i]) * phi[i];
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
    fn spreads(tile: Tile, mean_in: &Lanes, mean_out: &Lanes, target: &Lanes) -> Spreads {
        let mut sums = Spreads::default();
        for (phi, inside) in tile.rows() {
            for i in 0..LANES {
                let outside = 1.0 - inside[i];
                let from_in = phi[i] - mean_in[i];
                let from_out = phi[i] - mean_out[i];
                let less = if phi[i] < target[i] { 1.0 } else { 0.0 };
                sums.square_in[i] += inside[i] * (from_in * from_in);
                sums.square_out[i] += outside * (from_out * from_out);
                sums.below[i] += outside * less;
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
    fn sigmoids(phi: &[f64], p: &mut [f64], q: &mut [f64]) -> () {
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
    fn probabilities(tile: Tile, p: &[Lanes], q: &[Lanes]) -> Probabilities {
        let mut sums = Probabilities::default();
        for (((_, inside), p), q) in tile.rows().zip(p).zip(q) {
            for i in 0..LANES {
                let outside = 1.0 - inside[i];
                sums.p_all[i] += p[i];
                sums.q_all[i] += q[i];
                sums.p_out[i] += outside * p[i];
                sums.q_out[i] += outside * q[i];
            }
        }
        sums
    }
}

/// A polynomial for e^r on |r| ≤ ln2/2: 1 + r + r²·P(r), P interpolating (e^r − 1 − r)/r² at ten
/// Chebyshev nodes. Relative error 1.6e-17, in two terms fewer than Taylor's series needs.
const POWERS: [f64; 12] = [
    1.0,
    1.0,
    0.500_000_000_000_000_1,
    0.166_666_666_666_666_69,
    0.041_666_666_666_624_164,
    0.008_333_333_333_330_065,
    0.001_388_888_891_719_671_9,
    0.000_198_412_698_630_405_45,
    2.480_152_132_236_842_8e-5,
    2.755_726_848_030_982e-6,
    2.762_007_588_010_901_4e-7,
    2.510_037_583_265_786e-8,
];

/// The smallest exponent whose power is a normal number.
const LEAST: f64 = -708.0;
/// Sums of probabilities below this may consist of powers that were cut off at [`LEAST`].
pub(super) const VANISHING: f64 = 1e-290;

/// e^x for x ≤ 0 without branches; everything below −708 gives e^−708, which is 3e-308.
#[inline(always)]
fn exp_of_nonpositive(x: f64) -> f64 {
    // Adding 1.5·2⁵² rounds to the nearest integer and leaves it in the low bits.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let clamped = if x > LEAST { x } else { LEAST };
    let shifted = clamped.mul_add(std::f64::consts::LOG2_E, ROUNDER);
    let powers_of_two = shifted - ROUNDER;
    let r = powers_of_two.mul_add(-LN2_LOW, powers_of_two.mul_add(-LN2_HIGH, clamped));
    // Estrin's scheme: pairs, then pairs of pairs, so that the processor never waits for one long
    // chain of multiplications.
    let c = &POWERS;
    let pair = |n: usize| r.mul_add(c[n + 1], c[n]);
    let r2 = r * r;
    let r4 = r2 * r2;
    let low = r4.mul_add(r2.mul_add(pair(6), pair(4)), r2.mul_add(pair(2), pair(0)));
    let high = r2.mul_add(pair(10), pair(8));
    let sum = (r4 * r4).mul_add(high, low);
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    sum * scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branchless_exponential_agrees_with_the_library() {
        for step in 0..200_000 {
            let x = -708.0 * f64::from(step) / 200_000.0;
            let (fast, slow) = (exp_of_nonpositive(x), x.exp());
            assert!((fast / slow - 1.0).abs() < 6e-16, "{x}: {fast} {slow}");
        }
        assert_eq!(exp_of_nonpositive(0.0), 1.0);
        assert_eq!(exp_of_nonpositive(-1e300), exp_of_nonpositive(LEAST));
        assert!(exp_of_nonpositive(LEAST) * 1e9 < VANISHING);
    }
}
