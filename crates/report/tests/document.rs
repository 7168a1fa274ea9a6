//! The document: what was written is read back, what is something else is refused.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

extern crate guestlist_report as report;

use report::{Report, SCHEMA};

/// Written before there were diagnostics.
const STORED: &str = include_str!("data/leaky.json");
const DIAGNOSED: &str = include_str!("data/diagnosed.json");

#[test]
fn reading_and_writing_again_gives_the_same_numbers_and_then_the_same_bytes() {
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    for stored in [STORED, DIAGNOSED] {
        let written = Report::from_json(stored).unwrap().to_json().unwrap();
        assert_eq!(value(&written), value(stored));
        let again = Report::from_json(&written).unwrap().to_json().unwrap();
        assert_eq!(again, written);
    }
}

#[test]
fn diagnostics_may_be_absent_whole_or_in_part() {
    assert!(Report::from_json(STORED).unwrap().diagnostics.is_empty());
    let found = Report::from_json(DIAGNOSED).unwrap().diagnostics;
    assert!(found.normality.is_some() && found.qq.is_some());
    assert!(found.slices.is_some() && found.vulnerability.is_some());
    let other = DIAGNOSED.replacen("\"normality\"", "\"a later key\"", 1);
    let found = Report::from_json(&other).unwrap().diagnostics;
    assert!(found.normality.is_none() && found.qq.is_some());
}

#[test]
fn keys_that_are_not_known_are_left_alone() {
    let more = STORED.replacen('{', "{\"added in a later version\": [1, 2],", 1);
    assert_eq!(Report::from_json(&more), Report::from_json(STORED));
}

#[test]
fn another_schema_is_refused_by_name() {
    let later = STORED.replace(SCHEMA, "guestlist.report/2");
    let refusal = Report::from_json(&later).unwrap_err();
    assert!(
        refusal.contains("guestlist.report/2") && refusal.contains(SCHEMA),
        "{refusal}"
    );
    let evil = STORED.replace(SCHEMA, "\\u001b[2J");
    assert!(!Report::from_json(&evil).unwrap_err().contains('\u{1b}'));
}

#[test]
fn a_document_cut_short_anywhere_is_refused() {
    let end = STORED.trim_end().len();
    for length in (0..end)
        .step_by(97)
        .filter(|&length| STORED.is_char_boundary(length))
    {
        assert!(Report::from_json(&STORED[..length]).is_err(), "{length}");
    }
}

#[test]
fn every_key_of_the_contract_is_needed() {
    for key in ["verdict", "guardrails", "attacks", "provenance"] {
        let without = STORED.replacen(&format!("\n  \"{key}\":"), "\n  \"other\":", 1);
        let refusal = Report::from_json(&without).unwrap_err();
        assert!(refusal.contains(key), "{refusal}");
    }
}

#[test]
fn the_strongest_attack_comes_first() {
    let report = Report::from_json(STORED).unwrap();
    let values: Vec<f64> = report
        .strongest_first()
        .iter()
        .map(|attack| attack.auc.value)
        .collect();
    assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
}
