//! What the options of an audit change in its report.

use std::fs;

use serde_json::{Value, json};

use crate::common::{Desk, auc};
use crate::signals::Signals;

const FAST: &str = "--attacks loss,population,lira,rmia --bootstrap 0 --quiet";

fn report(desk: &Desk, arguments: &str) -> Value {
    let said = desk.guestlist(&format!("audit signals {FAST} --out out {arguments}"));
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    desk.json("out/report.json")
}

#[test]
fn a_list_of_members_takes_the_place_of_the_keep_row() {
    let signals = Signals::leaky();
    let desk = Desk::with(&signals);
    let usual = report(&desk, "");
    let listed = |member: bool| {
        let records = (0..signals.records).filter(|&record| signals.keep[record] == member);
        let lines: Vec<String> = records.map(|record| record.to_string()).collect();
        fs::write(desk.path("members.txt"), lines.join("\r\n")).unwrap();
        report(&desk, "--members members.txt")
    };
    assert_eq!(listed(true)["attacks"], usual["attacks"]);
    let turned = listed(false);
    assert!((auc(&turned, "loss") - (1.0 - auc(&usual, "loss"))).abs() < 1e-12);
    assert_eq!(turned["verdict"]["outcome"], "inconclusive");
    let inputs = turned["provenance"]["inputs"].as_array().unwrap();
    assert!(inputs.iter().any(|input| input["path"] == "members.txt"));
}

#[test]
fn a_list_of_members_speaks_of_ids_where_there_are_any() {
    let signals = Signals::leaky().with_ids(|record| format!("person {record}"));
    let desk = Desk::with(&signals);
    let usual = report(&desk, "");
    let members = (0..signals.records).filter(|&record| signals.keep[record]);
    let lines: Vec<String> = members.map(|record| format!("person {record}")).collect();
    fs::write(desk.path("members.txt"), lines.join("\n")).unwrap();
    assert_eq!(
        report(&desk, "--members members.txt")["attacks"],
        usual["attacks"]
    );
}

#[test]
fn a_population_is_used_and_named() {
    let desk = Desk::with(&Signals::leaky());
    let usual = report(&desk, "");
    Signals::new(9, 300, 0.0).write(&desk.path("further"));
    let with = report(&desk, "--population further");
    assert_eq!(auc(&with, "lira"), auc(&usual, "lira"));
    assert_ne!(auc(&with, "rmia"), auc(&usual, "rmia"));
    let inputs = with["provenance"]["inputs"].to_string();
    assert!(inputs.contains("further/phi.npy"), "{inputs}");
}

#[test]
fn a_setting_changes_its_attack_and_is_recorded() {
    let desk = Desk::with(&Signals::leaky());
    let usual = report(&desk, "");
    let set = report(
        &desk,
        "--set rmia.gamma=8 --set gaussian.variance=per-record",
    );
    assert_eq!(usual["provenance"]["settings"]["rmia.gamma"], "1");
    assert_eq!(set["provenance"]["settings"]["rmia.gamma"], "8");
    assert_eq!(auc(&set, "loss"), auc(&usual, "loss"));
    assert_ne!(auc(&set, "rmia"), auc(&usual, "rmia"));
    assert_ne!(auc(&set, "lira"), auc(&usual, "lira"));
}

#[test]
fn replicates_let_each_model_be_the_target() {
    let desk = Desk::with(&Signals::leaky());
    let replicated = report(&desk, "--replicates 3");
    let replicates = &replicated["replicates"];
    assert_eq!(replicates["targets"], json!([0, 1, 2]));
    assert_eq!(replicates["shadows"], 8);
    let by_hand: f64 = (0..3)
        .map(|target| auc(&report(&desk, &format!("--target {target}")), "lira"))
        .sum();
    let attacks = replicates["attacks"].as_array().unwrap();
    let lira = attacks
        .iter()
        .find(|attack| attack["id"] == "lira")
        .unwrap();
    let mean = lira["auc"]["mean"].as_f64().unwrap();
    assert!((mean - by_hand / 3.0).abs() < 1e-12);
    assert!(lira["auc"]["standard_error"].as_f64().unwrap() > 0.0);
    assert!(report(&desk, "")["replicates"].is_null());
}

#[test]
fn scaling_repeats_the_audit_with_fewer_shadows() {
    let desk = Desk::with(&Signals::leaky());
    let scaled = report(&desk, "--scaling 4,8");
    let points = scaled["scaling"].as_array().unwrap();
    assert_eq!(points.len(), 2);
    assert_eq!(points[0]["shadows"], 4);
    assert_eq!(points[1]["shadows"], 8);
    // All of them are all of them, however they are drawn.
    let alone = report(&desk, "--shadows 8");
    assert_eq!(alone["detail"]["shadows"], 8);
    for attack in points[1]["attacks"].as_array().unwrap() {
        let id = attack["id"].as_str().unwrap();
        assert_eq!(attack["auc"]["mean"], auc(&alone, id), "{id} with 8");
    }
}

#[test]
fn scaling_draws_shadows_by_target_and_seed() {
    let desk = Desk::with(&Signals::leaky());
    let drawn = |words: &str| {
        let scaled = report(&desk, &format!("--scaling 4 {words}"));
        scaled["scaling"][0]["attacks"].clone()
    };
    assert_eq!(drawn("--seed 1"), drawn("--seed 1"));
    let draws: Vec<_> = (1..6)
        .map(|seed| drawn(&format!("--seed {seed}")))
        .collect();
    let lira = |draw: &serde_json::Value| {
        let attacks = draw.as_array().unwrap();
        let lira = attacks.iter().find(|attack| attack["id"] == "lira");
        lira.unwrap()["auc"]["mean"].as_f64().unwrap()
    };
    let means: Vec<f64> = draws.iter().map(lira).collect();
    assert!(means.iter().any(|mean| *mean != means[0]), "{means:?}");
    assert!(means.iter().all(|mean| *mean > 0.6), "{means:?}");
}

#[test]
fn attacks_are_those_asked_for_each_once() {
    let desk = Desk::with(&Signals::leaky());
    desk.guestlist("audit signals --attacks rmia,loss,rmia --out out -q")
        .exits(1);
    let report = desk.json("out/report.json");
    let ids = report["attacks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attack| &attack["id"]);
    assert_eq!(ids.collect::<Vec<_>>(), ["rmia", "loss"]);
}

#[test]
fn rates_and_levels_are_those_asked_for() {
    let desk = Desk::with(&Signals::leaky());
    let report = report(&desk, "--fpr 0.2,0.05 --confidence 0.9 --delta 0.001");
    let attack = &report["attacks"][0];
    let rates = attack["tpr_at_fpr"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tpr| &tpr["fpr"]);
    assert_eq!(rates.collect::<Vec<_>>(), [0.2, 0.05]);
    assert_eq!(attack["auc"]["confidence"], 0.9);
    assert_eq!(attack["epsilon_lower_bound"]["delta"], 0.001);
}

#[test]
fn the_false_positives_of_log_mia_are_those_asked_for() {
    let desk = Desk::with(&Signals::leaky());
    let allowed = |words: &str| {
        let report = report(&desk, words);
        let regime = &report["attacks"][0]["log_mia"]["b"];
        let allowed = regime["fp_allowed"].as_u64().unwrap();
        // β is of the false positives allowed, whatever the rule.
        let members = report["attacks"][0]["n_members"].as_f64().unwrap();
        let beta = (allowed as f64 + 2.0).ln() / members.ln_1p();
        assert!((regime["beta"].as_f64().unwrap() - beta).abs() < 1e-12);
        allowed
    };
    let usual = allowed("");
    assert_eq!(allowed("--log-mia-fp ceil"), usual);
    assert_eq!(allowed("--log-mia-fp floor"), usual - 1);
    assert_eq!(
        [3, 10, 14].map(|fp| allowed(&format!("--log-mia-fp {fp}"))),
        [3, 10, 14]
    );
    let said = desk.guestlist("audit signals --log-mia-fp many").exits(2);
    for part in ["--log-mia-fp", "many", "hint: give ceil"] {
        assert!(
            said.stderr.contains(part),
            "{part:?} is not in: {}",
            said.stderr
        );
    }
}

#[test]
fn the_recorded_command_gives_the_same_report_again() {
    let desk = Desk::with(&Signals::leaky());
    let first = report(
        &desk,
        "--seed 3 --shadows 6 --gate conservative --threshold 0.7 --holdout",
    );
    let bytes = desk.bytes("out/report.json");
    let command = first["provenance"]["command"].as_str().unwrap();
    let arguments = command.strip_prefix("guestlist ").unwrap();
    desk.guestlist(&format!("{arguments} --out out --quiet"))
        .exits(1);
    assert_eq!(desk.bytes("out/report.json"), bytes);
}
