//! Vectors of texts, and the few-shot audit of them.

use formats::features::{Wanted, read};

use crate::shelf;

const FEW: &str = "--kind fewshot --shots 5 --runs 20 --out few";

fn ready(features: &str, more: &str) -> crate::bench::Bench {
    let scoring = format!("[scoring]\nlowercase = false\nfeatures = \"{features}\"\n{more}");
    shelf::ready(60, &scoring)
}

#[test]
fn vectors_are_written_beside_token_signals_and_audited_by_a_few_known_texts() {
    let mut widths = Vec::new();
    for features in ["statistics", "hidden"] {
        let bench = ready(features, "");
        bench.guestlist("run").exits(1);
        let path = bench.path("guestlist-run/features.parquet");
        let table = read(&path, &Wanted::default()).unwrap();
        assert_eq!(table.features.records(), 120);
        let members = table.members.unwrap();
        assert_eq!(members.iter().filter(|member| **member).count(), 60);
        widths.push(table.features.width());
        let said = bench.guestlist(&format!("audit guestlist-run/features.parquet {FEW}"));
        assert!(said.stdout.contains("fes-ss"), "{}", said.stdout);
        let report = bench.json("few/report.json");
        assert_eq!(report["kind"], "fewshot");
        // A second run has everything in the store, and writes the same.
        let first = std::fs::read(&path).unwrap();
        bench.guestlist("run").exits(1);
        assert_eq!(std::fs::read(&path).unwrap(), first);
    }
    // How many tokens; nine numbers each of log-probabilities, ranks, standardised
    // log-probabilities and gains over the reference.
    assert_eq!(widths[0], 1 + 4 * 9);
    assert_ne!(widths[1], widths[0]);
}

#[test]
fn states_that_no_device_shows_are_refused_before_the_work() {
    let bench = ready("hidden", "device = \"cuda\"");
    let said = bench.guestlist("run").exits(2);
    assert!(said.stderr.contains("features"), "{}", said.stderr);
    let bench = ready("everything", "");
    let said = bench.guestlist("run").exits(2);
    assert!(said.stderr.contains("statistics"), "{}", said.stderr);
}
