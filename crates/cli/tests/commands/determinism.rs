//! The same bytes for any number of threads and for every run with one seed.

use std::fs;

use serde_json::Value;

use crate::common::{Desk, aucs};
use crate::signals::Signals;

const FILES: [&str; 6] = [
    "report.html",
    "report.json",
    "scores.parquet",
    "junit.xml",
    "report.md",
    "vulnerability.parquet",
];

fn audit(desk: &Desk, out: &str, arguments: &str) -> Vec<Vec<u8>> {
    let command = format!("audit signals --out {out} --junit --markdown --quiet {arguments}");
    desk.guestlist(&command).exits(1);
    FILES
        .iter()
        .filter(|file| desk.path(format!("{out}/{file}")).exists())
        .map(|file| desk.bytes(format!("{out}/{file}")))
        .collect()
}

#[test]
fn files_are_the_same_for_any_number_of_threads_and_any_run() {
    // More records than one block, so that threads have something to share.
    let desk = Desk::with(&Signals::new(9, 5000, 2.0));
    let rows: String = (0..5000)
        .map(|row| format!("{},{}\n", row * 7 % 90, row % 3))
        .collect();
    fs::write(desk.path("people.csv"), format!("age,site\n{rows}")).unwrap();
    let repeats = "--attacks loss,lira,rmia,bavaria-t,beta,elsa1 --replicates 2 --scaling 4 \
                   --slice age,site --records people.csv";
    let first = audit(&desk, "first", repeats);
    assert_eq!(first.len(), FILES.len());
    for (out, threads) in [("again", ""), ("one", "1"), ("two", "2"), ("four", "4")] {
        let threads = match threads {
            "" => String::new(),
            some => format!("--threads {some}"),
        };
        let other = audit(&desk, out, &format!("{repeats} {threads}"));
        for ((file, first), other) in FILES.iter().zip(&first).zip(&other) {
            assert!(first == other, "{file} differs for {out}");
        }
    }
}

#[test]
fn all_attacks_give_the_same_bytes_with_one_thread_and_with_two() {
    let desk = Desk::with(&Signals::leaky());
    for holdout in ["", "--holdout"] {
        let one = audit(&desk, "one", &format!("--threads 1 {holdout}"));
        let two = audit(&desk, "two", &format!("--threads 2 {holdout}"));
        assert!(one == two);
    }
}

#[test]
fn the_demonstration_is_the_same_for_any_number_of_threads() {
    let desk = Desk::new();
    for threads in [1, 2] {
        desk.guestlist(&format!("demo --threads {threads} --out {threads} --quiet"))
            .exits(0);
    }
    for file in [
        "SHA256SUMS",
        "report.html",
        "report.json",
        "scores.parquet",
        "report.md",
    ] {
        let [one, two] = ["1", "2"].map(|folder| desk.bytes(format!("{folder}/{file}")));
        assert!(one == two, "{file} differs");
    }
}

#[test]
fn another_seed_changes_what_is_drawn_and_nothing_else() {
    let desk = Desk::with(&Signals::leaky());
    let [first, second] = [1, 2].map(|seed| {
        // These attacks draw nothing; the understudies choose their stand-ins by the seed.
        let attacks = "loss,lira,rmia,bavaria-t,gamma,elsa-full";
        audit(
            &desk,
            "out",
            &format!("--seed {seed} --attacks {attacks} --bootstrap 200"),
        );
        desk.json("out/report.json")
    });
    assert_eq!(aucs(&first), aucs(&second));
    assert_ne!(
        first["attacks"][0]["bootstrap"],
        second["attacks"][0]["bootstrap"]
    );
    assert_eq!(without_draws(first), without_draws(second));
}

/// Leaves out what depends on the seed: the bootstrap, the split bound, and the seed itself.
fn without_draws(mut report: Value) -> Value {
    for attack in report["attacks"].as_array_mut().unwrap() {
        attack["bootstrap"].take();
        for tpr in attack["tpr_at_fpr"].as_array_mut().unwrap() {
            tpr["bootstrap"].take();
        }
        let bounds = attack["epsilon_bounds"].as_array_mut().unwrap();
        bounds.retain(|bound| !bound["method"].as_str().unwrap().contains("split"));
    }
    report["provenance"].take();
    report
}
