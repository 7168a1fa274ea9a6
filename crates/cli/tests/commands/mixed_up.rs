//! Models that were mixed up: records in another order, the target among its shadows, and what only some
//! augmentations show.

use std::fs;

use crate::common::Desk;
use crate::npy::{flags, floats};
use crate::signals::{Random, Signals};

const AUDIT: &str = "audit signals --attacks rmia,loss --bootstrap 0 --quiet --out out";

/// The words of a violated guardrail of an audit that decides nothing.
#[track_caller]
fn in_the_way(desk: &Desk, id: &str) -> String {
    desk.guestlist(AUDIT).exits(3);
    let report = desk.json("out/report.json");
    let guardrails = report["guardrails"].as_array().unwrap().iter();
    let mut found = guardrails.filter(|found| found["id"] == id && found["status"] == "violated");
    let found = found
        .next()
        .unwrap_or_else(|| panic!("{}", report["guardrails"]));
    found["detail"].as_str().unwrap().to_owned()
}

/// Records of a model in another order, φ and `keep` alike.
fn shuffle(signals: &mut Signals, model: usize, seed: u64) {
    let (plain, first) = (signals.clone(), model * signals.records);
    let mut random = Random(seed);
    let mut order: Vec<(f64, usize)> = (0..signals.records)
        .map(|record| (random.uniform(), record))
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (place, (_, record)) in order.into_iter().enumerate() {
        signals.phi[first + place] = plain.phi[first + record];
        signals.keep[first + place] = plain.keep[first + record];
    }
}

#[test]
fn a_target_whose_records_are_in_another_order_gets_no_pass() {
    // So weak a leak that only a comparison shows it.
    let plain = Signals::new(17, 800, 1.0);
    let mut target = plain.clone();
    shuffle(&mut target, 0, 7);
    let said = in_the_way(&Desk::with(&target), "other-records");
    assert!(said.contains("model 0 (the target) does not"), "{said}");
    // The shadows as one, which looks the same.
    let mut shadows = plain.clone();
    (1..17).for_each(|model| shuffle(&mut shadows, model, 7));
    in_the_way(&Desk::with(&shadows), "other-records");
    Desk::with(&plain).guestlist(AUDIT).exits(1);
}

#[test]
fn shadows_whose_records_are_in_another_order_are_named() {
    let mut signals = Signals::new(17, 800, 0.0);
    shuffle(&mut signals, 4, 7);
    shuffle(&mut signals, 11, 8);
    let said = in_the_way(&Desk::with(&signals), "other-records");
    assert!(said.contains("models 4, 11 do not"), "{said}");
}

#[test]
fn a_target_among_its_shadows_fails_nothing() {
    for gain in [0.0, 2.0] {
        let mut signals = Signals::new(17, 800, gain);
        signals.phi.copy_within(..800, 5 * 800);
        signals.keep.copy_within(..800, 5 * 800);
        let desk = Desk::with(&signals);
        let said = in_the_way(&desk, "target-among-shadows");
        assert!(said.contains("models 0, 5 are one"), "{said}");
        let said = in_the_way(&desk, "models-alike");
        assert!(said.contains("remove the copy"), "{said}");
    }
}

#[test]
fn shadows_that_trained_on_every_record_are_no_strong_attacker() {
    let mut signals = Signals::new(17, 800, 0.0);
    signals.keep[800..].fill(true);
    let said = in_the_way(&Desk::with(&signals), "weak-access");
    assert!(said.contains("trained on every audited record"), "{said}");
}

/// φ under three augmentations, the first of which shows nothing of the training.
fn augmented(keep: impl Fn(&Signals, usize) -> bool) -> Desk {
    let signals = Signals::new(17, 800, 0.0);
    let mut random = Random(5);
    let mut phi = Vec::new();
    for (place, &member) in signals.keep.iter().enumerate() {
        phi.push(signals.phi[place]);
        let trained = if member { 2.0 } else { 0.0 };
        phi.extend([0, 1].map(|_| signals.phi[place] + (trained + random.normal()) as f32));
    }
    let said: Vec<bool> = (0..signals.keep.len())
        .map(|place| keep(&signals, place))
        .collect();
    let desk = Desk::with(&signals);
    fs::write(desk.path("signals/phi.npy"), floats(&[17, 800, 3], &phi)).unwrap();
    fs::write(desk.path("signals/keep.npy"), flags(&[17, 800], &said)).unwrap();
    desk
}

#[test]
fn what_only_later_augmentations_show_is_seen() {
    let rolled = augmented(|signals, place| signals.keep[(place + 800) % signals.keep.len()]);
    let said = in_the_way(&rolled, "models-alike");
    assert!(said.contains("follow another row of keep"), "{said}");
    in_the_way(
        &augmented(|signals, place| !signals.keep[place]),
        "inverted-labels",
    );
    augmented(|signals, place| signals.keep[place])
        .guestlist(AUDIT)
        .exits(1);
}

/// The folder of a run of 17 models that stopped, with these models in it.
fn stopped_run(there: impl Iterator<Item = usize>) -> Desk {
    let desk = Desk::new();
    let signals = Signals::new(17, 800, 2.0);
    for model in there {
        let folder = desk.path(format!("run/models/{model:05}"));
        fs::create_dir_all(&folder).unwrap();
        let of_model = model * 800..(model + 1) * 800;
        let phi = floats(&[800, 1], &signals.phi[of_model.clone()]);
        fs::write(folder.join("scores.npy"), phi).unwrap();
        let keep = flags(&[800], &signals.keep[of_model]);
        fs::write(folder.join("keep.npy"), keep).unwrap();
    }
    fs::write(
        desk.path("run/plan.json"),
        r#"{"settings": {"shadows": 16}}"#,
    )
    .unwrap();
    desk
}

#[test]
fn models_of_a_run_that_stopped_keep_their_numbers() {
    let audit = "audit run --attacks lira,rmia,loss --bootstrap 0 --out out";
    let without_target = stopped_run(1..17);
    for input in ["run", "run/models"] {
        let said = without_target
            .guestlist(&audit.replacen("run", input, 1))
            .exits(2)
            .stderr;
        let wanted = "model 0, the target, is not trained yet";
        assert!(
            said.contains(wanted) && said.contains("`guestlist run`"),
            "{said}"
        );
    }
    // Model 9 is the eighth that is there.
    let desk = stopped_run((0..17).filter(|model| ![3, 5].contains(model)));
    desk.guestlist(&format!("{audit} --target 9")).exits(1);
    let report = desk.json("out/report.json");
    assert_eq!(report["detail"]["target"], 9, "{}", report["detail"]);
    let members = Signals::new(17, 800, 2.0).keep[9 * 800..10 * 800]
        .iter()
        .filter(|member| **member)
        .count();
    assert_eq!(report["provenance"]["data"]["judged_members"], members);
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("2 of its 17 planned models are missing (3, 5)"),
        "{notes}"
    );
    desk.guestlist(&format!("{audit} --target 5")).exits(2);
    let finished = stopped_run(0..17);
    finished.guestlist(audit).exits(1);
    let notes = finished.json("out/report.json")["notes"].to_string();
    assert!(!notes.contains("planned"), "{notes}");
}
