//! What the program says about itself: attacks, explanations, help, completions.

use crate::common::Desk;

fn attack_ids() -> Vec<String> {
    let events = Desk::new().guestlist("attacks --json").exits(0).events();
    let id = |event: &serde_json::Value| {
        for key in ["id", "summary", "needs", "paper"] {
            assert!(!event[key].as_str().unwrap().is_empty(), "{event}");
        }
        event["id"].as_str().unwrap().to_owned()
    };
    events.iter().map(id).collect()
}

#[test]
fn every_attack_is_listed_and_explained() {
    let desk = Desk::new();
    let listed = desk.guestlist("attacks").exits(0).stdout;
    let ids = attack_ids();
    assert!(ids.len() >= 20 && ids.iter().any(|id| id == "lira"));
    for id in ids {
        assert!(
            listed
                .lines()
                .any(|line| line.split_whitespace().next() == Some(&id)),
            "{id}"
        );
        let said = desk.guestlist(&format!("explain {id}")).exits(0).stdout;
        for part in [
            &*id,
            "Asks",
            "Why it works",
            "Needs",
            "When it misleads",
            "Paper",
        ] {
            assert!(said.contains(part), "{part} is not in {said}");
        }
    }
}

#[test]
fn every_guardrail_and_measure_of_a_report_is_explained() {
    let desk = Desk::new();
    let words = [
        "auc",
        "tpr-at-fpr",
        "balanced-accuracy",
        "log-mia",
        "epsilon",
        "verdict",
        "class-balance",
        "inverted-labels",
        "shadow-coverage",
        "multiple-attacks",
        "anderson-darling",
        "qq",
        "slices",
        "vulnerability",
    ];
    for word in words {
        let said = desk.guestlist(&format!("explain {word}")).exits(0).stdout;
        assert!(said.starts_with(word) && said.len() > 80, "{said}");
    }
}

#[test]
fn an_unknown_word_is_answered_with_the_nearest_ones() {
    let desk = Desk::new();
    let nearest = |word: &str| {
        let said = desk.run(["explain", word]).exits(2);
        assert_eq!(said.stdout, "");
        assert!(said.stderr.contains(word), "{}", said.stderr);
        let hint = said.stderr.split_once("hint: nearest: ").unwrap().1;
        hint.split_once(';').unwrap().0.to_owned()
    };
    for (word, first) in [
        ("lyra", "lira"),
        ("bavarian", "bavaria-"),
        ("log-mai", "log-mia"),
        ("epsilonn", "epsilon"),
        ("likelihood ratio of shadows", "base4"),
    ] {
        let found = nearest(word);
        assert!(found.starts_with(first), "{word}: {found}");
        assert_eq!(found.split(", ").count(), 3, "{found}");
    }
    let said = desk.guestlist("explain").exits(0).stdout;
    for word in ["lira", "log-mia", "min-k", "class-balance", "canary"] {
        assert!(said.contains(word), "{said}");
    }
}

#[test]
fn words_are_found_as_people_say_them() {
    let desk = Desk::new();
    for (said, meant) in [
        ("phi", "phi"),
        ("φ", "phi"),
        ("gate", "gate"),
        ("--gate", "gate"),
        ("tpr", "tpr-at-fpr"),
        ("TPR@0.001", "tpr-at-fpr"),
        ("False Positive Rate", "tpr-at-fpr"),
        ("roc", "roc"),
        ("canary", "canary"),
        ("dp", "differential-privacy"),
        ("DP-SGD", "differential-privacy"),
        ("eps", "epsilon"),
        ("shadow", "shadow-models"),
        ("members", "member"),
        ("log_mia", "log-mia"),
        ("LiRA", "lira"),
    ] {
        let text = desk.run(["explain", said]).exits(0).stdout;
        let first = text.lines().next().unwrap();
        assert_eq!(first.split(':').next().unwrap(), meant, "{said}");
    }
}

#[test]
fn help_of_every_command_says_what_it_does_and_the_main_ones_show_examples() {
    let desk = Desk::new();
    let commands = [
        "demo",
        "audit",
        "attacks",
        "explain",
        "convert",
        "diff",
        "report",
        "completions",
    ];
    let main = desk.guestlist("--help").exits(0).stdout;
    for part in commands
        .iter()
        .chain(&["Examples:", "Exit codes:", "130 interrupted"])
    {
        assert!(main.contains(part), "{part} is not in {main}");
    }
    for command in commands {
        let said = desk.guestlist(&format!("{command} --help")).exits(0);
        assert!(
            said.stdout.contains("Usage: ") && said.stderr.is_empty(),
            "{}",
            said.stderr
        );
    }
    for command in ["audit", "convert"] {
        let said = desk.guestlist(&format!("{command} --help")).exits(0).stdout;
        assert!(said.contains("Examples:") && said.contains(&format!("guestlist {command} ")));
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    let said = Desk::new().guestlist("--version").exits(0);
    assert_eq!(
        said.stdout,
        format!("guestlist {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn completions_know_the_commands_and_options() {
    for shell in ["bash", "zsh", "fish"] {
        let said = Desk::new()
            .guestlist(&format!("completions {shell}"))
            .exits(0)
            .stdout;
        for part in ["guestlist", "audit", "convert", "replicates", "holdout"] {
            assert!(said.contains(part), "{part} is not completed in {shell}");
        }
    }
}
