//! The document: what was written is read back, what is something else is refused.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

extern crate guestlist_report as report;

use report::{Kind, Report, SCHEMA};
use serde_json::{Value, json};

/// Of the first version, written before there were diagnostics.
const STORED: &str = include_str!("data/leaky.json");
const DIAGNOSED: &str = include_str!("data/diagnosed.json");
const SOURCE: &str = include_str!("data/source.json");

#[test]
fn reading_and_writing_again_gives_the_same_numbers_and_then_the_same_bytes() {
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    for stored in [DIAGNOSED, SOURCE] {
        let written = Report::from_json(stored).unwrap().to_json().unwrap();
        // Some keys are younger than the report of sources.
        if stored == DIAGNOSED {
            assert_eq!(value(&written), value(stored));
        }
        let again = Report::from_json(&written).unwrap().to_json().unwrap();
        assert_eq!(again, written);
    }
}

#[test]
fn a_document_of_the_first_version_is_read_and_written_in_todays_shape() {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let written = Report::from_json(STORED).unwrap().to_json().unwrap();
    let (mut expected, written_value) = (read(STORED), read(&written));
    expected["schema"] = SCHEMA.into();
    expected["kind"] = "classifier".into();
    expected["detail"] = json!({"models": 9, "augmentations": 1, "target": 0, "shadows": 8});
    let data = expected["provenance"]["data"].as_object_mut().unwrap();
    for key in ["models", "augmentations", "target", "shadows"] {
        data.remove(key).unwrap();
    }
    assert_eq!(written_value, expected);
    let again = Report::from_json(&written).unwrap().to_json().unwrap();
    assert_eq!(again, written);
}

#[test]
fn kind_and_detail_belong_together() {
    for kind in Kind::ALL {
        assert_eq!(json!(kind), kind.name());
    }
    let other = DIAGNOSED.replacen("\"classifier\"", "\"fewshot\"", 1);
    let refusal = Report::from_json(&other).unwrap_err();
    assert!(refusal.contains("damaged"), "{refusal}");
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
    let later = DIAGNOSED.replace(SCHEMA, "guestlist.report/3");
    let refusal = Report::from_json(&later).unwrap_err();
    assert!(
        refusal.contains("guestlist.report/3") && refusal.contains(SCHEMA),
        "{refusal}"
    );
    let evil = DIAGNOSED.replace(SCHEMA, "\\u001b[2J");
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
        for stored in [STORED, DIAGNOSED] {
            let without = stored.replacen(&format!("\n  \"{key}\":"), "\n  \"other\":", 1);
            let refusal = Report::from_json(&without).unwrap_err();
            assert!(refusal.contains(key), "{refusal}");
        }
    }
    for key in ["kind", "detail"] {
        let without = DIAGNOSED.replacen(&format!("\n  \"{key}\":"), "\n  \"other\":", 1);
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
