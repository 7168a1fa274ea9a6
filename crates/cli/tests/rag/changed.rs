//! Stored answers speak of the service that gave them, and of no other at the same address.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::bench::{Bench, Output};
use crate::service::{Odd, configure, even, said, serve, write_documents};

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
    // Any two answers have as much in common as any other two: nothing is left to chance.
    let odd = Odd::start(|_, _, number| {
        said(&format!(
            "It is the orchard or the meadow, number {number}."
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

#[test]
fn a_leak_in_stored_answers_stays_one_though_none_can_be_asked_again() {
    let service = serve(even(60), &[]);
    let bench = Bench::new();
    write_documents(&bench, 60);
    configure(&bench, service.address(), FEW);
    let asked = run(&bench, "").exits(1);
    assert!(asked.stdout.contains("FAIL"), "{}", asked.stdout);
    let sent = bench.json("guestlist-run/report.json")["detail"]["requests"]["sent"].clone();
    // Not one more.
    let said = run(&bench, &format!("--max-requests {sent} --verbose")).exits(1);
    let words = flat(&said.stdout);
    assert!(words.contains("none could be asked again"), "{words}");
    assert!(words.contains("--replay"), "{words}");
}

#[test]
fn stored_answers_about_one_kind_alone_decide_nothing_where_none_is_asked_again() {
    let (odd, other) = exchanged();
    let bench = Bench::new();
    write_documents(&bench, 40);
    let unchecked = FEW.replace("[probes]", "[probes]\nrecheck = 0");
    configure(&bench, odd.address, &unchecked);
    let others = std::fs::read_to_string(bench.path("out.jsonl")).unwrap();
    let (then, now) = others.split_at(others.len() / 2);
    let (cut, rest) = now.split_once('\n').unwrap();
    bench.write("out.jsonl", &format!("{then}{cut}\n"));
    run(&bench, "").exits(3);
    // Other non-members, and by now another service.
    bench.write("out.jsonl", rest);
    other.store(true, Ordering::SeqCst);
    let said = run(&bench, "--verbose").exits(3);
    let words = flat(&said.stdout);
    assert!(words.contains("would look like a leak"), "{words}");
}
