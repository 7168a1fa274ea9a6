//! Loops over records that the compiler turns into vector instructions.
//!
//! Each vector lane is a record and sums run over shadows in order, so the bits do not depend on
//! how wide the machine's vectors are. No fused multiply-add is used for the same reason.

/// Calls a loop body compiled for AVX2 where the machine has it, else for the baseline.
macro_rules! widest {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $body:block) => {
        $(#[$doc])*
        pub(super) fn $name($($argument: $kind),*) {
            #[inline(always)]
            fn body($($argument: $kind),*) $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn wide($($argument: $kind),*) {
                    body($($argument),*)
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the feature was just detected on this machine.
                    return unsafe { wide($($argument),*) };
                }
            }
            body($($argument),*)
        }
    };
}

widest! {
    /// Adds one shadow's values to the sums of both classes.
    fn add_sums(phi: &[f64], weight: &[f64], count_in: &mut [f64], sum_in: &mut [f64], sum_out: &mut [f64]) {
        let lanes = phi.len();
        let (weight, count_in) = (&weight[..lanes], &mut count_in[..lanes]);
        let (sum_in, sum_out) = (&mut sum_in[..lanes], &mut sum_out[..lanes]);
        for i in 0..lanes {
            count_in[i] += weight[i];
            sum_in[i] += weight[i] * phi[i];
            sum_out[i] += (1.0 - weight[i]) * phi[i];
        }
    }
}

widest! {
    /// Adds one shadow's squared distances from the class means.
    fn add_squares(
        phi: &[f64],
        weight: &[f64],
        mean_in: &[f64],
        mean_out: &[f64],
        square_in: &mut [f64],
        square_out: &mut [f64],
    ) {
        let lanes = phi.len();
        let (weight, mean_in, mean_out) = (&weight[..lanes], &mean_in[..lanes], &mean_out[..lanes]);
        let (square_in, square_out) = (&mut square_in[..lanes], &mut square_out[..lanes]);
        for i in 0..lanes {
            let inside = phi[i] - mean_in[i];
            let outside = phi[i] - mean_out[i];
            square_in[i] += weight[i] * (inside * inside);
            square_out[i] += (1.0 - weight[i]) * (outside * outside);
        }
    }
}

widest! {
    /// Adds one shadow's probabilities p and complements q = 1 − p, over all shadows and over
    /// those that did not train on the record.
    fn add_probabilities(
        phi: &[f64],
        weight: &[f64],
        p_all: &mut [f64],
        q_all: &mut [f64],
        p_out: &mut [f64],
        q_out: &mut [f64],
    ) {
        let lanes = phi.len();
        let weight = &weight[..lanes];
        let (p_all, q_all) = (&mut p_all[..lanes], &mut q_all[..lanes]);
        let (p_out, q_out) = (&mut p_out[..lanes], &mut q_out[..lanes]);
        for i in 0..lanes {
            let small = exp_of_nonpositive(-phi[i].abs());
            let large = 1.0 / (1.0 + small);
            let small = small * large;
            let positive = phi[i] >= 0.0;
            let p = if positive { large } else { small };
            let q = if positive { small } else { large };
            let outside = 1.0 - weight[i];
            p_all[i] += p;
            q_all[i] += q;
            p_out[i] += outside * p;
            q_out[i] += outside * q;
        }
    }
}

widest! {
    /// Counts shadows that did not train on the record and are less confident than the target.
    fn count_below(phi: &[f64], weight: &[f64], target: &[f64], below: &mut [f64]) {
        let lanes = phi.len();
        let (weight, target, below) = (&weight[..lanes], &target[..lanes], &mut below[..lanes]);
        for i in 0..lanes {
            below[i] += if phi[i] < target[i] { 1.0 - weight[i] } else { 0.0 };
        }
    }
}

/// 1/n! for the exponential's Taylor series; on |r| ≤ ln2/2 the first omitted term is 4e-18.
const INVERSE_FACTORIALS: [f64; 14] = [
    1.0,
    1.0,
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

/// e^x for x ≤ 0 without branches; below −708 it is 0.
#[inline(always)]
fn exp_of_nonpositive(x: f64) -> f64 {
    // Adding 1.5·2⁵² rounds to the nearest integer and leaves it in the low bits.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let clamped = x.max(-708.0);
    let shifted = clamped * std::f64::consts::LOG2_E + ROUNDER;
    let powers_of_two = shifted - ROUNDER;
    let r = (clamped - powers_of_two * LN2_HIGH) - powers_of_two * LN2_LOW;
    let mut sum = INVERSE_FACTORIALS[13];
    let mut n = 13;
    while n > 0 {
        n -= 1;
        sum = sum * r + INVERSE_FACTORIALS[n];
    }
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    if x < -708.0 { 0.0 } else { sum * scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branchless_exponential_agrees_with_the_library() {
        for step in 0..200_000 {
            let x = -708.0 * f64::from(step) / 200_000.0;
            let (fast, slow) = (exp_of_nonpositive(x), x.exp());
            assert!((fast / slow - 1.0).abs() < 4e-16, "{x}: {fast} {slow}");
        }
        assert_eq!(exp_of_nonpositive(0.0), 1.0);
        assert_eq!(exp_of_nonpositive(-1e300), 0.0);
    }
}
