//! The epsilon bounds against numbers from independent code.

#![allow(clippy::unwrap_used)]

mod common;

use common::{close, count, golden, hull, number, shifted_quantiles};
use guestlist_judge::epsilon::candidates::{Counts, Guesses};
use guestlist_judge::epsilon::clopper_pearson::{self, ErrorRates};
use guestlist_judge::epsilon::{Claim, gaussian, one_run, one_run_fdp};
use serde_json::Value;
use stats::normal::{normal_cdf, normal_quantile};
use stats::roc::Roc;

fn counts(row: &Value) -> Counts {
    Counts {
        tp: count(row, "tp"),
        fp: count(row, "fp"),
        members: count(row, "n1"),
        nonmembers: count(row, "n0"),
    }
}

fn guesses(row: &Value) -> Guesses {
    Guesses {
        made: count(row, "r"),
        correct: count(row, "v"),
    }
}

#[test]
fn clopper_pearson_at_a_fixed_threshold() {
    for row in golden()["eps_clopper_pearson"].as_array().unwrap() {
        let alpha = number(row, "alpha");
        let rates = ErrorRates::new(&counts(row), alpha);
        close(rates.true_positive_low, number(row, "tpr_lo"), 1e-9);
        close(rates.false_positive_high, number(row, "fpr_up"), 1e-9);
        let found = clopper_pearson::epsilon_at(&counts(row), alpha, number(row, "delta"));
        close(found, number(row, "eps"), 1e-9);
    }
}

/// TensorFlow Privacy's five best: every threshold, four directions, nothing paid for the choice.
/// Each of its numbers is one of ours at a fixed threshold; its maximum is no 95 % bound.
#[test]
fn uncorrected_bounds_of_a_peer() {
    let case: Value = serde_json::from_str(include_str!("data/peer_epsilon.json")).unwrap();
    let member = common::numbers(&case["member"]);
    // The published code's scores fall with membership.
    let scores = common::numbers(&case["scores"]).into_iter().map(|s| -s);
    let roc = Roc::new(scores.zip(member.iter().map(|&m| m == 1.0))).unwrap();
    let mut found = Vec::new();
    for point in &roc.points()[1..] {
        let counts = Counts {
            tp: point.true_positives,
            fp: point.false_positives,
            members: roc.members(),
            nonmembers: roc.nonmembers(),
        };
        let rates = ErrorRates::new(&counts, 0.05);
        found.push((rates.true_positive_low / rates.false_positive_high).ln());
        found.push(((1.0 - rates.false_positive_high) / rates.false_negative_high()).ln());
    }
    found.sort_by(|a, b| b.total_cmp(a));
    for (found, expected) in found.iter().zip(common::numbers(&case["best"])) {
        close(*found, expected, 1e-9);
    }
    let claim = Claim {
        confidence: 0.95,
        delta: 0.0,
    };
    assert!(clopper_pearson::bonferroni(&roc, &claim).value < found[0]);
}

#[test]
fn one_run_p_values() {
    for row in golden()["one_run_pvalue"].as_array().unwrap() {
        let found = one_run::p_value(
            count(row, "m"),
            guesses(row),
            number(row, "eps"),
            number(row, "delta"),
        );
        close(found, number(row, "p"), 1e-9);
    }
}

#[test]
fn one_run_epsilons() {
    for row in golden()["one_run_eps"].as_array().unwrap() {
        let error = number(row, "p");
        let found = one_run::epsilon_at(
            count(row, "m"),
            guesses(row),
            error,
            number(row, "delta"),
            0.0,
        );
        // Their root finding stops at 1e-6.
        assert!((found - number(row, "eps")).abs() < 2e-6, "{found} {row}");
        if found > 0.0 {
            let p =
                |eps| one_run::p_value(count(row, "m"), guesses(row), eps, number(row, "delta"));
            assert!(p(found) < error && p(found + 1e-8) > error, "{row}");
        }
    }
}

/// ML Privacy Meter's audit: records, guesses, correct, δ, error, ε to 1e-5 from below.
#[test]
fn one_run_rows_of_a_peer() {
    for (records, made, correct, delta, expected) in [
        (1000, 100, 90, 0.0, 1.63082123),
        (1000, 100, 90, 1e-5, 1.62613678),
        (1000, 1000, 600, 0.0, 0.297462463),
        (5000, 500, 480, 1e-5, 2.78302002),
        (100, 50, 25, 0.0, 0.0),
    ] {
        let found = one_run::epsilon_at(records, Guesses { made, correct }, 0.05, delta, 0.0);
        assert!(
            found >= expected - 1e-9 && found - expected < 1.5e-5,
            "{found} {expected}"
        );
    }
}

#[test]
fn one_run_fdp_epsilons() {
    for row in golden()["one_run_fdp_gdp_eps_jax"].as_array().unwrap() {
        let mu = one_run_fdp::mu_at(count(row, "m"), guesses(row), number(row, "p"), 0.0);
        let found = gaussian::epsilon_of(mu, number(row, "delta"));
        assert!((found - number(row, "eps")).abs() < 5e-6, "{found} {row}");
    }
}

#[test]
fn gaussian_mu() {
    for row in golden()["gdp_mu_lower_bound"].as_array().unwrap() {
        let alpha = number(row, "alpha");
        let rates = ErrorRates::new(&counts(row), alpha);
        close(rates.false_negative_high(), number(row, "fnr_up"), 1e-9);
        let mu = gaussian::mu_at(&counts(row), alpha);
        close(mu, number(row, "mu"), 1e-9);
        close(
            gaussian::epsilon_of(mu, 1e-5),
            number(row, "eps_at_delta_1e5"),
            1e-9,
        );
    }
}

#[test]
fn gaussian_curve() {
    for row in golden()["gdp_curve"].as_array().unwrap() {
        let mu = number(row, "mu");
        close(
            gaussian::ln_delta(mu, 1.0).exp(),
            number(row, "delta_at_eps1"),
            1e-9,
        );
        close(
            gaussian::epsilon_of(mu, 1e-5),
            number(row, "eps_at_delta_1e5"),
            1e-9,
        );
        close(normal_cdf(mu / 2_f64.sqrt()), number(row, "auc"), 1e-9);
        close(2.0 * normal_cdf(mu / 2.0) - 1.0, number(row, "adv"), 1e-9);
        let caught = normal_cdf(normal_quantile(1e-3) + mu);
        close(caught, number(row, "tpr_at_fpr_1e3"), 1e-9);
    }
}

/// jax_privacy's thresholds: the hull's corners, Bonferroni over their number.
fn hull_guesses(roc: &Roc) -> Vec<Guesses> {
    let guess = |(fp, tp)| Guesses {
        made: tp + fp,
        correct: tp,
    };
    hull(roc).into_iter().map(guess).collect()
}

#[test]
fn one_run_end_to_end() {
    let claim = Claim {
        confidence: 0.95,
        delta: 1e-6,
    };
    for row in golden()["jax_one_run_bonferroni"]["values"]
        .as_array()
        .unwrap()
    {
        let row = common::numbers(row);
        let cuts = hull_guesses(&shifted_quantiles(10_000, row[0]));
        let (found, _) = one_run::best_of(20_000, &cuts, &claim);
        assert!((found - row[1]).abs() < 3e-6, "{found} {row:?}");
        let (mu, _) = one_run_fdp::best_of(20_000, &cuts, &claim);
        let found = gaussian::epsilon_of(mu, claim.delta);
        assert!((found - row[2]).abs() < 2e-5, "{found} {row:?}");
    }
}

#[test]
fn all_bounds_on_a_thousand_shifted_quantiles() {
    let roc = shifted_quantiles(1000, 1.0);
    let claim = Claim {
        confidence: 0.95,
        delta: 1e-5,
    };
    let cuts: Vec<Counts> = (hull(&roc).into_iter())
        .map(|(fp, tp)| Counts {
            tp,
            fp,
            members: 1000,
            nonmembers: 1000,
        })
        .collect();
    let (found, _) = clopper_pearson::best_of(&cuts, &claim);
    close(found, 1.0496466519, 1e-9);
    let error = claim.error_each(cuts.len());
    let mu = cuts
        .iter()
        .map(|c| gaussian::mu_at(c, error))
        .fold(0.0, f64::max);
    assert!((gaussian::epsilon_of(mu, 1e-5) - 2.9960319428).abs() < 2e-6);
    let (found, _) = one_run::best_of(2000, &hull_guesses(&roc), &claim);
    assert!((found - 0.8938429739).abs() < 2e-6, "{found}");
    let (mu, _) = one_run_fdp::best_of(2000, &hull_guesses(&roc), &claim);
    assert!((gaussian::epsilon_of(mu, 1e-5) - 1.4937641072).abs() < 5e-6);
}
