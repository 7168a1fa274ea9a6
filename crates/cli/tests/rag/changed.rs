//! Stored answers speak of the service that gave them, and of no other at the same address.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::bench::{Bench, Output};
use crate::service::{Odd, configure, said, write_documents};

const FEW: &str =
    "[probes]\nwithout_retrieval = false\n[audit]\nattacks = \"content,facts\"\nbootstrap = 0";

/// A service that becomes another one.
fn exchanged() -> (Odd, Arc<AtomicBool>) {
    let other = Arc::new(AtomicBool::new(false));
    let seen = other.clone();
    let odd = Odd::start(move |_, _, _| {
        said(match seen.load(Ordering::SeqCst) {
            false => "I do not know.",
            true => "The large harbour was finished in 1502.",
        })
    });
    (odd, other)
}

fn flat(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

fn run(bench: &Bench, options: &str) -> Output {
    bench.guestlist(&format!("run {options}"))
}

#[test]
fn another_service_at_the_same_address_is_noticed_and_asked_anew() {
    let (odd, other) = exchanged();
    let bench = Bench::new();
    write_documents(&bench, 20);
    configure(&bench, odd.address, FEW);
    run(&bench, "").exits(3);
    let asked = odd.count();
    let report = bench.json("guestlist-run/report.json");
    let days = report["detail"]["requests"]["days"].as_str().unwrap();
    assert_eq!(days.len(), "2026-03-09".len(), "{days}");
    // The same service: a few are asked again, and nothing else.
    let said = run(&bench, "--verbose").exits(3);
    assert_eq!(odd.count(), asked + 16);
    assert!(
        flat(&said.stdout).contains("16 of them were asked again and are alike"),
        "{}",
        said.stdout
    );
    other.store(true, Ordering::SeqCst);
    let said = run(&bench, "");
    assert_eq!(odd.count(), asked + 32);
    for part in [
        "the service has changed since",
        "of 16 stored answers that were asked again 16 have other words now, against 0 of 20",
    ] {
        assert!(flat(&said.stderr).contains(part), "{}", said.stderr);
    }
    said.complains(&["--ask-again", "run.folder", "--replay"]);
    // Nobody is asked: then it is said of which time the verdict is.
    let said = run(&bench, "--replay --verbose").exits(3);
    assert!(
        flat(&said.stdout).contains("the service of that time"),
        "{}",
        said.stdout
    );
    run(&bench, "--ask-again").exits(3);
    assert_eq!(odd.count(), 2 * asked + 32);
}

#[test]
fn a_service_that_never_says_the_same_twice_is_not_suspected() {
    let odd = Odd::start(|_, _, number| {
        let words = ["harbour", "lantern", "orchard", "glacier", "meadow"];
        let word = |step: usize| words[(number * 7 + step * number / 3) % words.len()];
        said(&format!(
            "It is {} or {}, number {number}.",
            word(1),
            word(2)
        ))
    });
    let bench = Bench::new();
    write_documents(&bench, 20);
    for probes in ["repeats = 0", "repeats = 20"] {
        configure(
            &bench,
            odd.address,
            &FEW.replace("[probes]", &format!("[probes]\n{probes}")),
        );
        assert!(matches!(run(&bench, "").code, Some(0 | 1 | 3)));
        let said = run(&bench, "");
        assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    }
}

#[test]
fn stored_answers_that_cannot_be_asked_again_are_no_pass() {
    let (odd, _) = exchanged();
    let bench = Bench::new();
    write_documents(&bench, 20);
    configure(
        &bench,
        odd.address,
        &FEW.replace("[probes]", "[probes]\nrecheck = 0"),
    );
    run(&bench, "").exits(3);
    let said = run(&bench, "--verbose").exits(3);
    assert!(
        flat(&said.stdout).contains("none could be asked again"),
        "{}",
        said.stdout
    );
    configure(
        &bench,
        odd.address,
        &FEW.replace("[probes]", "[probes]\nrecheck = 3"),
    );
    run(&bench, "").complains(&["probes.recheck is 3"]);
}
