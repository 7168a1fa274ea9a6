//! Loops that the compiler turns into vector instructions, for the widest vectors that the machine has, and an
//! exponential that such loops can hold.
//!
//! A loop must give the same bits at any width: lanes never mix, and where a multiply-add is fused it is fused
//! everywhere; a machine without the instruction computes the same bits, slowly.

/// The widest vectors at hand.
#[cfg(target_arch = "x86_64")]
#[doc(hidden)]
pub enum Vectors {
    Avx512,
    Avx2,
    Baseline,
}

#[cfg(target_arch = "x86_64")]
impl Vectors {
    /// Cheap: the answer is looked up once and remembered by the standard library.
    pub fn of_this_machine() -> Self {
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
#[macro_export]
macro_rules! widest {
    ($(#[$doc:meta])* $scope:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) -> $result:ty $body:block) => {
        $(#[$doc])*
        $scope fn $name($($argument: $kind),*) -> $result {
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
                match $crate::vectors::Vectors::of_this_machine() {
                    // SAFETY: the features were detected on this machine.
                    $crate::vectors::Vectors::Avx512 => return unsafe { widest($($argument),*) },
                    // SAFETY: the features were detected on this machine.
                    $crate::vectors::Vectors::Avx2 => return unsafe { wide($($argument),*) },
                    $crate::vectors::Vectors::Baseline => {}
                }
            }
            body($($argument),*)
        }
    };
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
pub const VANISHING: f64 = 1e-290;

/// e^x for x ≤ 0 without branches; everything below −708 gives e^−708, which is 3e-308.
#[inline(always)]
pub fn exp_of_nonpositive(x: f64) -> f64 {
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

/// Sums of so many lanes, at any width of vectors.
const LANES: usize = 8;

widest! {
    /// At how many places both have the same number; NaN is no number.
    pub fn equal_places(one: &[f64], other: &[f64]) -> usize {
        let equal = one.iter().zip(other).map(|(a, b)| u64::from(a == b));
        equal.sum::<u64>() as usize
    }
}

widest! {
    /// Σ (one − its mean)(other − its mean), lane by lane.
    pub fn centred_product(one: &[f64], mean: f64, other: &[f64], other_mean: f64) -> f64 {
        let (eights, rest) = one.as_chunks::<LANES>();
        let (others, other_rest) = other.as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (a, b) in eights.iter().zip(others) {
            for i in 0..LANES {
                sums[i] += (a[i] - mean) * (b[i] - other_mean);
            }
        }
        let rest = rest.iter().zip(other_rest);
        let rest: f64 = rest.map(|(a, b)| (a - mean) * (b - other_mean)).sum();
        sums.iter().sum::<f64>() + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_numbers_are_those_of_plain_loops() {
        for length in [0, 1, 7, 8, 9, 1024, 1029] {
            let one: Vec<f64> = (0..length).map(|i| f64::from(i * 37 % 11) - 4.0).collect();
            let mut other: Vec<f64> = (0..length).map(|i| f64::from(i * 23 % 11) - 4.0).collect();
            other
                .iter_mut()
                .step_by(5)
                .for_each(|value| *value = f64::NAN);
            let pairs = || one.iter().zip(&other);
            let slow = pairs().filter(|(a, b)| a == b).count();
            assert_eq!(equal_places(&one, &other), slow);
            other.iter_mut().step_by(5).for_each(|value| *value = 0.5);
            let slow: f64 = one
                .iter()
                .zip(&other)
                .map(|(a, b)| (a - 1.5) * (b + 0.25))
                .sum();
            let fast = centred_product(&one, 1.5, &other, -0.25);
            assert!((fast - slow).abs() < 1e-9, "{length}: {fast} {slow}");
        }
    }

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
