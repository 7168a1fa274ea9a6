//! Shadows that never trained on an audited record, with reference records and without.

use std::fs;

use serde_json::Value;

use crate::common::{Desk, auc, aucs};
use crate::npy::flags;
use crate::signals::Signals;

const MODELS: usize = 9;
const AUDITED: usize = 600;

/// One set of models on audited records, which the target alone trained on, and on reference records,
/// which the shadows alone trained on.
fn offline(gain: f64) -> (Signals, Signals) {
    let mut all = Signals::new(MODELS, 2 * AUDITED, 0.0);
    let part = |all: &Signals, first: usize| {
        let places = (0..MODELS).flat_map(|model| {
            (first..first + AUDITED).map(move |record| model * 2 * AUDITED + record)
        });
        let (phi, keep) = places
            .map(|place| (all.phi[place], all.keep[place]))
            .unzip();
        Signals {
            models: MODELS,
            records: AUDITED,
            phi,
            keep,
            ids: None,
        }
    };
    for model in 0..MODELS {
        for record in 0..2 * AUDITED {
            let place = model * 2 * AUDITED + record;
            let own = (model == 0) == (record < AUDITED);
            all.keep[place] &= own;
            all.phi[place] += if all.keep[place] { gain as f32 } else { 0.0 };
        }
    }
    (part(&all, 0), part(&all, AUDITED))
}

fn desk(gain: f64) -> (Desk, Signals) {
    let (audited, references) = offline(gain);
    let desk = Desk::with(&audited);
    references.write(&desk.path("references"));
    (desk, references)
}

fn report(desk: &Desk, arguments: &str, code: i32) -> Value {
    let always = "--bootstrap 0 --quiet --out out";
    desk.guestlist(&format!("audit signals {always} {arguments}"))
        .exits(code);
    desk.json("out/report.json")
}

const TAUGHT: [&str; 4] = [
    "bavaria-n-offline",
    "bavaria-t-offline",
    "base3-offline",
    "understudy-offline",
];

#[test]
fn reference_records_give_the_offline_attacks_what_they_need() {
    let (desk, _) = desk(2.0);
    let found = report(&desk, "--population references", 1);
    for id in TAUGHT {
        assert!(auc(&found, id) > 0.8, "{id}: {}", auc(&found, id));
    }
    let ran: Vec<String> = aucs(&found).into_iter().map(|(id, _)| id).collect();
    for id in ["lira", "bavaria-t", "understudy", "base4", "label-ratio"] {
        assert!(!ran.contains(&id.to_owned()), "{id}");
    }
    let skipped = found["skipped"].to_string();
    assert!(
        skipped.contains("no shadow trained on any audited record"),
        "{skipped}"
    );
    assert!(
        skipped.contains("bavaria-t-offline is its offline form"),
        "{skipped}"
    );
    assert_eq!(found["detail"]["reference_records"], AUDITED);
    let notes = found["notes"].to_string();
    assert!(
        notes.contains("from reference records, for rmia-offline: a ="),
        "{notes}"
    );
    assert!(notes.contains("training moves it by"), "{notes}");
}

#[test]
fn without_reference_records_priors_are_refused_and_no_leak_is_no_pass() {
    let (desk, _) = desk(0.0);
    let found = report(&desk, "", 3);
    let skipped = found["skipped"].to_string();
    for id in TAUGHT {
        assert!(skipped.contains(id), "{id}: {skipped}");
    }
    let verdict = found["verdict"].to_string();
    assert!(verdict.contains("weak-access"), "{verdict}");
    assert!(verdict.contains("--population"), "{verdict}");
    assert_eq!(found["detail"]["reference_records"], 0);
}

#[test]
fn reference_records_that_tell_nothing_lift_nothing() {
    let (desk, references) = desk(0.0);
    let found = report(&desk, "--population references", 3);
    let verdict = found["verdict"].to_string();
    assert!(
        verdict.contains("no surer of the 600 reference records"),
        "{verdict}"
    );
    let mut constant = references;
    constant.phi.fill(0.5);
    constant.write(&desk.path("constant"));
    let refused = desk
        .guestlist("audit signals --population constant --quiet")
        .exits(2);
    assert!(
        refused
            .stderr
            .contains("every reference record has the same numbers"),
        "{}",
        refused.stderr
    );
}

#[test]
fn audited_records_are_no_reference_records() {
    let (mut audited, references) = offline(1.0);
    let desk = Desk::with(&audited);
    audited.keep = references.keep;
    audited.write(&desk.path("same"));
    let refused = desk
        .guestlist("audit signals --population same --quiet")
        .exits(2);
    assert!(
        refused
            .stderr
            .contains("have the numbers of audited records"),
        "{}",
        refused.stderr
    );
}

#[test]
fn reference_records_among_the_audited_ones_are_noticed() {
    let (audited, references) = offline(0.2);
    let both = |of: fn(&Signals, usize) -> f32, one: &Signals, model: usize| -> Vec<f32> {
        (0..AUDITED)
            .map(|record| of(one, model * AUDITED + record))
            .collect()
    };
    let mut all = Signals::new(MODELS, 2 * AUDITED, 0.0);
    for model in 0..MODELS {
        let phi = |one: &Signals, place: usize| one.phi[place];
        let numbers = [both(phi, &audited, model), both(phi, &references, model)].concat();
        for (record, number) in numbers.into_iter().enumerate() {
            let place = model * 2 * AUDITED + record;
            all.phi[place] = number;
            all.keep[place] = match record < AUDITED {
                true => audited.keep[model * AUDITED + record],
                false => references.keep[model * AUDITED + record - AUDITED],
            };
        }
    }
    let desk = Desk::with(&all);
    let found = report(&desk, "", 3);
    let verdict = found["verdict"].to_string();
    assert!(
        verdict.contains("reference records of an offline design"),
        "{verdict}"
    );
}

#[test]
fn a_small_leak_passes_with_reference_records_and_says_for_whom() {
    let (desk, _) = desk(0.3);
    let found = report(&desk, "--population references", 0);
    for (id, auc) in aucs(&found) {
        assert!((0.4..0.64).contains(&auc), "{id}: {auc}");
    }
    let attacker = found["attacker"].to_string() + &found["verdict"].to_string();
    assert!(
        attacker.contains("trained on none of the audited records"),
        "{attacker}"
    );
}

#[test]
fn records_that_no_shadow_trained_on_are_a_population_and_no_reference() {
    let (desk, references) = desk(2.0);
    let never = Signals {
        keep: vec![false; references.keep.len()],
        ..references
    };
    never.write(&desk.path("references"));
    let found = report(&desk, "--population references", 1);
    assert_eq!(found["detail"]["reference_records"], 0);
    let skipped = found["skipped"].to_string();
    assert!(skipped.contains("bavaria-t-offline"), "{skipped}");
}

#[test]
fn wrong_reference_records_are_named_with_file_model_and_remedy() {
    let (desk, references) = desk(2.0);
    let complains = |parts: &[&str]| {
        let said = desk
            .guestlist("audit signals --population references")
            .exits(2);
        for part in parts.iter().chain(&["references", "hint: "]) {
            assert!(said.stderr.contains(part), "{part:?}: {}", said.stderr);
        }
    };
    for (kept, words) in [
        (true, "trained on all of the 600"),
        (false, "trained on none of the 600"),
    ] {
        let mut wrong = references.clone();
        wrong.keep[3 * AUDITED..4 * AUDITED].fill(kept);
        wrong.write(&desk.path("references"));
        complains(&["keep of model 3", words]);
    }
    let mut of_target = references.clone();
    of_target.keep[17] = true;
    of_target.write(&desk.path("references"));
    complains(&["keep of model 0, record 17 is 1", "known non-members"]);
    let mut broken = references.clone();
    broken.phi[2 * AUDITED + 5] = f32::NAN;
    broken.write(&desk.path("references"));
    complains(&["model 2, record 5 is NaN"]);
    references.write(&desk.path("references"));
    let short = flags(
        &[MODELS, AUDITED - 1],
        &references.keep[..MODELS * (AUDITED - 1)],
    );
    fs::write(desk.path("references/keep.npy"), short).unwrap();
    complains(&["599", "600"]);
    references.write(&desk.path("references"));
    let said = desk
        .guestlist("audit signals --population references --replicates 2")
        .exits(2);
    assert!(
        said.stderr
            .contains("no shadow trained on any audited record"),
        "{}",
        said.stderr
    );
}

#[test]
fn fewer_shadows_are_tried_with_the_same_reference_records() {
    let (desk, _) = desk(2.0);
    let arguments =
        "--population references --scaling 4,8 --attacks bavaria-t-offline,base3-offline";
    let found = report(&desk, arguments, 1);
    let scaling = found["scaling"].as_array().unwrap();
    assert_eq!(scaling.len(), 2);
    assert!(
        scaling
            .iter()
            .all(|point| point["attacks"].as_array().unwrap().len() == 2)
    );
}
