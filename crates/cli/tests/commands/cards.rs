//! Model cards and bills of materials, read by the libraries of those whom they are for.

use std::fs;
use std::process::Command;

use crate::common::Desk;
use crate::signals::Signals;

#[test]
#[ignore = "needs huggingface_hub and cyclonedx-python-lib"]
fn cards_are_read_by_those_whom_they_are_for() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/commands/cards.py");
    for (signals, outcome) in [
        (Signals::leaky(), "fail"),
        (Signals::clean(), "pass"),
        (Signals::too_few_members(), "inconclusive"),
    ] {
        let desk = Desk::with(&signals);
        let audit = "audit signals --out out --subject ada:#\"'\\- --date 2026-03-09 --quiet";
        desk.guestlist(audit);
        for (format, file) in [("model-card", "card.md"), ("cyclonedx", "bom.json")] {
            desk.guestlist(&format!("report out --format {format} -o {file}"))
                .exits(0);
            assert!(fs::metadata(desk.path(file)).unwrap().len() > 0);
        }
        let mut python = Command::new("python3");
        if let Some(path) = std::env::var_os("GUESTLIST_TEST_CARDS_PYTHONPATH") {
            python.env("PYTHONPATH", path);
        }
        python.arg(script);
        let said = python
            .args([desk.path("card.md"), desk.path("bom.json")])
            .arg(outcome)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&said.stderr);
        assert!(said.status.success(), "{outcome}: {errors}");
    }
}

/// Hugging Face reads front matter on a card's first line alone.
#[test]
fn no_example_puts_front_matter_behind_a_text() {
    let help = Desk::new().guestlist("report --help").exits(0).stdout;
    assert!(help.contains("--format model-card > card.md"), "{help}");
    assert!(!help.contains("model-card >>"), "{help}");
}
