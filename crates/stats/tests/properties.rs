//! What must hold for any argument: inverses invert, tails mirror, functions
//! are monotone, and out-of-domain arguments give NaN.

use guestlist_stats::beta::{
    clopper_pearson_lower, clopper_pearson_upper, incomplete_beta, inverse_incomplete_beta,
};
use guestlist_stats::binomial::{binomial_sf, ln_binomial_pmf, ln_choose};
use guestlist_stats::normal::{
    erfcx, ln_normal_cdf, ln_normal_pdf, normal_cdf, normal_quantile, normal_quantile_of_ln,
};
use guestlist_stats::normality::anderson_darling;
use guestlist_stats::special::{
    digamma, ln_beta, ln_gamma, ln_gamma_half_step, log_diff_exp, log_sum_exp, trigamma,
};
use guestlist_stats::student::{ln_student_t_pdf, student_t_constant, student_t_sf};
use proptest::prelude::*;

fn close(value: f64, expected: f64, tolerance: f64) -> bool {
    (value - expected).abs() <= tolerance * expected.abs()
}

/// Shapes from a hundredth to a hundred thousand, evenly in logs.
fn shape() -> impl Strategy<Value = f64> {
    (-2.0..5.0f64).prop_map(|exponent| 10f64.powf(exponent))
}

proptest! {
    #[test]
    fn inverse_beta_inverts(a in shape(), b in shape(), ln_p in -60.0..-1e-9f64) {
        let p = ln_p.exp();
        let x = inverse_incomplete_beta(a, b, p);
        prop_assert!((0.0..=1.0).contains(&x));
        // Near an end the answer may not be a double; elsewhere it must map back.
        if x > 1e-290 && x < 1.0 - 1e-6 {
            prop_assert!(close(incomplete_beta(a, b, x), p, 1e-9), "{a} {b} {p} -> {x}");
        }
    }

    #[test]
    fn beta_tails_mirror(a in shape(), b in shape(), x in 0.0..1.0f64) {
        let both = incomplete_beta(a, b, x) + incomplete_beta(b, a, 1.0 - x);
        prop_assert!((both - 1.0).abs() < 1e-10);
    }

    #[test]
    fn beta_is_monotone(a in shape(), b in shape(), x in 0.0..1.0f64, y in 0.0..1.0f64) {
        let (low, high) = (x.min(y), x.max(y));
        let slack = 1.0 + 1e-12;
        prop_assert!(incomplete_beta(a, b, low) <= incomplete_beta(a, b, high) * slack);
    }

    #[test]
    fn bounds_enclose_the_rate(k in 0u64..2000, extra in 0u64..2000, alpha in 1e-9..0.5f64) {
        let n = k + extra + 1;
        let rate = k as f64 / n as f64;
        let (low, high) = (clopper_pearson_lower(k, n, alpha), clopper_pearson_upper(k, n, alpha));
        prop_assert!(low <= rate && rate <= high);
        let mirrored = 1.0 - clopper_pearson_upper(n - k, n, alpha);
        prop_assert!((low - mirrored).abs() < 1e-12);
        if k > 0 {
            prop_assert!(close(binomial_sf(k, n, low), alpha, 1e-9));
        }
    }

    #[test]
    fn binomial_tail_is_the_sum(n in 1u64..60, k in 0u64..61, p in 0.0..1.0f64) {
        let sum: f64 = (k..=n).map(|j| ln_binomial_pmf(j, n, p).exp()).sum();
        prop_assert!((binomial_sf(k, n, p) - sum).abs() < 1e-13);
    }

    #[test]
    fn normal_quantile_inverts(p in 1e-300..1.0f64, ln_p in -1e6..-1e-3f64) {
        prop_assert!(close(normal_cdf(normal_quantile(p)), p, 1e-13));
        prop_assert!(close(ln_normal_cdf(normal_quantile_of_ln(ln_p)), ln_p, 1e-12));
    }

    #[test]
    fn ln_normal_cdf_is_monotone(x in -1e3..30.0f64, step in 1e-9..1.0f64) {
        prop_assert!(ln_normal_cdf(x) < ln_normal_cdf(x + step) || x > 8.0);
    }

    #[test]
    fn gamma_recurrences(x in 1e-3..1e6f64) {
        prop_assert!((digamma(x + 1.0) - digamma(x) - 1.0 / x).abs() < 1e-13 * (1.0 + 1.0 / x));
        prop_assert!((trigamma(x) - trigamma(x + 1.0) - 1.0 / (x * x)).abs() < 1e-13 / (x * x).min(1.0));
        let whole = ln_gamma_half_step(x) + ln_gamma_half_step(x + 0.5);
        prop_assert!((whole - x.ln()).abs() < 1e-14 * (1.0 + x.ln().abs()));
        prop_assert_eq!(ln_beta(x, 2.5), ln_beta(2.5, x));
    }

    #[test]
    fn log_sums_match_their_definition(values in prop::collection::vec(-30.0..30.0f64, 1..20)) {
        let sum: f64 = values.iter().map(|v| v.exp()).sum();
        prop_assert!((log_sum_exp(&values) - sum.ln()).abs() < 1e-13 * (1.0 + sum.ln().abs()));
        let shifted: Vec<f64> = values.iter().map(|v| v - 5000.0).collect();
        prop_assert!((log_sum_exp(&shifted) + 5000.0 - sum.ln()).abs() < 1e-11);
    }

    #[test]
    fn student_tails_mirror(t in -50.0..50.0f64, degrees in 0.5..1e6f64) {
        prop_assert!((student_t_sf(t, degrees) + student_t_sf(-t, degrees) - 1.0).abs() < 1e-14);
    }

    #[test]
    fn nothing_panics(a in any::<f64>(), b in any::<f64>(), c in any::<f64>()) {
        // Shapes beyond these take a continued fraction of millions of terms.
        let (a_shape, b_shape) = (a.min(1e8), b.min(1e8));
        incomplete_beta(a_shape, b_shape, c);
        inverse_incomplete_beta(a_shape, b_shape, c);
        student_t_sf(a, b_shape);
        ln_student_t_pdf(a, b, c, 1.0);
        normal_quantile(a);
        normal_quantile_of_ln(a);
        anderson_darling(&mut [a, b, c, 1.0, 2.0, 3.0, 4.0, 5.0]);
        digamma(a);
        trigamma(a);
    }
}

#[test]
fn normal_limits() {
    let limit = ln_normal_pdf(0.0, 0.0, 1.0);
    assert!((student_t_constant(1e15) - limit).abs() < 1e-15);
    for x in [0.0, 0.5, 3.0, 8.0] {
        let difference = ln_student_t_pdf(x, 1e15, 0.5, 4.0) - ln_normal_pdf(x, 0.5, 4.0);
        assert!(difference.abs() < 1e-13);
    }
}

#[test]
fn ends_of_the_domains() {
    assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
    assert_eq!(normal_quantile(1.0), f64::INFINITY);
    assert_eq!(normal_quantile_of_ln(0.0), f64::INFINITY);
    assert_eq!(erfcx(f64::INFINITY), 0.0);
    assert_eq!(ln_normal_cdf(f64::NEG_INFINITY), f64::NEG_INFINITY);
    assert_eq!(ln_normal_cdf(f64::INFINITY), 0.0);
    assert_eq!(inverse_incomplete_beta(2.0, 3.0, 0.0), 0.0);
    assert_eq!(inverse_incomplete_beta(2.0, 3.0, 1.0), 1.0);
    assert_eq!(incomplete_beta(2.0, 3.0, 1.0), 1.0);
    assert_eq!(clopper_pearson_lower(0, 5, 0.05), 0.0);
    assert_eq!(clopper_pearson_upper(5, 5, 0.05), 1.0);
    assert_eq!(
        (
            clopper_pearson_lower(0, 0, 0.05),
            clopper_pearson_upper(0, 0, 0.05)
        ),
        (0.0, 1.0)
    );
    assert_eq!(ln_choose(3, 4), f64::NEG_INFINITY);
    assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
    assert_eq!(log_sum_exp(&[f64::INFINITY, 0.0]), f64::INFINITY);
    assert_eq!(log_diff_exp(1.0, 1.0), f64::NEG_INFINITY);
    assert_eq!(log_diff_exp(1.0, f64::NEG_INFINITY), 1.0);
    assert_eq!(student_t_sf(f64::INFINITY, 3.0), 0.0);
    assert_eq!(ln_gamma(0.0), f64::INFINITY);
}

#[test]
fn out_of_domain_is_nan() {
    for value in [
        normal_quantile(-0.1),
        normal_quantile(1.1),
        normal_quantile_of_ln(0.1),
        normal_quantile(f64::NAN),
        incomplete_beta(0.0, 1.0, 0.5),
        incomplete_beta(1.0, 1.0, 1.5),
        inverse_incomplete_beta(1.0, -1.0, 0.5),
        inverse_incomplete_beta(1.0, 1.0, 1.5),
        inverse_incomplete_beta(1.0, 1.0, -0.5),
        clopper_pearson_lower(6, 5, 0.05),
        clopper_pearson_upper(1, 5, 0.0),
        clopper_pearson_upper(1, 5, 1.0),
        binomial_sf(1, 2, 1.5),
        ln_gamma(-1.5),
        digamma(0.0),
        trigamma(-1.0),
        ln_gamma_half_step(0.0),
        ln_beta(0.0, 1.0),
        log_diff_exp(1.0, 2.0),
        log_sum_exp(&[1.0, f64::NAN]),
        log_sum_exp(&[f64::INFINITY, f64::NAN]),
        ln_normal_pdf(0.0, 0.0, -1.0),
        ln_normal_pdf(0.0, 0.0, 0.0),
        student_t_constant(0.0),
        student_t_sf(1.0, -1.0),
        student_t_sf(f64::NAN, 3.0),
        ln_student_t_pdf(0.0, 3.0, 0.0, 0.0),
    ] {
        assert!(value.is_nan(), "{value}");
    }
    assert_eq!(anderson_darling(&mut [1.0; 20]), None);
    assert_eq!(
        anderson_darling(&mut [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]),
        None
    );
    assert_eq!(
        anderson_darling(&mut [f64::NAN, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
        None
    );
}

#[test]
fn the_digamma_difference_keeps_its_digits() {
    use guestlist_stats::special::{digamma, digamma_difference};
    for (a, b) in [(0.3, 0.7), (2.0, 5.0), (13.0, 40.0), (0.01, 200.0)] {
        let plain = digamma(a + b) - digamma(a);
        let error = (digamma_difference(a, b) / plain - 1.0).abs();
        assert!(error < 1e-13, "{a} {b}: {error}");
    }
    // ψ(a+1) − ψ(a) = 1/a exactly.
    assert!((digamma_difference(1e14, 1.0) * 1e14 - 1.0).abs() < 1e-14);
}
