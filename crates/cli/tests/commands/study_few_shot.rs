//! The study of few-shot attacks, on digits and on data of the user's.

use std::fs;

use serde_json::Value;

use crate::common::Desk;
use crate::npy::integers;
use crate::signals::Signals;
use crate::vectors::{Vectors, flags, floats, npz};

const QUICK: &str = "--shots 1,5 --runs 20";

/// Shadow signals, and the logits of their first model.
fn desk() -> Desk {
    let signals = Signals::new(9, 240, 2.0);
    let desk = Desk::with(&signals);
    let logits = logits(&signals);
    let members = &signals.keep[..240];
    let arrays = [
        ("logits", floats(&[240, 3], &logits)),
        ("member", flags(&[240], members)),
    ];
    fs::write(desk.path("logits.npz"), npz(&arrays)).unwrap();
    let probabilities: Vec<f64> = logits.chunks(3).flat_map(softmax).collect();
    let arrays = [
        ("probabilities", floats(&[240, 3], &probabilities)),
        ("member", flags(&[240], members)),
    ];
    fs::write(desk.path("probabilities.npz"), npz(&arrays)).unwrap();
    desk
}

/// Members are surer, of whichever class.
fn logits(signals: &Signals) -> Vec<f64> {
    let mut logits = Vectors::new(240, 3, 0.0).values;
    for (record, row) in logits.chunks_mut(3).enumerate() {
        row[record % 3] += if signals.keep[record] { 4.0 } else { 2.0 };
    }
    logits
}

fn softmax(row: &[f64]) -> Vec<f64> {
    let total: f64 = row.iter().map(|logit| logit.exp()).sum();
    row.iter().map(|logit| logit.exp() / total).collect()
}

fn layers(set: &Value) -> Vec<&str> {
    let layers = set["layers"].as_array().unwrap().iter();
    layers.map(|one| one["layer"].as_str().unwrap()).collect()
}

#[track_caller]
fn same_attacks(ours: &Value, report: &Value) {
    let (ours, theirs) = (
        ours.as_array().unwrap(),
        report["attacks"].as_array().unwrap(),
    );
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(theirs) {
        for key in ["id", "auc", "tpr_at_fpr", "log_mia", "n_members"] {
            assert_eq!(ours[key], theirs[key], "{key}");
        }
    }
}

#[test]
fn a_study_measures_what_audits_of_the_same_data_do() {
    let desk = desk();
    let study = format!("study few-shot Mine=logits.npz --shadows signals {QUICK} --out study");
    desk.guestlist(&study).exits(0);
    let study = desk.json("study/study-few-shot.json");
    assert_eq!(study["schema"], "guestlist.study.few-shot/1");
    let set = &study["sets"][0];
    assert_eq!(
        (&set["name"], &set["records"]),
        (&"Mine".into(), &240.into())
    );
    assert_eq!(layers(set), ["logits", "sorted-probabilities"]);
    for layer in set["layers"].as_array().unwrap() {
        let name = layer["layer"].as_str().unwrap();
        desk.guestlist(&format!(
            "audit logits.npz --kind fewshot --layer {name} {QUICK} --out {name}"
        ));
        let report = desk.json(format!("{name}/report.json"));
        assert_eq!(layer["episodes"], report["detail"]["attacks"], "{name}");
        same_attacks(&layer["attacks"], &report);
    }
    desk.guestlist("audit signals --attacks loss,understudy --out whole");
    same_attacks(&set["whole"], &desk.json("whole/report.json"));
    assert_eq!(set["shadows"], 8);
}

#[test]
fn the_page_is_the_file_and_escapes_what_is_the_users() {
    let desk = desk();
    let name = "a|<b>[x](y)*";
    let data = format!("{name}=logits.npz");
    let words = ["study", "few-shot", &data, "--runs", "4", "--shots", "1"];
    let said = desk.run(words).exits(0);
    assert!(
        said.stderr.contains("loss and understudy are left out"),
        "{}",
        said.stderr
    );
    let page = said.stdout;
    assert_eq!(
        page.as_bytes(),
        desk.bytes("guestlist-study/study-few-shot.md")
    );
    for words in [
        "This page is made by `guestlist study few-shot 'a|<b>[x](y)*=logits.npz' --shots 1 --runs 4 --seed 0`",
        "| Carlini-LiRA, C-100 | 0.78 | 0.7838 | 0.7838 | 0.829 | 0.8294 | 0.8329 | 0.2458 | <1e-300 |",
        "| LS, 10 shots | 0.16 (-2.0) |",
        "### a\\|&lt;b&gt;\\[x\\](y)\\*\n",
        "| fes-ss-1-shot | logits |",
        "TT tunes a head alone",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
    let (_, measured) = page.split_once("## What the attacks reach").unwrap();
    assert!(!measured.contains("[x]("), "{measured}");
}

#[test]
fn labels_let_the_loss_of_one_model_be_looked_at() {
    let desk = Desk::new();
    let signals = Signals::new(1, 240, 2.0);
    let labels: Vec<i64> = (0..240).map(|record| record % 3).collect();
    let file = |name: &str, membership: &str| {
        let arrays = [
            ("logits", floats(&[240, 3], &logits(&signals))),
            ("labels", integers(&[240], &labels)),
            (membership, flags(&[240], &signals.keep)),
        ];
        fs::write(desk.path(name), npz(&arrays)).unwrap();
    };
    file("kept.npz", "keep");
    file("told.npz", "member");
    let study = "study few-shot kept.npz told.npz --runs 4 --shots 1 --out study";
    let page = desk.guestlist(study).exits(0).stdout;
    assert!(page.contains("`understudy` was left out: "), "{page}");
    let study = desk.json("study/study-few-shot.json");
    desk.guestlist("audit kept.npz --attacks loss --out whole");
    for set in study["sets"].as_array().unwrap() {
        same_attacks(&set["whole"], &desk.json("whole/report.json"));
    }
}

#[test]
fn probabilities_alone_are_sorted() {
    let desk = desk();
    let both = "study few-shot probabilities.npz logits.npz --runs 10 --shots 5";
    desk.guestlist(both).exits(0);
    let study = desk.json("guestlist-study/study-few-shot.json");
    assert_eq!(layers(&study["sets"][0]), ["sorted-probabilities"]);
    let auc = |set: usize, layer: usize| {
        let attack = &study["sets"][set]["layers"][layer]["attacks"][0];
        attack["auc"]["value"].as_f64().unwrap()
    };
    assert!((auc(0, 0) - auc(1, 1)).abs() < 0.02);
    let wrong = [
        ("probabilities", floats(&[2, 2], &[0.5, 0.5, 0.9, 0.9])),
        ("member", flags(&[2], &[true, false])),
    ];
    fs::write(desk.path("wrong.npz"), npz(&wrong)).unwrap();
    let said = desk.guestlist("study few-shot wrong.npz").exits(2).stderr;
    assert!(
        said.contains("wrong.npz: probabilities of record 1"),
        "{said}"
    );
}

#[test]
fn wrong_data_are_told_before_anything_is_trained() {
    let desk = desk();
    let mut others = Signals::new(9, 240, 2.0);
    others.set_target_members(|record| record < 100);
    others.write(&desk.path("others"));
    Signals::new(9, 100, 2.0).write(&desk.path("short"));
    for (arguments, words) in [
        ("digits missing.npz", "missing.npz"),
        ("digits logits.npz --shots 200", "an episode takes 230"),
        ("digits --shots 1000", "an episode takes 1030"),
        ("digits --runs 1", "too few runs"),
        ("digits --target 33", "no model 33"),
        ("digits --shadows signals", "shadows of their own"),
        ("logits.npz --target 1", "logits.npz"),
        (
            "digits logits.npz --shadows signals",
            "--shadows NAME=signals",
        ),
        ("logits.npz --shadows other=signals", "there are: logits"),
        ("logits.npz --shadows nowhere", "nowhere"),
        (
            "logits.npz --shadows others",
            "other members than in logits.npz",
        ),
        (
            "logits.npz --shadows short",
            "has 100 records, but logits.npz has 240",
        ),
        ("logits.npz logits.npz", "two data sets are called"),
        ("signals", "signals"),
    ] {
        let said = desk.guestlist(&format!("study few-shot {arguments}"));
        let said = said.exits(2).stderr;
        assert!(said.contains(words), "{arguments}: {said}");
        assert!(!desk.path("guestlist-study").exists(), "{arguments}");
    }
}

#[test]
fn digits_are_trained_once_and_tuned_from_logits_alone() {
    let desk = Desk::new();
    let command = "study few-shot --shots 1 --runs 2";
    desk.guestlist(command).exits(0);
    let first = desk.bytes("guestlist-study/study-few-shot.json");
    let set = &desk.json("guestlist-study/study-few-shot.json")["sets"][0];
    assert_eq!(layers(set), ["logits", "sorted-probabilities"]);
    let counts = |layer: usize| set["layers"][layer]["attacks"].as_array().unwrap().len();
    assert_eq!((counts(0), counts(1)), (3, 2));
    assert_eq!(set["whole"].as_array().unwrap().len(), 2);
    assert_eq!((&set["models"], &set["shadows"]), (&33.into(), &32.into()));
    let model = desk.path("guestlist-study/digits-few-shot/models");
    let dated = fs::metadata(&model).unwrap().modified().unwrap();
    desk.guestlist(command).exits(0);
    assert_eq!(first, desk.bytes("guestlist-study/study-few-shot.json"));
    assert_eq!(dated, fs::metadata(&model).unwrap().modified().unwrap());
}
