//! The folders that other tools leave behind.

use std::path::Path;

use crate::common::{flags, floats, integers, phi, put, read, refusal};

const RECORDS: usize = 4;

fn keep_of(model: usize) -> Vec<u8> {
    flags(
        &[RECORDS],
        (0..RECORDS).map(|record| record % 2 == model % 2),
    )
}

/// Two classes, so that φ is the difference of the logits: 10·model + record.
fn logits_of(model: usize, shape: &[usize]) -> Vec<u8> {
    let rows = (0..RECORDS).map(|record| (10 * model + record) as f32);
    floats(shape, rows.flat_map(|margin| [margin, 0.0]))
}

fn scores_of(model: usize) -> Vec<u8> {
    floats(
        &[RECORDS, 1],
        (0..RECORDS).map(|record| (100 * model + record) as f32),
    )
}

fn lira(folder: &Path, name: &str, model: usize) {
    let experiment = folder.join(name);
    put(experiment.join("keep.npy"), &keep_of(model));
    let shape = [RECORDS, 1, 1, 2];
    put(
        experiment.join("logits/0000000020.npy"),
        &logits_of(model, &shape),
    );
    put(
        experiment.join("logits/0000000010.npy"),
        &logits_of(7, &shape),
    );
    put(experiment.join("scores/0000000020.npy"), &scores_of(model));
}

fn zeros() -> Vec<u8> {
    integers(&[RECORDS], [0; RECORDS])
}

#[test]
fn experiments_are_taken_in_numeric_order_and_at_their_newest() {
    let folder = tempfile::tempdir().unwrap();
    for (name, model) in [
        ("experiment-10_16", 2),
        ("experiment-2_16", 1),
        ("experiment-0_16", 0),
    ] {
        lira(folder.path(), name, model);
    }
    put(folder.path().join("y_train.npy"), &zeros());
    let table = read(folder.path());
    assert_eq!((table.format, table.models()), ("lira", 3));
    for model in 0..3 {
        let wanted: Vec<_> = (0..RECORDS).map(|r| (10 * model + r) as f64).collect();
        assert_eq!(phi(&table, model, 0), wanted);
        assert_eq!(table.members[model].get(0), model % 2 == 0);
    }
    assert!(table.notes.is_empty());
    assert_eq!(table.sources.len(), 7);
}

#[test]
fn scores_stand_in_where_there_are_no_labels() {
    let folder = tempfile::tempdir().unwrap();
    lira(folder.path(), "experiment-0", 0);
    lira(folder.path(), "experiment-1", 1);
    let table = read(folder.path());
    assert_eq!(phi(&table, 1, 0), [100.0, 101.0, 102.0, 103.0]);
    assert_eq!(
        table.notes,
        ["scores were used because no labels were found"]
    );
}

#[test]
fn names_with_augmentations_and_uneven_epochs() {
    let folder = tempfile::tempdir().unwrap();
    for (model, epoch) in [(0, 20), (1, 30)] {
        let experiment = folder.path().join(format!("experiment-{model}"));
        put(experiment.join("keep.npy"), &keep_of(model));
        put(
            experiment.join(format!("logits/00000000{epoch}_0002.npy")),
            &logits_of(model, &[RECORDS, 1, 1, 2]),
        );
    }
    put(folder.path().join("y_train.npy"), &zeros());
    let table = read(folder.path());
    assert!(table.notes[0].contains("epoch 20"), "{:?}", table.notes);
}

#[test]
fn an_unfinished_experiment_is_named() {
    let folder = tempfile::tempdir().unwrap();
    lira(folder.path(), "experiment-0", 0);
    lira(folder.path(), "experiment-1", 1);
    let unfinished = folder.path().join("experiment-2");
    put(unfinished.join("hparams.json"), b"{}");
    let said = refusal(folder.path());
    assert!(
        said.contains("experiment-2: there is no keep.npy"),
        "{said}"
    );
    put(unfinished.join("keep.npy"), &keep_of(2));
    let said = refusal(folder.path());
    assert!(said.contains("experiment-2: there is neither"), "{said}");
    assert!(said.contains("remove the folder"), "{said}");
}

#[test]
fn a_model_of_another_shape_is_named() {
    let folder = tempfile::tempdir().unwrap();
    lira(folder.path(), "experiment-0", 0);
    lira(folder.path(), "experiment-1", 1);
    put(
        folder.path().join("experiment-1/scores/0000000020.npy"),
        &floats(&[5], [0.0; 5]),
    );
    let said = refusal(folder.path());
    assert!(said.contains("experiment-1/scores"), "{said}");
    assert!(said.contains("scores has shape [5] but"), "{said}");
}

#[test]
fn lira_pytorch_reads_scores_or_logits() {
    let folder = tempfile::tempdir().unwrap();
    for model in 0..2 {
        let home = folder.path().join(model.to_string());
        put(home.join("keep.npy"), &keep_of(model));
        put(home.join("logits.npy"), &logits_of(model, &[RECORDS, 1, 2]));
        put(home.join("scores.npy"), &scores_of(model));
    }
    put(folder.path().join("wandb/log.txt"), b"");
    let by_scores = read(folder.path());
    assert_eq!(by_scores.format, "lira-pytorch");
    assert_eq!(phi(&by_scores, 1, 0)[3], 103.0);
    put(folder.path().join("labels.npy"), &zeros());
    assert_eq!(phi(&read(folder.path()), 1, 0)[3], 13.0);
    put(folder.path().join("2/model.pt"), b"");
    let said = refusal(folder.path());
    assert!(said.contains("2: there is no keep.npy"), "{said}");
}

#[test]
fn lira_analysis_has_one_keep_for_all() {
    let folder = tempfile::tempdir().unwrap();
    let keep = (0..2).flat_map(|model| (0..RECORDS).map(move |r| r % 2 == model));
    put(
        folder.path().join("keep_indices.npy"),
        &flags(&[2, RECORDS], keep),
    );
    put(
        folder.path().join("model_0/scores/scores.npy"),
        &scores_of(0),
    );
    let said = refusal(folder.path());
    assert!(said.contains("model_1: there is neither"), "{said}");
    put(
        folder.path().join("model_1/scores/scores.npy"),
        &scores_of(1),
    );
    let table = read(folder.path());
    assert_eq!(table.format, "lira-analysis");
    assert_eq!(phi(&table, 1, 0)[2], 102.0);
    assert!(table.members[1].get(1) && !table.members[1].get(0));
}

fn privacy_meter(folder: &Path, signals: Vec<u8>) {
    let keep = (0..2).flat_map(|model| (0..RECORDS).map(move |r| r % 2 == model));
    put(
        folder.join("models/memberships.npy"),
        &flags(&[2, RECORDS], keep),
    );
    put(folder.join("signals/rmia_signals.npy"), &signals);
}

#[test]
fn privacy_meter_holds_probabilities_by_record() {
    let folder = tempfile::tempdir().unwrap();
    let values = [0.5, 0.75, 0.5, 1.0, 0.25, 1.0, 0.5, 0.5];
    privacy_meter(folder.path(), floats(&[RECORDS, 2], values));
    let table = read(folder.path());
    assert_eq!(table.format, "privacy-meter");
    assert_eq!(phi(&table, 0, 0)[0], 0.0);
    assert!((phi(&table, 1, 0)[0] - 3f64.ln()).abs() < 1e-12);
    assert!(table.notes[0].contains("exactly 1: 2"), "{:?}", table.notes);
    assert_eq!((table.saturated.values, table.saturated.total), (2, 8));
}

#[test]
fn privacy_meter_with_stale_or_impossible_signals() {
    let folder = tempfile::tempdir().unwrap();
    privacy_meter(folder.path(), floats(&[RECORDS, 3], [0.5; 12]));
    let said = refusal(folder.path());
    assert!(said.contains("signals have 3 models but memberships.npy has 2"));
    privacy_meter(folder.path(), floats(&[3, 2], [0.5; 6]));
    assert!(refusal(folder.path()).contains("signals have 3 records"));
    let mut values = [0.5; 8];
    values[5] = 1.5;
    privacy_meter(folder.path(), floats(&[RECORDS, 2], values));
    let said = refusal(folder.path());
    assert!(said.contains("of model 1, record 2 is 1.5"), "{said}");
}
