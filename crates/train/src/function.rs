//! Functions that the compiler can turn into vector code: no branches, no library calls. They work
//! in f64 and are good to more than an f32 holds; built of plain arithmetic, they give the same
//! bits on every machine.

/// 1.5·2⁵²: added to a small number, it leaves the nearest integer in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// ln 2 in two parts; the first has zeros at its end, so that its small multiples are exact.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// eˣ to 2e-10 relative: 2ⁿ times the Taylor series of the rest, |rest| ≤ ln 2 / 2. Arguments are
/// held within ±700.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    let x = x.clamp(-700.0, 700.0);
    let shifted = x * std::f64::consts::LOG2_E + ROUNDER;
    let whole = shifted - ROUNDER;
    let r = (x - whole * LN_2_HIGH) - whole * LN_2_LOW;
    let power = f64::from_bits((shifted.to_bits().wrapping_add(1023)) << 52);
    let tail = 1.0 / 120.0 + r * (1.0 / 720.0 + r * (1.0 / 5040.0 + r * (1.0 / 40320.0)));
    let series = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * tail))));
    power * series
}

/// tanh x = 1 − 2 / (e²ˣ + 1), to 1e-10 absolute.
#[inline(always)]
pub(crate) fn tanh(x: f64) -> f64 {
    1.0 - 2.0 / (exp(2.0 * x) + 1.0)
}

/// Φ(x) and the density φ(x). The first is Abramowitz & Stegun 7.1.26, off by at most 7.5e-8: as
/// close as f32 arithmetic comes to it near 1.
#[inline(always)]
pub(crate) fn normal_cdf_and_pdf(x: f64) -> (f64, f64) {
    const SQRT_TWO_PI: f64 = 2.506_628_274_631_000_2;
    let bell = exp(-0.5 * x * x);
    let t = 1.0 / (1.0 + 0.327_591_1 * std::f64::consts::FRAC_1_SQRT_2 * x.abs());
    let cubic = 1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429);
    let upper = 0.5 * bell * t * (0.254_829_592 + t * (-0.284_496_736 + t * cubic));
    let cdf = if x > 0.0 { 1.0 - upper } else { upper };
    (cdf, bell / SQRT_TWO_PI)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> impl Iterator<Item = f64> {
        (-4000..=4000).map(|i| f64::from(i) * 0.01)
    }

    #[test]
    fn exp_is_good_to_ten_digits() {
        for x in grid().chain([-700.0, 700.0, 0.0]) {
            assert!((exp(x) / x.exp() - 1.0).abs() < 3e-10, "{x}");
        }
    }

    #[test]
    fn tanh_and_normal_are_good_to_f32() {
        for x in grid() {
            assert!((tanh(x) - x.tanh()).abs() < 1e-9, "{x}");
            let (cdf, pdf) = normal_cdf_and_pdf(x);
            assert!((cdf - stats::normal::normal_cdf(x)).abs() < 7.6e-8, "{x}");
            assert!(
                (pdf.ln() - stats::normal::ln_normal_pdf(x, 0.0, 1.0)).abs() < 1e-6
                    || x.abs() > 37.0
            );
        }
    }

    #[test]
    fn extremes_stay_finite_or_zero() {
        assert!(exp(-1e9) < 1e-300 && exp(1e9).is_finite());
        assert_eq!(tanh(1e9), 1.0);
        assert_eq!(tanh(-1e9), -1.0);
        assert!(exp(f64::NAN).is_nan());
    }
}
