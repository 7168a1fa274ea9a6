//! The accountant against Opacus and Google's dp-accounting.

use serde_json::Value;

use crate::privacy::accountant::{noise_for, spent};

fn rows() -> Vec<Value> {
    let document: Value =
        serde_json::from_str(include_str!("../../tests/data/epsilon.json")).unwrap();
    document["rows"].as_array().unwrap().clone()
}

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap()
}

fn ours(row: &Value) -> f64 {
    let steps = number(row, "steps") as u64;
    spent(
        number(row, "noise"),
        number(row, "rate"),
        steps,
        number(row, "delta"),
    )
    .epsilon
}

fn close(own: f64, reference: f64, tolerance: f64) -> bool {
    (own - reference).abs() <= tolerance * reference.abs()
}

#[test]
fn epsilon_agrees_with_both_libraries_on_the_same_orders() {
    for row in rows() {
        let own = ours(&row);
        assert!(close(own, number(&row, "opacus"), 1e-6), "{own} {row}");
        // Google's leaves a fractional order out where its series is slow, and takes the next best.
        let google = number(&row, "dp_accounting");
        assert!(own <= google * (1.0 + 1e-6), "{own} {row}");
        if number(&row, "order").fract() == 0.0 {
            assert!(close(own, google, 1e-6), "{own} {row}");
        }
    }
}

#[test]
fn epsilon_is_no_worse_than_with_the_default_orders_of_opacus() {
    for row in rows() {
        let (own, default) = (ours(&row), number(&row, "opacus_default_orders"));
        assert!(own <= default * (1.0 + 1e-6), "{own} {row}");
        let order = number(&row, "default_order");
        if order > 1.2 && order < 63.0 {
            assert!(close(own, default, 1e-3), "{own} {row}");
        }
    }
}

#[test]
fn noise_for_a_target_spends_just_that() {
    for (epsilon, rate, steps) in [
        (0.5, 0.01, 1000),
        (3.0, 64.0 / 2505.0, 2000),
        (8.0, 0.2, 300),
    ] {
        let noise = noise_for(epsilon, 1e-5, rate, steps).unwrap();
        let reached = spent(noise, rate, steps, 1e-5).epsilon;
        assert!(
            reached <= epsilon && close(reached, epsilon, 1e-4),
            "{reached} {epsilon}"
        );
    }
}

#[test]
fn without_noise_there_is_no_privacy_and_tiny_targets_are_refused() {
    assert_eq!(spent(0.0, 0.1, 10, 1e-5).epsilon, f64::INFINITY);
    let error = noise_for(1e-9, 1e-300, 1.0, 1_000_000).unwrap_err();
    assert!(
        error.to_string().contains("hint: allow a larger epsilon"),
        "{error}"
    );
}
