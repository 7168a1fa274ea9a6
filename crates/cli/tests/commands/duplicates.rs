//! Copies of records in signals whose models exist already: known by outputs that agree to the last
//! bit under every model.

use serde_json::Value;

use crate::common::Desk;
use crate::signals::Signals;

/// Every model answers the same to a record and the one before it; who trained on what stays.
fn twice(mut signals: Signals) -> Signals {
    for place in 0..signals.phi.len() {
        if place % 2 == 1 {
            signals.phi[place] = signals.phi[place - 1];
        }
    }
    signals
}

fn guardrail(signals: &Signals, code: i32) -> Value {
    let desk = Desk::with(signals);
    desk.guestlist("audit signals --bootstrap 0 --quiet --out out")
        .exits(code);
    let report = desk.json("out/report.json");
    let found = report["guardrails"].as_array().unwrap().iter();
    let mut found = found.filter(|found| found["id"] == "duplicates");
    found.next().unwrap().clone()
}

#[test]
fn copies_that_are_members_and_nonmembers_at_once_block_a_pass() {
    let finding = guardrail(&twice(Signals::clean()), 3);
    assert_eq!(finding["status"], "violated");
    assert_eq!(finding["blocks"], "pass");
    let detail = finding["detail"].as_str().unwrap();
    for part in [
        "of 400 records (",
        "same outputs as another under every model, to the last bit",
        "members and non-members at once",
        "keep one of each",
    ] {
        assert!(detail.contains(part), "no {part:?} in {detail}");
    }
}

#[test]
fn copies_do_not_block_a_fail() {
    let finding = guardrail(&twice(Signals::new(9, 400, 6.0)), 1);
    assert_eq!(finding["status"], "violated");
}

#[test]
fn copies_on_one_side_of_the_truth_are_counted() {
    let mut signals = twice(Signals::clean());
    let keep = signals.keep.clone();
    signals.set_target_members(|record| keep[record - record % 2]);
    let finding = guardrail(&signals, 0);
    assert_eq!(finding["status"], "warn");
    let detail = finding["detail"].as_str().unwrap();
    assert!(
        detail.contains("only 200 records are different"),
        "{detail}"
    );
}

#[test]
fn outputs_that_say_little_are_no_copies() {
    assert_eq!(guardrail(&Signals::clean(), 0)["status"], "ok");
    // Sure models answer the same to most of what they are asked.
    let mut sure = Signals::clean();
    for phi in &mut sure.phi {
        *phi = phi.min(1.0);
    }
    let desk = Desk::with(&sure);
    desk.guestlist("audit signals --bootstrap 0 --quiet --out out");
    let report = desk.json("out/report.json");
    let found = report["guardrails"].as_array().unwrap().iter();
    let mut found = found.filter(|found| found["id"] == "duplicates");
    assert_eq!(found.next().unwrap()["status"], "ok");
}
