//! Bad input: exit code 2, a message with file, place and remedy, and nothing left on disk.

use std::fs;

use crate::common::{Desk, Output};
use crate::npy::{flags, floats, integers, npy};
use crate::signals::Signals;

/// Audits `input` and checks everything that holds for any input that is refused.
#[track_caller]
pub fn refusal(desk: &Desk, input: &str, further: &str) -> Output {
    let before = desk.names("");
    let said = desk
        .guestlist(&format!("audit {input} --out out {further}"))
        .exits(2);
    assert_eq!(said.stdout, "");
    assert!(said.stderr.starts_with("error: "), "{}", said.stderr);
    has(&said, &[input, "hint: "]);
    // Lines of a program stand below, indented.
    let told = said.stderr.lines();
    let told = told.filter(|line| !line.is_empty() && !line.starts_with("    "));
    assert_eq!(told.count(), 1, "{}", said.stderr);
    assert_eq!(desk.names(""), before, "something stayed on disk");
    said
}

#[track_caller]
pub fn has(said: &Output, parts: &[&str]) {
    for part in parts {
        assert!(
            said.stderr.contains(part),
            "{part:?} is not in: {}",
            said.stderr
        );
    }
}

/// The same, with a whole sound folder in which one file was replaced.
#[track_caller]
fn says(file: &str, bytes: Vec<u8>, parts: &[&str]) {
    let desk = Desk::with(&Signals::new(2, 3, 1.0));
    fs::write(desk.path("signals").join(file), bytes).unwrap();
    has(&refusal(&desk, "signals", ""), parts);
}

#[test]
fn phi_that_is_not_finite_is_named_by_model_and_record() {
    for (value, word) in [
        (f32::NAN, "NaN"),
        (f32::INFINITY, "inf"),
        (f32::NEG_INFINITY, "-inf"),
    ] {
        let phi = floats(&[2, 3], &[0.5, 1.0, 2.0, 1.5, value, 0.0]);
        let place = format!("phi of model 1, record 1 is {word}");
        says("phi.npy", phi, &["phi.npy", &place, "must be finite"]);
    }
}

#[test]
fn shapes_that_disagree_are_named_with_both_sizes() {
    let wide = floats(&[2, 4], &[0.5; 8]);
    says("phi.npy", wide, &["phi has 4 records but keep has 3"]);
    let tall = floats(&[3, 3], &[0.5; 9]);
    says("phi.npy", tall, &["phi has 3 models but keep has 2"]);
    let turned = flags(&[3, 2], &[true; 6]);
    says("keep.npy", turned, &["keep", "transposed"]);
}

#[test]
fn a_shape_of_the_wrong_rank_is_named() {
    let flat = floats(&[6], &[0.5; 6]);
    says(
        "phi.npy",
        flat,
        &["phi has shape [6]; wanted [models, records]"],
    );
}

#[test]
fn keep_that_is_neither_zero_nor_one_is_named_by_value() {
    // Of the audited model alone may it be unknown.
    let keep = integers(&[2, 3], &[0, 1, 0, 1, 1, -1]);
    let place = "keep of model 1, record 2 is unknown (-1)";
    says("keep.npy", keep, &[place, "that model is a shadow"]);
    for value in [2, 255] {
        let keep = integers(&[2, 3], &[0, 1, 0, 1, 0, value]);
        let place = format!("keep of model 1, record 2 is {value}");
        says("keep.npy", keep, &["keep.npy", &place]);
    }
}

#[test]
fn a_target_with_one_kind_of_record_is_refused() {
    for (everyone, words) in [
        (true, "every record is a member"),
        (false, "no record is a member"),
    ] {
        let mut signals = Signals::new(9, 40, 1.0);
        signals.set_target_members(|_| everyone);
        has(&refusal(&Desk::with(&signals), "signals", ""), &[words]);
    }
}

#[test]
fn one_record_is_too_few() {
    let desk = Desk::with(&Signals::new(9, 1, 1.0));
    has(
        &refusal(&desk, "signals", ""),
        &["1 record", "a member and a non-member"],
    );
}

#[test]
fn one_model_has_no_shadow() {
    let desk = Desk::with(&Signals::new(1, 40, 1.0));
    has(
        &refusal(&desk, "signals", "--shadows 1"),
        &["1 shadows were asked for but there are 0"],
    );
    has(
        &refusal(&desk, "signals", "--attacks lira"),
        &["there are no shadow models"],
    );
}

#[test]
fn an_empty_folder_is_said_to_be_empty() {
    let desk = Desk::new();
    fs::create_dir(desk.path("signals")).unwrap();
    has(
        &refusal(&desk, "signals", ""),
        &["the folder is empty", "npz"],
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    has(&refusal(&Desk::new(), "nowhere.npz", ""), &["no such file"]);
}

#[test]
fn an_archive_cut_short_anywhere_is_refused() {
    let desk = Desk::with(&Signals::new(3, 20, 1.0));
    desk.guestlist("convert signals whole.npz").exits(0);
    let whole = desk.bytes("whole.npz");
    for length in [whole.len() - 1, whole.len() / 2, 100, 4] {
        fs::write(desk.path("cut.npz"), &whole[..length]).unwrap();
        has(
            &refusal(&desk, "cut.npz", ""),
            &["not a whole .npz", "copy it again"],
        );
    }
    fs::write(desk.path("cut.npz"), b"").unwrap();
    has(&refusal(&desk, "cut.npz", ""), &["empty file"]);
}

#[test]
fn an_array_cut_short_says_how_much_is_missing() {
    let phi = floats(&[2, 3], &[0.5; 6]);
    let cut = phi[..phi.len() - 4].to_vec();
    says("phi.npy", cut, &["24 bytes", "20 are there"]);
}

#[test]
fn pickled_objects_are_refused_and_never_unpickled() {
    let desk = Desk::with(&Signals::new(2, 3, 1.0));
    let trap = desk.path("unpickled");
    // What pickle would run: os.system("touch …").
    let pickle = format!("cposix\nsystem\n(S'touch {}'\ntR.", trap.display());
    let objects = npy("|O", &[2, 3], pickle.clone().into_bytes());
    fs::write(desk.path("signals/phi.npy"), &objects).unwrap();
    has(&refusal(&desk, "signals", ""), &["phi", "object", "pickle"]);
    let mut signals = b"\x80\x04".to_vec();
    signals.extend(pickle.into_bytes());
    fs::write(desk.path("shadows.pkl"), signals).unwrap();
    has(
        &refusal(&desk, "shadows.pkl", ""),
        &["pickle", "never unpickled"],
    );
    assert!(!trap.exists());
}

#[test]
fn more_shadows_than_there_are_is_refused_with_the_number_there_is() {
    let desk = Desk::with(&Signals::new(9, 40, 1.0));
    let said = refusal(&desk, "signals", "--shadows 9");
    has(
        &said,
        &["9 shadows were asked for but there are 8", "at most 8"],
    );
    let said = refusal(&desk, "signals", "--scaling 4,9");
    has(&said, &["9 shadows were asked for but there are 8"]);
    let said = refusal(&desk, "signals", "--target 9");
    has(&said, &["model 9 was asked for but there are 9", "0 to 8"]);
    refusal(&desk, "signals", "--replicates 10");
}

#[test]
fn duplicate_ids_are_named_with_both_rows() {
    let signals = Signals::new(9, 40, 1.0).with_ids(|record| format!("person-{}", record % 39));
    let said = refusal(&Desk::with(&signals), "signals", "");
    has(
        &said,
        &["ids.npy", "\"person-0\" names both record 0 and record 39"],
    );
}

#[test]
fn an_earlier_report_outlives_bad_input() {
    let desk = Desk::with(&Signals::leaky());
    desk.guestlist("audit signals --attacks loss --out out --quiet")
        .exits(1);
    let report = desk.bytes("out/report.json");
    fs::write(desk.path("signals/keep.npy"), b"").unwrap();
    refusal(&desk, "signals", "");
    assert_eq!(desk.bytes("out/report.json"), report);
    assert_eq!(
        desk.names("out"),
        ["SHA256SUMS", "report.html", "report.json", "scores.parquet"]
    );
}

#[test]
fn every_folder_made_for_a_refused_audit_is_gone() {
    let desk = Desk::with(&Signals::new(9, 40, 1.0));
    desk.guestlist("audit signals --shadows 99 --out deep/er/out")
        .exits(2);
    assert_eq!(desk.names(""), ["signals"]);
}
