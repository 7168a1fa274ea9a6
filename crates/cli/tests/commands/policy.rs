//! Policies from the outside: written, used, refused, and held against stored reports.

use std::fs;

use serde_json::Value;

use crate::common::Desk;
use crate::signals::{Random, Signals};

const FAST: &str = "--attacks loss,lira,rmia --bootstrap 0 --quiet";

const AUC: &str = "[[criteria]]\nmeasure = \"auc\"\nthreshold = 0.65\nwhy = \"as it was before\"\n";
const EPSILON: &str = "[[criteria]]\nmeasure = \"epsilon\"\ndelta = 1e-5\nthreshold = 1.0\nwhy = \"as it was before\"\n";

fn rate(fpr: f64) -> String {
    format!("[[criteria]]\nmeasure = \"tpr@{fpr}\"\nthreshold = 0.1\nwhy = \"as it was before\"\n")
}

fn write(desk: &Desk, criteria: &str) {
    let text = format!("name = \"ours\"\n{criteria}");
    fs::write(desk.path("policy.toml"), text).unwrap();
}

fn audit(desk: &Desk, code: i32, options: &str) -> Value {
    desk.guestlist(&format!("audit signals {FAST} --out out {options}"))
        .exits(code);
    desk.json("out/report.json")
}

fn outcomes(report: &Value) -> Vec<&str> {
    let criteria = report["policy"]["criteria"].as_array().unwrap().iter();
    criteria
        .map(|one| one["outcome"].as_str().unwrap())
        .collect()
}

/// What judging the stored report gives: its exit code and its last event.
fn check(desk: &Desk, options: &str) -> (Option<i32>, Vec<Value>) {
    let said = desk.guestlist(&format!("policy check out {options} --json"));
    (said.code, said.events())
}

#[test]
fn three_criteria_decide_together_and_the_stored_report_says_the_same() {
    for (signals, code, expected) in [(Signals::leaky(), 1, "fail"), (Signals::clean(), 0, "pass")]
    {
        let desk = Desk::with(&signals);
        write(&desk, &format!("{AUC}{}{EPSILON}", rate(0.01)));
        let report = audit(&desk, code, "--policy policy.toml");
        assert_eq!(outcomes(&report), [expected; 3], "{}", report["verdict"]);
        let policy = &report["policy"];
        assert_eq!(policy["name"], "ours");
        assert_eq!(policy["sha256"].as_str().unwrap().len(), 64);
        let read = report["provenance"]["inputs"].as_array().unwrap();
        let last = read.last().unwrap();
        assert_eq!(last["path"], "policy.toml");
        assert_eq!(last["sha256"], policy["sha256"]);
        for options in ["", "--policy policy.toml"] {
            let (found, events) = check(&desk, options);
            assert_eq!(found, Some(code), "{options}");
            let criteria = events.iter().filter(|event| event["event"] == "criterion");
            for (stored, judged) in policy["criteria"].as_array().unwrap().iter().zip(criteria) {
                for key in ["value", "low", "high", "attack", "outcome"] {
                    assert_eq!(stored[key], judged["criterion"][key], "{key}");
                }
            }
        }
        // Without a path: where the file lies does not matter.
        assert!(!policy.to_string().contains("policy.toml"));
    }
}

#[test]
fn a_policy_of_one_criterion_is_the_gate() {
    for (signals, code) in [(Signals::leaky(), 1), (Signals::clean(), 0)] {
        let desk = Desk::with(&signals);
        write(&desk, AUC);
        let usual = audit(&desk, code, "");
        let judged = audit(&desk, code, "--policy policy.toml");
        assert_eq!(usual["verdict"], judged["verdict"]);
        assert_eq!(usual["attacks"], judged["attacks"]);
        let of_policy = |finding: &&Value| finding["id"].as_str().unwrap().starts_with("policy-");
        let findings = judged["guardrails"].as_array().unwrap().iter();
        let others: Vec<&Value> = findings.filter(|finding| !of_policy(finding)).collect();
        assert_eq!(
            others,
            usual["guardrails"]
                .as_array()
                .unwrap()
                .iter()
                .collect::<Vec<_>>()
        );
    }
}

/// What a policy asks for and an audit cannot say is inconclusive, never skipped.
#[test]
fn what_was_not_measured_never_passes() {
    let desk = Desk::with(&Signals::clean());
    for (criterion, wanted) in [
        (rate(0.001), "non-members"),
        (EPSILON.replace("1.0", "9.0"), "would stay unseen"),
        (AUC.replace("why", "scope = \"slice\"\nwhy"), "--slice"),
        (AUC.replace("why", "scope = \"person\"\nwhy"), "person"),
    ] {
        let criteria = match criterion.contains("scope") {
            true => format!("{EPSILON}{criterion}"),
            false => format!("{AUC}{criterion}"),
        };
        write(&desk, &criteria);
        let report = audit(&desk, 3, "--policy policy.toml");
        assert_eq!(outcomes(&report)[1], "inconclusive");
        let reasons = report["verdict"]["reasons"].to_string();
        assert!(reasons.contains(wanted), "{wanted}: {reasons}");
        assert_eq!(check(&desk, "").0, Some(3), "{wanted}");
    }
    write(&desk, &format!("{AUC}[smallest]\nmembers = 1000\n"));
    let report = audit(&desk, 3, "--policy policy.toml");
    assert!(
        report["verdict"]["reasons"][0]
            .as_str()
            .unwrap()
            .contains("policy-sizes")
    );
}

#[test]
fn a_report_without_what_a_policy_asks_for_is_inconclusive() {
    let desk = Desk::with(&Signals::clean());
    audit(&desk, 0, "--fpr 0.1");
    desk.guestlist("policy check out").exits(2);
    write(&desk, &format!("{AUC}{}", rate(0.05)));
    let (code, events) = check(&desk, "--policy policy.toml");
    assert_eq!(code, Some(3));
    let reasons = events.last().unwrap()["reasons"].to_string();
    assert!(reasons.contains("audit again with --policy"), "{reasons}");
    write(&desk, AUC);
    assert_eq!(check(&desk, "--policy policy.toml").0, Some(0));
    // A lower threshold than the audit's own is judged anew.
    write(&desk, &AUC.replace("0.65", "0.4"));
    let (code, events) = check(&desk, "--policy policy.toml");
    let reasons = events.last().unwrap()["reasons"].to_string();
    assert!(
        code == Some(3) && reasons.contains("beyond-chance"),
        "{reasons}"
    );
}

#[test]
fn a_weaker_attacker_passes_only_where_the_policy_accepts_it() {
    let desk = Desk::with(&Signals::clean());
    write(&desk, AUC);
    let alone = "audit signals --bootstrap 0 --quiet --shadows 0 --policy policy.toml";
    desk.guestlist(alone).exits(3);
    desk.guestlist(&format!("{alone} --attacker target-only"))
        .exits(3);
    write(&desk, &format!("attackers = [\"target-only\"]\n{AUC}"));
    desk.guestlist(alone).exits(0);
}

#[test]
fn other_gates_beside_a_policy_are_refused() {
    let desk = Desk::with(&Signals::clean());
    write(&desk, AUC);
    for option in ["--threshold 0.6", "--measure advantage", "--gate proven"] {
        let said = desk.guestlist(&format!("audit signals --policy policy.toml {option}"));
        let said = said.exits(2).stderr;
        assert!(
            said.contains("do not go together") && said.contains("leave"),
            "{said}"
        );
    }
    let said = desk
        .guestlist("audit signals --policy nowhere.toml")
        .exits(2);
    assert!(said.stderr.contains("nowhere.toml"), "{}", said.stderr);
}

#[test]
fn hostile_reasons_are_shown_and_not_obeyed() {
    let desk = Desk::with(&Signals::clean());
    let why = "<script>alert(1)</script> | **x** \u{202e} because";
    write(&desk, &AUC.replace("as it was before", why));
    desk.guestlist("audit signals --bootstrap 0 --policy policy.toml --markdown --out out")
        .exits(0);
    let page = String::from_utf8(desk.bytes("out/report.html")).unwrap();
    assert!(!page.contains("<script>alert(1)"), "escaped");
    let shown = desk.guestlist("policy check out").exits(0).stdout;
    assert!(!shown.contains('\u{202e}'), "{shown}");
}

#[test]
fn presets_are_written_and_used() {
    let desk = Desk::with(&Signals::new(9, 2300, 2.0));
    for preset in ["research", "internal-release", "public-release"] {
        desk.guestlist(&format!(
            "init policy --preset {preset} --out {preset}.toml --quiet"
        ))
        .exits(0);
        let report = audit(&desk, 1, &format!("--policy {preset}.toml"));
        assert_eq!(report["policy"]["name"], preset);
    }
    let said = desk.guestlist("init policy --quiet").exits(0);
    assert!(desk.path("policy.toml").exists(), "{}", said.stderr);
    desk.guestlist("init policy").exits(2);
    let said = desk
        .guestlist("init policy --preset strict --out other.toml")
        .exits(2);
    assert!(said.stderr.contains("public-release"), "{}", said.stderr);
}

#[test]
fn epsilon_is_gated_and_claimed() {
    let leaky = Desk::with(&Signals::leaky());
    let report = audit(&leaky, 1, "--measure epsilon --threshold 0.5");
    assert_eq!(report["verdict"]["gate"]["measure"]["epsilon"], 1e-5);
    let clean = Desk::with(&Signals::clean());
    audit(&clean, 0, "--measure epsilon --threshold 0.5");
    audit(&clean, 3, "--measure epsilon --threshold 9");
    let report = audit(
        &leaky,
        1,
        "--threshold 1 --claim-epsilon 0.5 --claim-delta 1e-6",
    );
    assert_eq!(report["claim"]["outcome"], "refuted");
    assert_eq!(report["claim"]["delta"], 1e-6);
    assert!(
        report["verdict"]["reasons"][0]
            .as_str()
            .unwrap()
            .contains("does not hold")
    );
    let report = audit(&clean, 0, "--claim-epsilon 0.5 --claim-delta 1e-6");
    assert_eq!(report["claim"]["outcome"], "not-refuted");
    for wrong in [
        "--claim-epsilon 1",
        "--claim-delta 1e-5",
        "--claim-epsilon 0 --claim-delta 0",
        "--measure epsilon",
        "--measure epsilon --threshold 0",
        "--measure epsilon --threshold 1 --gate conservative",
    ] {
        let said = clean.guestlist(&format!("audit signals {wrong}")).exits(2);
        assert!(said.stderr.contains("hint"), "{wrong}: {}", said.stderr);
    }
}

#[test]
fn holdout_and_policy_go_together() {
    let desk = Desk::with(&Signals::leaky());
    write(&desk, &format!("{AUC}{}", rate(0.05)));
    let report = audit(&desk, 1, "--policy policy.toml --holdout --replicates 2");
    assert_eq!(report["verdict"]["gate"]["holdout"], true);
    assert_eq!(outcomes(&report), ["fail", "fail"]);
    let command = report["provenance"]["command"].as_str().unwrap();
    assert!(command.contains("--policy policy.toml"), "{command}");
}

/// Slices that were held against a higher threshold say nothing of a lower one.
#[test]
fn slices_at_another_threshold_never_pass_a_stored_report() {
    let desk = Desk::new();
    let row = |i: usize| {
        let (member, old) = (i % 2, i % 8 >= 6);
        let noise = (i * 7919 % 1200) as f64 / 1200.0;
        let score = noise.powf(if old && member == 1 { 0.125 } else { 1.0 });
        format!("{member},{},{score}\n", if old { "old" } else { "young" })
    };
    let rows: String = (0..1200).map(row).collect();
    fs::write(desk.path("scores.csv"), format!("member,age,mine\n{rows}")).unwrap();
    let scores = "audit scores.csv --kind scores --slice age --bootstrap 0 --quiet";
    desk.guestlist(&format!("{scores} --threshold 0.95 --out out"))
        .exits(0);
    write(&desk, AUC);
    let (found, events) = check(&desk, "--policy policy.toml");
    assert_eq!(found, Some(3), "{events:?}");
    desk.guestlist(&format!("{scores} --policy policy.toml"))
        .exits(1);
}

/// People are fewer than their records, and power counts people in a stored report too.
#[test]
fn a_stored_report_keeps_the_power_of_its_people() {
    let desk = Desk::new();
    let row = |i: usize| {
        let person = i / 30;
        let shared = (person * 37 % 60) as f64 / 60.0;
        let noise = (i * 7919 % 1800) as f64 / 18000.0;
        format!("p{person},{},{}\n", person % 2, shared + noise)
    };
    let rows: String = (0..1800).map(row).collect();
    fs::write(
        desk.path("scores.csv"),
        format!("person,member,mine\n{rows}"),
    )
    .unwrap();
    desk.guestlist("audit scores.csv --kind scores --group person --bootstrap 0 --quiet --out out")
        .exits(3);
    write(&desk, AUC);
    assert_eq!(check(&desk, "--policy policy.toml").0, Some(3));
}

/// No town is large enough to be judged by itself, and the rest of them is none.
#[test]
fn slices_that_are_too_small_one_by_one_meet_no_criterion() {
    let desk = Desk::new();
    write(&desk, &AUC.replace("why", "scope = \"slice\"\nwhy"));
    for each in [10, 1] {
        let mut random = Random(7);
        let mut text = String::from("member,mine,town\n");
        for record in 0..3000 {
            let member = u8::from(random.normal() > 0.0);
            text += &format!("{member},{},t{}\n", random.normal(), record / each);
        }
        fs::write(desk.path("scores.csv"), text).unwrap();
        let said = desk.guestlist(
            "audit scores.csv --kind scores --slice town --policy policy.toml --bootstrap 0 --out out",
        );
        let said = said.exits(3).stdout;
        assert!(said.contains("less than half of the records"), "{said}");
        let slices = &desk.json("out/report.json")["diagnostics"]["slices"]["slices"];
        let largest = slices.as_array().unwrap().iter();
        let largest = largest
            .max_by_key(|slice| slice["records"].as_u64())
            .unwrap();
        let name = largest["value"].as_str().unwrap();
        assert!(!name.starts_with('#'), "{name}");
    }
}
