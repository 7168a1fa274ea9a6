//! Canaries of classifiers: records among others, known by their ids.

use crate::common::Desk;
use crate::drawn::{self, Coin};
use crate::signals::Signals;

/// The first so many of the records are canaries; the target trained on them as their coins say.
fn desk(gain: f64, canaries: usize) -> Desk {
    let mut signals = Signals::new(9, 800, gain).with_ids(|record| format!("r{record}"));
    let coins: Vec<Coin> = (0..canaries)
        .map(|record| Coin {
            id: format!("r{record}"),
            text: String::new(),
            tier: 1,
            included: signals.keep[record],
        })
        .collect();
    // What the signals say of the target is not what is believed.
    signals.set_target_members(|_| false);
    let desk = Desk::with(&signals);
    drawn::write(&desk.path("drawn"), "classifier", &coins);
    desk
}

const AUDIT: &str = "audit signals --canaries drawn/manifest.json --attacks lira,rmia --bootstrap 0 --out o --quiet";

#[test]
fn a_classifier_that_remembers_canaries_refutes_a_claim() {
    let desk = desk(4.0, 500);
    desk.guestlist(&format!("{AUDIT} --claim-epsilon 1 --claim-delta 1e-5"))
        .exits(1);
    let report = desk.json("o/report.json");
    assert_eq!(report["claim"]["outcome"], "refuted");
    let found = &report["canaries"];
    assert_eq!(
        (&found["canaries"], &found["foreign"]),
        (&500.into(), &300.into())
    );
    assert!(found["extraction"].is_null());
    assert_eq!(report["provenance"]["data"]["judged_records"], 500);
    assert!(report["unknown"].is_null());
}

/// Records are not cut: that the training file is the one that was drawn is all that can be looked at, and
/// where it is not there nothing passes.
#[test]
fn records_pass_beside_the_training_file_that_was_drawn() {
    let desk = desk(0.0, 800);
    let audit = || desk.guestlist(AUDIT);
    let unseen = || {
        let report = desk.json("o/report.json");
        let guardrails = report["guardrails"].as_array().unwrap().clone();
        let mut found = guardrails.into_iter();
        found.find(|one| one["id"] == "unseen-canaries").unwrap()
    };
    audit().exits(3);
    assert_eq!(unseen()["status"], "violated");
    drawn::seal_training(&desk.path("drawn"), "records");
    audit().exits(0);
    assert_eq!(unseen()["status"], "ok");
    std::fs::write(desk.path("drawn/training.jsonl"), "others").unwrap();
    audit().exits(3);
    assert_eq!(unseen()["status"], "violated");
}

#[test]
fn records_without_ids_and_other_truths_are_refused() {
    let desk = desk(0.0, 200);
    let refused = |more: &str| desk.guestlist(&format!("{AUDIT} {more}")).exits(2).stderr;
    let said = refused("--replicates 2");
    assert!(said.contains("--canaries and --replicates"), "{said}");
    std::fs::remove_file(desk.path("signals/ids.npy")).unwrap();
    let said = refused("");
    assert!(
        said.contains("have no ids") && said.contains("hint: "),
        "{said}"
    );
}
