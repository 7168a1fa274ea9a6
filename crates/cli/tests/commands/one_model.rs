//! One model and no shadows: the weakest attacker, who may find a leak and never the lack of one.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::bad_input::{has, refusal};
use crate::common::{Desk, auc, aucs};
use crate::npy::{flags, floats, integers};
use crate::signals::Random;

const CLASSES: usize = 4;
const ALONE: [&str; 7] = [
    "loss",
    "population",
    "loss-per-class",
    "confidence",
    "entropy",
    "modified-entropy",
    "correctness",
];

/// One model's logits [records, classes]: training on a record raises its true class by `gain`.
pub struct Model {
    pub logits: Vec<f32>,
    pub labels: Vec<i64>,
    pub members: Vec<bool>,
}

impl Model {
    pub fn new(records: usize, gain: f64) -> Self {
        let mut random = Random(7);
        let labels: Vec<i64> = (0..records)
            .map(|record| (record % CLASSES) as i64)
            .collect();
        let members: Vec<bool> = labels.iter().map(|_| random.uniform() < 0.5).collect();
        let mut logits = Vec::new();
        for (label, member) in labels.iter().zip(&members) {
            let trained = if *member { gain } else { 0.0 };
            for class in 0..CLASSES as i64 {
                let raised = if class == *label { 1.0 + trained } else { 0.0 };
                logits.push((raised + random.normal()) as f32);
            }
        }
        Self {
            logits,
            labels,
            members,
        }
    }

    pub fn probabilities(&self) -> Vec<f32> {
        let row = |row: &[f32]| {
            let weights: Vec<f32> = row.iter().map(|logit| logit.exp()).collect();
            let sum: f32 = weights.iter().sum();
            weights.into_iter().map(move |weight| weight / sum)
        };
        self.logits.chunks(CLASSES).flat_map(row).collect()
    }

    fn write(&self, folder: &Path) {
        let records = self.labels.len();
        fs::create_dir_all(folder).unwrap();
        let put = |name: &str, bytes: Vec<u8>| fs::write(folder.join(name), bytes).unwrap();
        put("logits.npy", floats(&[records, CLASSES], &self.logits));
        put("labels.npy", integers(&[records], &self.labels));
        put("keep.npy", flags(&[records], &self.members));
    }
}

fn desk(gain: f64) -> (Desk, Model) {
    let desk = Desk::new();
    let model = Model::new(800, gain);
    model.write(&desk.path("one"));
    (desk, model)
}

fn report(desk: &Desk, arguments: &str, code: i32) -> Value {
    let always = "--bootstrap 0 --quiet --out out";
    desk.guestlist(&format!("audit one {always} {arguments}"))
        .exits(code);
    desk.json("out/report.json")
}

#[test]
fn a_leak_fails_and_all_attacks_that_need_no_shadows_ran() {
    let (desk, _) = desk(3.0);
    let report = report(&desk, "", 1);
    let mut ran: Vec<String> = aucs(&report).into_iter().map(|(id, _)| id).collect();
    ran.sort();
    let mut wanted = ALONE.map(str::to_owned);
    wanted.sort();
    assert_eq!(ran, wanted);
    assert!(auc(&report, "loss") > 0.9);
    assert!(auc(&report, "correctness") > 0.6);
    let skipped = report["skipped"].to_string();
    assert!(skipped.contains("there are no shadow models"), "{skipped}");
}

#[test]
fn without_a_leak_the_weakest_attacker_proves_nothing_unless_he_is_named() {
    let (desk, _) = desk(0.0);
    let verdict = report(&desk, "", 3)["verdict"].take();
    let reasons = verdict["reasons"].to_string();
    for words in [
        "weak-access",
        "has no shadow models to compare it with, and is the weakest there is",
        "trains shadow models like the audited one",
        "attacker target-only",
    ] {
        assert!(reasons.contains(words), "{words}: {reasons}");
    }
    let verdict = report(&desk, "--attacker target-only", 0)["verdict"].take();
    assert_eq!(verdict["outcome"], "pass");
    let said = verdict.to_string();
    assert!(
        said.contains("sees what the audited model puts out"),
        "{said}"
    );
}

#[test]
fn attacks_that_lack_the_same_are_skipped_in_one_line() {
    let (desk, _) = desk(3.0);
    let said = desk.guestlist("audit one --bootstrap 0 --verbose").exits(1);
    assert!(said.stdout.contains("model 0 alone, without shadows"));
    let skipped = said
        .stdout
        .lines()
        .filter(|line| line.starts_with("skipped"));
    assert_eq!(skipped.count(), 1, "{}", said.stdout);
    let markdown = desk.guestlist("audit one --bootstrap 0 --markdown --out out --quiet");
    markdown.exits(1);
    let text = String::from_utf8(desk.bytes("out/report.md")).unwrap();
    assert_eq!(text.matches("- skipped").count(), 1, "{text}");
}

#[test]
fn attacks_without_shadows_alone_are_weak_where_shadows_are_there() {
    let desk = Desk::with(&crate::signals::Signals::clean());
    let audit = "audit signals --bootstrap 0 --quiet --out out --attacks loss,population";
    desk.guestlist(audit).exits(3);
    let reasons = desk.json("out/report.json")["verdict"]["reasons"].to_string();
    assert!(
        reasons.contains("compares with the 8 other models"),
        "{reasons}"
    );
    desk.guestlist(&format!("{audit} --attacker target-only"))
        .exits(0);
}

#[test]
fn shadows_zero_audits_the_target_alone() {
    let desk = Desk::with(&crate::signals::Signals::leaky());
    desk.guestlist("audit signals --shadows 0 --target 3 --bootstrap 0 --quiet --out out")
        .exits(1);
    let ran: Vec<String> = aucs(&desk.json("out/report.json"))
        .into_iter()
        .map(|(id, _)| id)
        .collect();
    assert_eq!(ran.len(), 2, "{ran:?}");
}

#[test]
fn members_may_be_named_in_a_file_instead() {
    let (desk, model) = desk(3.0);
    fs::remove_file(desk.path("one/keep.npy")).unwrap();
    let said = refusal(&desk, "one/logits.npy", "");
    has(&said, &["does not say who was a member", "--members"]);
    let members = model.members.iter().enumerate();
    let members: String = members
        .filter(|(_, member)| **member)
        .map(|(record, _)| format!("{record}\n"))
        .collect();
    fs::write(desk.path("members.txt"), members).unwrap();
    desk.guestlist("audit one/logits.npy --members members.txt --bootstrap 0 --quiet --out out")
        .exits(1);
    assert!(auc(&desk.json("out/report.json"), "loss") > 0.9);
}

#[test]
fn probabilities_give_what_logits_give() {
    let (desk, model) = desk(3.0);
    let logits = report(&desk, "", 1);
    fs::remove_file(desk.path("one/logits.npy")).unwrap();
    let probabilities = floats(&[1, 800, CLASSES], &model.probabilities());
    fs::write(desk.path("one/probabilities.npy"), probabilities).unwrap();
    fs::rename(desk.path("one/keep.npy"), desk.path("one/members.npy")).unwrap();
    let again = report(&desk, "", 1);
    for id in ALONE {
        assert!((auc(&logits, id) - auc(&again, id)).abs() < 1e-4, "{id}");
    }
}

#[test]
fn phi_of_one_model_is_enough_for_some() {
    let desk = Desk::new();
    let mut signals = crate::signals::Signals::leaky();
    signals.phi.truncate(signals.records);
    fs::create_dir_all(desk.path("one")).unwrap();
    let shape = [signals.records];
    fs::write(desk.path("one/phi.npy"), floats(&shape, &signals.phi)).unwrap();
    let keep = flags(&shape, &signals.keep[..signals.records]);
    fs::write(desk.path("one/member.npy"), keep).unwrap();
    let report = report(&desk, "", 1);
    assert_eq!(aucs(&report).len(), 2);
    let skipped = report["skipped"].to_string();
    assert!(skipped.contains("φ alone is there"), "{skipped}");
    let said = refusal(&desk, "one", "--attacks lira");
    has(&said, &["there are no shadow models"]);
}
