//! Log-MIA against the published tables and the exact chance distribution.

#![allow(clippy::unwrap_used)]

mod common;

use common::{close, count, golden, number, shifted_quantiles, small};
use guestlist_judge::measure::log_mia::{FalsePositiveRule, Level, beta, log_mia, ratio};
use guestlist_judge::measure::log_mia_null::Null;

#[test]
fn log_mia_of_the_small_case() {
    let (case, roc) = small();
    let expected = &case["logmia"];
    let found = log_mia(&roc, FalsePositiveRule::Ceil);
    assert_eq!(found.b.fp_allowed, count(expected, "fp_b"));
    assert_eq!(
        (found.a.tp, found.b.tp),
        (count(expected, "tp_a"), count(expected, "tp_b"))
    );
    close(found.a.value, number(expected, "A"), 1e-12);
    close(found.b.value, number(expected, "B"), 1e-12);
    close(found.a.alpha, number(expected, "alpha"), 1e-12);
    close(found.b.beta.unwrap(), number(expected, "beta"), 1e-12);
    close(found.a.p_value, number(expected, "null_p_A"), 1e-9);
    close(found.b.p_value, number(expected, "null_p_B"), 1e-9);
    assert_eq!(
        (found.a.level, found.b.level),
        (Level::Chance, Level::Chance)
    );
}

#[test]
fn log_mia_by_chance() {
    for row in golden()["logmia_null"].as_array().unwrap() {
        let (members, allowed) = (count(row, "n1"), count(row, "fp"));
        let null = Null::new(members, count(row, "n0"), allowed);
        let (mean, deviation) = null.mean_and_deviation(|caught| ratio(caught as f64, members));
        close(mean, number(row, "mean"), 1e-9);
        close(deviation, number(row, "sd"), 1e-9);
        close(
            1.96 * deviation / 500_f64.sqrt(),
            number(row, "ci95_half_500"),
            1e-4,
        );
        close(
            null.p_value(allowed + 1),
            number(row, "p_tp_ge_fp_plus_1"),
            1e-9,
        );
    }
}

#[test]
fn log_mia_by_chance_in_large_sets() {
    for (records, allowed, mean, deviation) in [
        (25_000, 0, 0.05014729581731186, 0.05684596342523963),
        (25_000, 11, 0.2457861438674044, 0.04000377017309974),
        (500_000, 0, 0.03869984341904699, 0.04386965910699836),
        (500_000, 14, 0.20656088969907088, 0.027708462260979814),
    ] {
        let null = Null::new(records, records, allowed);
        let found = null.mean_and_deviation(|caught| ratio(caught as f64, records));
        close(found.0, mean, 1e-8);
        close(found.1, deviation, 1e-8);
    }
    // The fewest members that are significant at 15 + 15.
    for (allowed, fewest, p) in [(0, 4, 0.0498), (3, 9, 0.0302), (4, 10, 0.0328)] {
        let null = Null::new(15, 15, allowed);
        assert!((null.p_value(fewest) - p).abs() < 5e-5 && null.p_value(fewest - 1) > 0.05);
    }
}

/// The published tables: members caught are read off the published rates, on the line from no
/// false positive to a tenth of a percent, unrounded.
#[test]
fn log_mia_published_tables() {
    let mut cells = 0;
    for line in include_str!("data/log_mia.csv").lines().skip(1) {
        let field: Vec<&str> = line.split(',').collect();
        let value = |at: usize| -> f64 { field[at].parse().unwrap() };
        let (rare, frequent) = (value(2), value(3));
        let members_a = value(4);
        let a = ratio(rare * members_a, members_a as u64);
        assert!(
            (a - value(6)).abs() <= 0.005 && (a - value(7)).abs() <= 1e-6,
            "{line}"
        );
        let members = value(10);
        let correct_a = ratio(rare * members, members as u64);
        assert!((correct_a - value(9)).abs() <= 1e-6, "{line}");
        let caught = |fp: f64| members * (rare + (frequent - rare) * fp / (0.001 * members));
        let b = ratio(caught(value(12)), members as u64);
        assert!(
            (b - value(13)).abs() <= 0.0005 && (b - value(14)).abs() <= 1e-6,
            "{line}"
        );
        let strict = FalsePositiveRule::Ceil.false_positives(value(11) as u64);
        assert_eq!(strict as f64, value(16));
        let b = ratio(caught(strict as f64), members as u64);
        assert!((b - value(17)).abs() <= 1e-6, "{line}");
        cells += 2;
    }
    assert_eq!(cells, 40);
}

#[test]
fn log_mia_published_limits() {
    assert!((ratio(1.0, 25_000) - 0.06845).abs() < 5e-6);
    assert!((beta(10, 25_000) - 0.24538).abs() < 5e-6);
    assert!((beta(11, 25_000) - 0.25329).abs() < 5e-6);
    assert!((beta(14, 500_000) - 0.21129).abs() < 5e-6);
    assert!((beta(3, 15) - 0.58048).abs() < 5e-6);
    assert!((beta(4, 15) - 0.64624).abs() < 5e-6);
}

#[test]
fn a_thousand_shifted_quantiles() {
    let roc = shifted_quantiles(1000, 1.0);
    let found = log_mia(&roc, FalsePositiveRule::Ceil);
    assert_eq!((found.a.tp, found.b.tp, found.b.fp_allowed), (11, 83, 8));
    close(found.a.value, 0.3596750397, 1e-9);
    close(found.b.value, 0.6413336325, 1e-9);
    close(found.a.alpha, 0.1003288151, 1e-9);
    close(found.b.beta.unwrap(), 0.3332851095, 1e-9);
    assert_eq!(
        (found.a.level, found.b.level),
        (Level::Severe, Level::Severe)
    );
}

#[test]
fn a_thousand_quantiles_without_signal() {
    let found = log_mia(&shifted_quantiles(1000, 0.0), FalsePositiveRule::Ceil);
    close(found.b.value, 0.3180348192, 1e-9);
    assert_eq!((found.a.tp, found.a.level), (0, Level::None));
    assert_eq!(
        (found.b.nominal_level, found.b.level),
        (Level::Moderate, Level::Chance)
    );
}
