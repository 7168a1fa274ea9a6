//! Verdicts and the exit codes that carry them.

use serde_json::Value;

use crate::common::Desk;
use crate::signals::Signals;

const FAST: &str = "--attacks loss,lira,rmia,bavaria-t --bootstrap 0 --quiet";

fn outcome(desk: &Desk, arguments: &str, code: i32) -> Value {
    desk.guestlist(&format!("audit signals {FAST} --out out {arguments}"))
        .exits(code);
    desk.json("out/report.json")["verdict"].take()
}

#[test]
fn a_leak_fails_with_one() {
    let verdict = outcome(&Desk::with(&Signals::leaky()), "", 1);
    assert_eq!(verdict["outcome"], "fail");
    assert!(verdict["gate"]["value"].as_f64().unwrap() > 0.8);
    assert_eq!(verdict["forced"], false);
}

#[test]
fn no_leak_passes_with_zero() {
    let verdict = outcome(&Desk::with(&Signals::clean()), "", 0);
    assert_eq!(verdict["outcome"], "pass");
    assert!(verdict["gate"]["value"].as_f64().unwrap() < 0.65);
}

#[test]
fn a_violated_guardrail_is_inconclusive_with_three_unless_forced() {
    let desk = Desk::with(&Signals::too_few_members());
    let verdict = outcome(&desk, "", 3);
    assert_eq!(verdict["outcome"], "inconclusive");
    let reasons = verdict["reasons"].to_string();
    assert!(
        reasons.contains("class-balance") && reasons.contains("5 members"),
        "{reasons}"
    );
    for (threshold, code, word) in [("0", 1, "fail"), ("1", 0, "pass")] {
        let verdict = outcome(&desk, &format!("--force --threshold {threshold}"), code);
        assert_eq!(
            (verdict["outcome"].as_str(), &verdict["forced"]),
            (Some(word), &true.into())
        );
        assert!(verdict["reasons"].to_string().contains("class-balance"));
    }
}

#[test]
fn force_changes_nothing_where_every_guardrail_holds() {
    let verdict = outcome(&Desk::with(&Signals::leaky()), "--force", 1);
    assert_eq!(verdict["forced"], false);
}

#[test]
fn a_measure_that_cannot_be_seen_is_inconclusive() {
    let desk = Desk::with(&Signals::leaky());
    let verdict = outcome(&desk, "--measure tpr@0.0001 --threshold 0.5", 3);
    assert!(verdict["gate"].is_null());
}

#[test]
fn the_rules_of_the_gate_differ_where_the_interval_straddles_the_threshold() {
    let desk = Desk::with(&Signals::leaky());
    let gate = outcome(&desk, "", 1)["gate"].take();
    let number = |key: &str| gate[key].as_f64().unwrap();
    let (low, value, high) = (number("low"), number("value"), number("high"));
    assert!(low < value && value < high);
    for (threshold, point, conservative, proven) in [
        (low / 2.0, 1, 1, 1),
        ((low + value) / 2.0, 1, 1, 0),
        (value, 1, 1, 0),
        ((value + high) / 2.0, 0, 1, 0),
        ((high + 1.0) / 2.0, 0, 0, 0),
    ] {
        for (rule, code) in [
            ("point", point),
            ("conservative", conservative),
            ("proven", proven),
        ] {
            let found = outcome(
                &desk,
                &format!("--gate {rule} --threshold {threshold}"),
                code,
            );
            assert_eq!(found["gate"]["rule"], rule);
            assert_eq!(found["gate"]["threshold"], threshold);
        }
    }
}

#[test]
fn a_holdout_chooses_on_one_half_and_judges_on_the_other() {
    let desk = Desk::with(&Signals::leaky());
    let verdict = outcome(&desk, "--holdout", 1);
    assert_eq!(verdict["gate"]["holdout"], true);
    assert_eq!(verdict["gate"]["tried"], 1);
    let report = desk.json("out/report.json");
    assert_eq!(report["provenance"]["data"]["judged_records"], 200);
    let first = &report["attacks"][0];
    let judged = first["n_members"].as_u64().unwrap() + first["n_nonmembers"].as_u64().unwrap();
    assert_eq!(judged, 200);
    assert_eq!(outcome(&desk, "", 1)["gate"]["tried"], 4);
}
