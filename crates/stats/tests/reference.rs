//! Every function against values computed to 60 digits
//! (`data/make_reference.py` says how). Prints the worst relative error per function, among the points
//! that are not within the absolute allowance.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

use std::collections::BTreeMap;

use guestlist_stats::normality::anderson_darling;
use guestlist_stats::{beta, binomial, normal, special, student};

type Table = BTreeMap<String, Vec<Vec<f64>>>;

fn table() -> Table {
    serde_json::from_str(include_str!("data/reference.json")).unwrap()
}

/// Fails unless every row is within `relative` of its value, or within
/// `absolute` of it (for functions that cross zero).
fn check(name: &str, relative: f64, absolute: f64, function: impl Fn(&[f64]) -> f64) {
    let rows = &table()[name];
    let mut worst = (0.0, Vec::new());
    for row in rows {
        let (expected, arguments) = row.split_last().unwrap();
        let value = function(arguments);
        let error = (value - expected).abs();
        let scaled = if expected == &0.0 {
            error
        } else {
            error / expected.abs()
        };
        if scaled > worst.0 && error > absolute {
            worst = (scaled, row.clone());
        }
        let close = scaled <= relative || error <= absolute;
        assert!(
            close,
            "{name}{arguments:?} = {value:e}, not {expected:e}: error {scaled:e}"
        );
    }
    println!(
        "{name}: {} points, worst {:.1e} at {:?}",
        rows.len(),
        worst.0,
        worst.1
    );
}

fn one(function: fn(f64) -> f64) -> impl Fn(&[f64]) -> f64 {
    move |a| function(a[0])
}

fn three(function: fn(f64, f64, f64) -> f64) -> impl Fn(&[f64]) -> f64 {
    move |a| function(a[0], a[1], a[2])
}

fn counted(function: fn(u64, u64, f64) -> f64) -> impl Fn(&[f64]) -> f64 {
    move |a| function(a[0] as u64, a[1] as u64, a[2])
}

#[test]
fn gamma_family() {
    check("ln_gamma", 1e-15, 0.0, one(special::ln_gamma));
    check(
        "ln_gamma_half_step",
        1e-14,
        1e-15,
        one(special::ln_gamma_half_step),
    );
    check("digamma", 1e-14, 2e-15, one(special::digamma));
    check("trigamma", 1e-14, 0.0, one(special::trigamma));
    check("ln_beta", 1e-14, 1e-15, |a| special::ln_beta(a[0], a[1]));
}

#[test]
fn log_domain() {
    check("softplus", 1e-15, 0.0, one(special::softplus));
    check("ln_sigmoid", 1e-15, 0.0, one(special::ln_sigmoid));
    check("log_diff_exp", 1e-14, 0.0, |a| {
        special::log_diff_exp(a[0], a[1])
    });
}

#[test]
fn normal_distribution() {
    check("erfcx", 1e-14, 0.0, one(normal::erfcx));
    check("normal_cdf", 1e-14, 1e-320, one(normal::normal_cdf));
    check("normal_cdf", 1e-14, 1e-320, |a| normal::normal_sf(-a[0]));
    check("ln_normal_cdf", 1e-13, 0.0, one(normal::ln_normal_cdf));
    check("normal_quantile", 1e-15, 0.0, one(normal::normal_quantile));
    check(
        "normal_quantile_of_ln",
        1e-14,
        1e-15,
        one(normal::normal_quantile_of_ln),
    );
}

#[test]
fn student_distribution() {
    check("ln_student_t_pdf", 1e-13, 0.0, |a| {
        student::ln_student_t_pdf(a[0], a[1], a[2], a[3])
    });
    check("student_t_sf", 1e-13, 0.0, |a| {
        student::student_t_sf(a[0], a[1])
    });
}

#[test]
fn beta_distribution() {
    check("incomplete_beta", 1e-12, 0.0, three(beta::incomplete_beta));
    check(
        "ln_incomplete_beta",
        1e-12,
        0.0,
        three(beta::ln_incomplete_beta),
    );
    check(
        "inverse_incomplete_beta",
        1e-12,
        0.0,
        three(beta::inverse_incomplete_beta),
    );
}

#[test]
fn clopper_pearson() {
    check(
        "clopper_pearson_lower",
        1e-13,
        0.0,
        counted(beta::clopper_pearson_lower),
    );
    check(
        "clopper_pearson_upper",
        1e-13,
        0.0,
        counted(beta::clopper_pearson_upper),
    );
}

#[test]
fn binomial_distribution() {
    check("ln_choose", 1e-13, 0.0, |a| {
        binomial::ln_choose(a[0] as u64, a[1] as u64)
    });
    check(
        "ln_binomial_pmf",
        1e-13,
        0.0,
        counted(binomial::ln_binomial_pmf),
    );
    check(
        "ln_binomial_sf",
        1e-12,
        0.0,
        counted(binomial::ln_binomial_sf),
    );
    check("ln_binomial_sf", 1e-12, 0.0, |a| {
        let linear = binomial::binomial_sf(a[0] as u64, a[1] as u64, a[2]);
        let ln = binomial::ln_binomial_sf(a[0] as u64, a[1] as u64, a[2]);
        if linear > 0.0 { linear.ln() } else { ln }
    });
}

#[test]
fn normality() {
    check("anderson_darling", 1e-12, 0.0, |sample| {
        anderson_darling(&mut sample.to_vec()).unwrap()
    });
}
