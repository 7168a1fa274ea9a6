//! `report.json`, key by key: the names and types that outlive versions.

use serde_json::Value;

use crate::common::{Desk, auc};
use crate::signals::Signals;

fn report(signals: &Signals) -> Value {
    let desk = Desk::with(signals);
    let said = desk.guestlist("audit signals --out out --quiet");
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    desk.json("out/report.json")
}

#[track_caller]
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().expect(key)
}

#[track_caller]
fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().expect(key)
}

#[track_caller]
fn count(value: &Value, key: &str) -> u64 {
    value[key].as_u64().expect(key)
}

#[track_caller]
fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().expect(key)
}

/// A number from 0 to 1.
#[track_caller]
fn share(value: &Value, key: &str) -> f64 {
    let found = number(value, key);
    assert!((0.0..=1.0).contains(&found), "{key} is {found}");
    found
}

/// `value` between `low` and `high`, all from 0 to 1.
#[track_caller]
fn interval(value: &Value) -> f64 {
    let (low, middle, high) = (
        share(value, "low"),
        share(value, "value"),
        share(value, "high"),
    );
    assert!(low <= middle && middle <= high, "{value}");
    middle
}

#[test]
fn the_head_names_schema_verdict_and_guardrails() {
    for (signals, word) in [
        (Signals::leaky(), "fail"),
        (Signals::clean(), "pass"),
        (Signals::too_few_members(), "inconclusive"),
    ] {
        let report = report(&signals);
        assert_eq!(text(&report, "schema"), "guestlist.report/2");
        let verdict = &report["verdict"];
        assert_eq!(text(verdict, "outcome"), word);
        assert!(!list(verdict, "reasons").is_empty());
        assert!(list(verdict, "reasons").iter().all(Value::is_string));
        let violated = list(&report, "guardrails").iter().filter(|guardrail| {
            assert!(!text(guardrail, "id").is_empty() && !text(guardrail, "detail").is_empty());
            let status = text(guardrail, "status");
            assert!(["ok", "warn", "violated"].contains(&status), "{status}");
            status == "violated"
        });
        assert_eq!(violated.count() > 0, word == "inconclusive");
    }
}

#[test]
fn every_attack_has_every_measure() {
    let report = report(&Signals::leaky());
    let attacks = list(&report, "attacks");
    assert!(attacks.len() >= 20, "{} attacks", attacks.len());
    for attack in attacks {
        let (members, nonmembers) = (count(attack, "n_members"), count(attack, "n_nonmembers"));
        assert_eq!(members + nonmembers, 400);
        let abstained = count(attack, "abstained");
        assert_eq!(abstained > 0, attack["judged"].is_object());
        if abstained > 0 {
            let judged = &attack["judged"];
            let own = count(judged, "n_members") + count(judged, "n_nonmembers");
            assert_eq!(own + abstained, 400);
            check_auc(&judged["auc"]);
        }
        check_auc(&attack["auc"]);
        let tprs = list(attack, "tpr_at_fpr");
        let rates: Vec<f64> = tprs.iter().map(|tpr| number(tpr, "fpr")).collect();
        assert_eq!(rates, [0.1, 0.01, 0.001]);
        tprs.iter()
            .for_each(|tpr| check_tpr(tpr, nonmembers as f64));
        check_log_mia(&attack["log_mia"], members);
        assert!(interval(&attack["balanced_accuracy"]) >= 0.5);
        check_epsilon(&attack["epsilon_lower_bound"]);
    }
}

/// A leak as large as this is no secret to any attack, but some have few shadows to go by.
fn check_auc(auc: &Value) {
    assert!(interval(auc) > 0.5, "{auc}");
    assert!(!text(auc, "method").is_empty());
}

/// A rate that the non-members cannot show has no value.
fn check_tpr(tpr: &Value, nonmembers: f64) {
    if number(tpr, "fpr") * nonmembers >= 1.0 {
        interval(tpr);
    } else {
        assert!(
            ["value", "low", "high"]
                .iter()
                .all(|key| tpr[key].is_null()),
            "{tpr}"
        );
    }
}

fn check_log_mia(log_mia: &Value, members: u64) {
    for (name, regime) in [("a", &log_mia["a"]), ("b", &log_mia["b"])] {
        assert!(number(regime, "value") >= 0.0);
        share(regime, "alpha");
        share(regime, "p_value");
        assert!(count(regime, "tp") <= members);
        let levels = ["severe", "moderate", "none", "chance"];
        assert!(levels.contains(&text(regime, "level")), "{regime}");
        assert_eq!(regime["beta"].is_number(), name == "b");
    }
    assert_eq!(count(&log_mia["a"], "fp"), 0);
}

fn check_epsilon(bound: &Value) {
    assert!(number(bound, "value") >= 0.0);
    assert_eq!(number(bound, "delta"), 1e-5);
    assert_eq!(number(bound, "confidence"), 0.95);
    assert!(!text(bound, "method").is_empty());
}

#[test]
fn attacks_see_a_leak_where_there_is_one_and_none_where_there_is_none() {
    let [leaky, clean] = [Signals::leaky(), Signals::clean()].map(|signals| report(&signals));
    for id in ["loss", "lira", "rmia", "bavaria-t", "elsa-full"] {
        assert!(auc(&leaky, id) > 0.7, "{id} {}", auc(&leaky, id));
        assert!(
            (auc(&clean, id) - 0.5).abs() < 0.12,
            "{id} {}",
            auc(&clean, id)
        );
    }
}

#[test]
fn provenance_says_what_was_read_and_how_to_repeat_it() {
    let report = report(&Signals::leaky());
    let provenance = &report["provenance"];
    assert_eq!(text(provenance, "version"), env!("CARGO_PKG_VERSION"));
    assert_eq!(count(provenance, "seed"), 0);
    assert!(text(provenance, "command").starts_with("guestlist audit signals "));
    let inputs = list(provenance, "inputs");
    let paths: Vec<&str> = inputs.iter().map(|input| text(input, "path")).collect();
    assert_eq!(paths, ["signals/phi.npy", "signals/keep.npy"]);
    for input in inputs {
        let digest = text(input, "sha256");
        let plain = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        assert!(digest.len() == 64 && digest.chars().all(plain), "{digest}");
    }
}

#[test]
fn the_folder_holds_the_files_of_the_contract_and_no_more() {
    let desk = Desk::with(&Signals::leaky());
    desk.guestlist("audit signals --attacks loss --out out -q")
        .exits(1);
    assert_eq!(
        desk.names("out"),
        ["SHA256SUMS", "report.html", "report.json", "scores.parquet"]
    );
    desk.guestlist("audit signals --attacks loss --out all --junit --markdown -q")
        .exits(1);
    assert_eq!(
        desk.names("all"),
        [
            "SHA256SUMS",
            "junit.xml",
            "report.html",
            "report.json",
            "report.md",
            "scores.parquet"
        ]
    );
    assert_eq!(desk.bytes("all/report.json"), desk.bytes("out/report.json"));
}
