//! Standard normal values in bulk. DP-SGD draws one per weight and batch, so they are made many at
//! a time by the transform of Box & Muller 1958, in vector code.

use std::f64::consts::{FRAC_PI_4, LN_2};

use stats::streams::Rng;

use crate::elementwise::vectorised;

/// Pairs made at a time.
const PAIRS: usize = 64;

/// Values made at a time.
pub(crate) const BLOCK: usize = 2 * PAIRS;

/// The next values of a stream.
pub(crate) fn block<R: Rng + ?Sized>(stream: &mut R) -> [f64; BLOCK] {
    let draws: [u64; BLOCK] = std::array::from_fn(|_| stream.next_u64());
    let mut values = [0.0; BLOCK];
    vectorised(|| {
        let (lengths, angles) = draws.split_at(PAIRS);
        let (xs, ys) = values.split_at_mut(PAIRS);
        for index in 0..PAIRS {
            (xs[index], ys[index]) = pair(lengths[index], angles[index]);
        }
    });
    values
}

/// A point at distance √(−2 ln u) from the origin, in a uniform direction: an angle within a
/// quarter turn from the upper bits of a draw, then one of four rotations from its lowest two.
#[inline(always)]
fn pair(length: u64, angle: u64) -> (f64, f64) {
    const UNIT: f64 = 1.0 / (1u64 << 53) as f64;
    let radius = (-2.0 * ln((to_f64(length >> 11) + 1.0) * UNIT)).sqrt();
    let turn = (2.0 * to_f64(angle >> 11) * UNIT - 1.0) * FRAC_PI_4;
    let (sine, cosine) = sine_and_cosine(turn);
    let (x, y) = if angle & 1 == 0 {
        (cosine, sine)
    } else {
        (-sine, cosine)
    };
    let sign = if angle & 2 == 0 { radius } else { -radius };
    (sign * x, sign * y)
}

/// Exact for whole numbers below 2⁵³, by halves: vectors of 64-bit integers are not converted by
/// every processor.
#[inline(always)]
fn to_f64(whole: u64) -> f64 {
    const TWO_52: u64 = 0x4330_0000_0000_0000;
    const TWO_84: u64 = 0x4530_0000_0000_0000;
    let low = f64::from_bits((whole & 0xffff_ffff) | TWO_52) - f64::from_bits(TWO_52);
    let high = f64::from_bits((whole >> 32) | TWO_84) - f64::from_bits(TWO_84);
    high + low
}

/// ln x for x in (0, 1], to 1e-12: x = 2ᵉ·m with m around 1, and ln m = 2 artanh((m − 1)/(m + 1)).
#[inline(always)]
fn ln(x: f64) -> f64 {
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    let exponent = (x.to_bits().wrapping_sub(SQRT_HALF) as i64 >> 52) as i32;
    let mantissa = f64::from_bits(x.to_bits().wrapping_sub((i64::from(exponent) << 52) as u64));
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let q = s * s;
    let tail = 1.0 / 7.0 + q * (1.0 / 9.0 + q * (1.0 / 11.0 + q * (1.0 / 13.0)));
    let series = 1.0 + q * (1.0 / 3.0 + q * (1.0 / 5.0 + q * tail));
    f64::from(exponent) * LN_2 + 2.0 * s * series
}

/// Taylor series, to 2e-10 within an eighth of a turn.
#[inline(always)]
fn sine_and_cosine(x: f64) -> (f64, f64) {
    let q = x * x;
    let sine_tail = -1.0 / 5040.0 + q * (1.0 / 362_880.0 - q * (1.0 / 39_916_800.0));
    let sine = x * (1.0 + q * (-1.0 / 6.0 + q * (1.0 / 120.0 + q * sine_tail)));
    let cosine_tail = -1.0 / 720.0 + q * (1.0 / 40_320.0 - q * (1.0 / 3_628_800.0));
    let cosine = 1.0 + q * (-0.5 + q * (1.0 / 24.0 + q * cosine_tail));
    (sine, cosine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::normal::normal_cdf;
    use stats::streams::Seed;

    #[test]
    fn the_functions_are_good_enough() {
        for i in 1..=10_000u64 {
            let x = i as f64 / 10_000.0;
            assert!((ln(x) - x.ln()).abs() < 1e-11, "{x}");
            assert!((ln(x * 1e-15) - (x * 1e-15).ln()).abs() < 1e-11, "{x}");
            let angle = (2.0 * x - 1.0) * FRAC_PI_4;
            let (sine, cosine) = sine_and_cosine(angle);
            assert!((sine - angle.sin()).abs() < 2e-10 && (cosine - angle.cos()).abs() < 2e-10);
            assert_eq!(to_f64(i * 900_719_925_473), (i * 900_719_925_473) as f64);
        }
        assert_eq!(ln(1.0), 0.0);
    }

    #[test]
    fn the_values_are_standard_normal() {
        let mut stream = Seed(1).stream("noise");
        let mut values: Vec<f64> = (0..2000).flat_map(|_| block(&mut stream)).collect();
        values.sort_by(f64::total_cmp);
        let n = values.len() as f64;
        let gap = |(rank, &x): (usize, &f64)| (normal_cdf(x) - (rank as f64 + 0.5) / n).abs();
        let largest = values.iter().enumerate().map(gap).fold(0.0, f64::max);
        // Kolmogorov & Smirnov's statistic, at a level of one in a million.
        assert!(largest < 2.7 / n.sqrt(), "{largest}");
    }

    #[test]
    fn the_two_of_a_pair_know_nothing_of_each_other() {
        let mut stream = Seed(2).stream("noise");
        let blocks: Vec<[f64; BLOCK]> = (0..2000).map(|_| block(&mut stream)).collect();
        let pairs = || {
            blocks
                .iter()
                .flat_map(|b| (0..PAIRS).map(|i| (b[i], b[i + PAIRS])))
        };
        let n = pairs().count() as f64;
        let product: f64 = pairs().map(|(x, y)| x * y).sum::<f64>() / n;
        let squares: f64 = pairs()
            .map(|(x, y)| (x * x - 1.0) * (y * y - 1.0))
            .sum::<f64>()
            / n;
        assert!(product.abs() < 5.0 / n.sqrt() && squares.abs() < 10.0 / n.sqrt());
    }
}
