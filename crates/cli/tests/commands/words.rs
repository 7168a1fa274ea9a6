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
fn an_unknown_word_is_answered_with_the_known_ones() {
    let said = Desk::new().guestlist("explain lyra").exits(2);
    assert_eq!(said.stdout, "");
    for part in ["lyra", "hint: ", "lira", "log-mia"] {
        assert!(said.stderr.contains(part), "{}", said.stderr);
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
