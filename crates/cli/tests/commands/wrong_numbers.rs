//! Numbers that are not what their name says are refused, with the one line that mends it.

use std::fs;

use crate::bad_input::{has, refusal};
use crate::common::Desk;
use crate::npy::{flags, floats, integers, npy};
use crate::one_model::Model;
use crate::signals::Signals;

const RECORDS: usize = 40;

/// A desk with a folder of these arrays.
fn desk(arrays: &[(&str, Vec<u8>)]) -> Desk {
    let desk = Desk::new();
    fs::create_dir_all(desk.path("signals")).unwrap();
    for (name, bytes) in arrays {
        fs::write(desk.path(format!("signals/{name}.npy")), bytes).unwrap();
    }
    desk
}

#[test]
fn probabilities_that_are_called_logits_are_refused() {
    let model = Model::new(RECORDS, 1.0);
    let desk = desk(&[
        ("logits", floats(&[RECORDS, 4], &model.probabilities())),
        ("labels", integers(&[RECORDS], &model.labels)),
        ("keep", flags(&[RECORDS], &model.members)),
    ]);
    let said = refusal(&desk, "signals", "");
    has(
        &said,
        &[
            "logits are never below 0 and add up to 1 for every record: they are probabilities",
            "store them under the name probabilities instead of logits",
        ],
    );
}

#[test]
fn logarithms_of_probabilities_are_logits() {
    let model = Model::new(RECORDS, 1.0);
    let logarithms: Vec<f32> = model.probabilities().iter().map(|p| p.ln()).collect();
    let desk = desk(&[
        ("logits", floats(&[RECORDS, 4], &logarithms)),
        ("labels", integers(&[RECORDS], &model.labels)),
        ("keep", flags(&[RECORDS], &model.members)),
    ]);
    let said = desk.guestlist("audit signals --bootstrap 0 --quiet");
    assert_ne!(said.code, Some(2), "{}", said.stderr);
}

#[test]
fn logits_that_are_called_probabilities_are_refused() {
    let model = Model::new(RECORDS, 1.0);
    let doubled: Vec<f32> = model.probabilities().iter().map(|p| p / 2.0).collect();
    // As two decimals may leave it.
    let lower: Vec<f32> = model.probabilities().iter().map(|p| p * 0.98).collect();
    for (numbers, words) in [
        (&model.logits, "probabilities lie between 0 and 1"),
        (&doubled, "hint: store probabilities of all classes"),
        (
            &lower,
            "if they were rounded, store them with all their digits",
        ),
    ] {
        let desk = desk(&[
            ("probabilities", floats(&[RECORDS, 4], numbers)),
            ("labels", integers(&[RECORDS], &model.labels)),
            ("keep", flags(&[RECORDS], &model.members)),
        ]);
        has(&refusal(&desk, "signals", ""), &[words]);
    }
}

#[test]
fn one_column_of_probabilities_is_refused() {
    let one: Vec<f32> = (0..RECORDS).map(|record| record as f32 / 50.0).collect();
    let labels: Vec<i64> = (0..RECORDS).map(|record| (record % 2) as i64).collect();
    let members: Vec<bool> = (0..RECORDS)
        .map(|record| record.is_multiple_of(3))
        .collect();
    let desk = desk(&[
        ("logits", floats(&[RECORDS, 1], &one)),
        ("labels", integers(&[RECORDS], &labels)),
        ("keep", flags(&[RECORDS], &members)),
    ]);
    let said = refusal(&desk, "signals", "");
    has(&said, &["probabilities of class 1", "[models, records, 2]"]);
}

#[test]
fn a_regression_is_told_how_to_make_phi() {
    let outputs: Vec<f32> = (0..RECORDS).map(|record| 20.0 + record as f32).collect();
    let ages: Vec<i64> = (0..RECORDS).map(|record| 21 + record as i64).collect();
    let prices: Vec<u8> = (0..RECORDS)
        .flat_map(|record| (9.5 + record as f32).to_le_bytes())
        .collect();
    let members: Vec<bool> = (0..RECORDS)
        .map(|record| record.is_multiple_of(3))
        .collect();
    for (labels, words) in [
        (
            integers(&[RECORDS], &ages),
            "labels, record 0 is 21 but the logits have 1 column",
        ),
        (npy("<f4", &[RECORDS], prices), "labels, record 0 is 9.5"),
    ] {
        let desk = desk(&[
            ("logits", floats(&[RECORDS, 1], &outputs)),
            ("labels", labels),
            ("keep", flags(&[RECORDS], &members)),
        ]);
        let said = refusal(&desk, "signals", "");
        has(
            &said,
            &[words, "for a regression", "minus the squared error"],
        );
    }
}

#[test]
fn models_that_all_trained_on_one_split_are_refused_in_those_words() {
    let mut signals = Signals::new(9, 400, 2.0);
    let first = signals.keep[..400].to_vec();
    signals.keep = first.repeat(9);
    let members = first.iter().filter(|member| **member).count();
    let desk = Desk::with(&signals);
    let said = refusal(&desk, "signals", "");
    let words = format!("all 9 models trained on the same {members} records");
    has(&said, &[&words, "its own random half", "--shadows 0"]);
    desk.guestlist("audit signals --shadows 0 --bootstrap 0 --quiet")
        .exits(1);
}

#[test]
fn membership_by_halves_is_refused() {
    let model = Model::new(RECORDS, 1.0);
    let keep = vec![0.3; RECORDS];
    let desk = desk(&[
        ("logits", floats(&[RECORDS, 4], &model.logits)),
        ("labels", integers(&[RECORDS], &model.labels)),
        ("keep", floats(&[RECORDS], &keep)),
    ]);
    has(
        &refusal(&desk, "signals", ""),
        &["keep of model 0, record 0 is 0.3"],
    );
}
