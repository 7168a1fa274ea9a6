//! The report as SARIF: what code-scanning servers need is there, and words from outside are inert.

#![allow(clippy::unwrap_used)]

extern crate guestlist_report as report;

use judge::guardrails::Status;
use judge::policy::{PolicyFinding, Smallest};
use judge::verdict::Outcome;
use report::{Inputs, Report};
use serde_json::Value;

const STORED: &str = include_str!("data/leaky.json");

fn stored() -> Report {
    Report::from_json(STORED).unwrap()
}

fn run(report: &Report) -> Value {
    let text = report::sarif(report).unwrap();
    let log: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(log["version"], "2.1.0");
    log["runs"][0].clone()
}

fn results(report: &Report) -> Vec<Value> {
    run(report)["results"].as_array().unwrap().clone()
}

fn of_rule<'a>(results: &'a [Value], rule: &str) -> Option<&'a Value> {
    results.iter().find(|result| result["ruleId"] == rule)
}

#[test]
fn a_leak_in_sarif() {
    insta::assert_snapshot!(report::sarif(&stored()).unwrap());
}

#[test]
fn a_leak_is_an_error_with_its_evidence() {
    let found = results(&stored());
    let leak = of_rule(&found, "membership-leak").unwrap();
    assert_eq!(leak["level"], "error");
    let text = leak["message"]["text"].as_str().unwrap();
    assert!(text.contains("at or above the threshold 0.65"), "{text}");
    let numbers = &leak["properties"];
    assert_eq!(numbers["threshold"], 0.65);
    for name in ["auc", "low", "high", "value"] {
        assert!(numbers[name].is_f64(), "{name}");
    }
}

#[test]
fn every_result_points_to_its_rule_and_to_a_place() {
    let run = run(&stored());
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let severity = rules[0]["properties"]["security-severity"]
        .as_str()
        .unwrap();
    assert!(severity.parse::<f64>().unwrap() >= 7.0);
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "signals/phi.npy");
        assert_eq!(place["region"]["startLine"], 1);
    }
    for rule in rules {
        assert!(
            rule["help"]["text"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
    }
}

#[test]
fn outcomes_and_guardrails_have_their_levels() {
    let mut report = stored();
    report.verdict.outcome = Outcome::Inconclusive;
    report.guardrails[0].status = Status::Violated;
    let found = results(&report);
    assert_eq!(
        of_rule(&found, "membership-leak").unwrap()["level"],
        "warning"
    );
    let id = format!("guardrail-{}", report.guardrails[0].id);
    assert_eq!(of_rule(&found, &id).unwrap()["level"], "error");
    assert_eq!(
        of_rule(&found, "guardrail-shadow-coverage").unwrap()["level"],
        "note"
    );
    assert!(of_rule(&found, "guardrail-tied-scores").is_none());
    report.verdict.forced = true;
    assert_eq!(of_rule(&results(&report), &id).unwrap()["level"], "warning");
    report.verdict.outcome = Outcome::Pass;
    assert!(of_rule(&results(&report), "membership-leak").is_none());
}

#[test]
fn fingerprints_outlast_changes_of_numbers_and_tell_results_apart() {
    let fingerprints = |report: &Report| -> Vec<String> {
        let results = results(report);
        let prints = results.iter().map(|result| {
            let print = &result["partialFingerprints"]["primaryLocationLineHash"];
            print.as_str().unwrap().to_owned()
        });
        prints.collect()
    };
    let mut other = stored();
    other.verdict.reasons[0] = "AUC of rmia is 0.7".into();
    other.provenance.seed = 9;
    let mut prints = fingerprints(&other);
    assert_eq!(prints, fingerprints(&stored()));
    let all = prints.len();
    prints.sort();
    prints.dedup();
    assert_eq!(prints.len(), all);
}

#[test]
fn a_policy_is_no_place_of_what_leaks() {
    let mut report = stored();
    let policy = PolicyFinding {
        name: "ours".into(),
        sha256: "a1".into(),
        smallest: Smallest::default(),
        attackers: Vec::new(),
        criteria: Vec::new(),
    };
    report.provenance.inputs.insert(
        0,
        Inputs {
            path: "policy.toml".into(),
            sha256: policy.sha256.clone(),
            ..Inputs::default()
        },
    );
    report.policy = Some(policy);
    let leak = results(&report);
    let place = &leak[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(place, "signals/phi.npy");
    let page = report::markdown(&report);
    assert!(page.contains("classifier: signals/phi.npy"), "{page}");
}

#[test]
fn hostile_words_stay_words() {
    let mut report = stored();
    report.verdict.reasons = vec!["[x](http://evil) {0} \u{1b}[2J \u{202e}\n\"".into()];
    report.provenance.command = "guestlist run '../../etc/passwd'".into();
    report.provenance.inputs = vec![Inputs {
        path: "/home/someone/secret.npz".into(),
        sha256: String::new(),
        ..Inputs::default()
    }];
    let text = report::sarif(&report).unwrap();
    assert_eq!(
        report::printable(&text.replace('\n', "")),
        text.replace('\n', "")
    );
    assert!(
        !text.contains("someone") && !text.contains("passwd"),
        "{text}"
    );
    let found = results(&report);
    let leak = of_rule(&found, "membership-leak").unwrap();
    let words = leak["message"]["text"].as_str().unwrap();
    assert!(
        words.contains("\\[x\\](http://evil) {{0}} \\\\u{{1b}}\\[2J"),
        "{words}"
    );
    let place = &leak["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(place, "report.json");
}

#[test]
fn a_run_is_pinned_to_its_configuration() {
    let mut report = stored();
    report.provenance.command = "guestlist run audits/rag.toml".into();
    let run = run(&report);
    assert_eq!(run["automationDetails"]["id"], "guestlist/audits/rag.toml/");
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "audits/rag.toml");
}
