//! Arguments that make no sense: exit code 2 and a remedy, before anything is read.

use std::fs;

use crate::common::Desk;
use crate::signals::Signals;

/// The signals are not there: only arguments checked before reading are refused for their own sake.
#[track_caller]
fn refused_unread(arguments: &str, parts: &[&str]) {
    let desk = Desk::new();
    let said = desk
        .guestlist(&format!("audit nowhere.npz {arguments}"))
        .exits(2);
    for part in parts.iter().chain(&["hint: "]) {
        assert!(
            said.stderr.contains(part),
            "{part:?} is not in: {}",
            said.stderr
        );
    }
    assert!(!said.stderr.contains("nowhere.npz"), "{}", said.stderr);
}

#[test]
fn unknown_attacks_settings_and_measures_are_met_with_the_known_ones() {
    refused_unread("--attacks lyra", &["lyra", "lira"]);
    refused_unread("--attacks ,", &["--attacks names no attack"]);
    refused_unread("--set rmia.gama=2", &["rmia.gama", "rmia.gamma"]);
    refused_unread("--set rmia.gamma=-2", &["rmia.gamma", "-2"]);
    refused_unread("--set rmia.gamma", &["has no value", "key=value"]);
    refused_unread("--measure auroc", &["auroc", "auc"]);
    refused_unread("--measure tpr@0.01", &["--threshold"]);
}

#[test]
fn numbers_out_of_range_are_refused() {
    refused_unread("--threshold 1.5", &["1.5"]);
    refused_unread("--threshold NaN", &["NaN"]);
    refused_unread("--fpr 0.1,0", &["--fpr 0 "]);
    refused_unread("--fpr 1", &["--fpr 1 "]);
}

#[test]
fn confidence_and_delta_are_checked_before_the_signals_are_read() {
    refused_unread("--confidence 1", &["confidence is 1"]);
    refused_unread("--delta 1", &["delta is 1"]);
}

#[test]
fn usage_errors_exit_with_two() {
    for wrong in [
        "",
        "audits",
        "audit",
        "audit x --gate never",
        "demo cat",
        "--threads 0 attacks",
    ] {
        let said = Desk::new().guestlist(wrong).exits(2);
        assert_eq!(said.stdout, "");
        assert!(said.stderr.contains("Usage") || said.stderr.contains("--help"));
    }
    let said = Desk::new().guestlist("audit x --junit").exits(2);
    assert!(said.stderr.contains("--out"), "{}", said.stderr);
}

#[test]
fn a_members_file_that_cannot_be_is_named() {
    let desk = Desk::with(&Signals::leaky());
    for (text, words) in [
        ("0\n400\n", "400"),
        ("0\nada\n", "ada"),
        ("", "no record is a member"),
    ] {
        fs::write(desk.path("members.txt"), text).unwrap();
        let said = desk
            .guestlist("audit signals --members members.txt")
            .exits(2);
        for part in ["members.txt", words, "hint: "] {
            assert!(
                said.stderr.contains(part),
                "{part:?} is not in: {}",
                said.stderr
            );
        }
    }
    let said = desk
        .guestlist("audit signals --members nobody.txt")
        .exits(2);
    assert!(
        said.stderr.contains("nobody.txt: cannot be read"),
        "{}",
        said.stderr
    );
}

#[test]
fn a_population_under_other_models_is_named() {
    let desk = Desk::with(&Signals::leaky());
    Signals::new(5, 50, 1.0).write(&desk.path("others"));
    let said = desk.guestlist("audit signals --population others").exits(2);
    for part in ["others", "5 models", "9", "hint: "] {
        assert!(
            said.stderr.contains(part),
            "{part:?} is not in: {}",
            said.stderr
        );
    }
}

#[test]
fn an_output_folder_that_cannot_be_made_is_refused_first() {
    let desk = Desk::new();
    fs::write(desk.path("file"), "").unwrap();
    for out in ["file", "file/below"] {
        let said = desk
            .guestlist(&format!("audit nowhere.npz --out {out}"))
            .exits(2);
        assert!(
            said.stderr.contains(out) && said.stderr.contains("hint: "),
            "{}",
            said.stderr
        );
    }
}
