//! Splitting a table into what an attack sees and what the judge keeps.

use base::ErrorKind;
use zip::CompressionMethod;

use crate::common::{all_phi, flags, floats, integers, npz, phi, read};

#[test]
fn the_target_is_left_out_of_the_shadows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    let keep = (0..12).map(|i| i % 3 == i / 3 % 3);
    let arrays = [
        ("phi", floats(&[4, 3], (0..12).map(|x| x as f32))),
        ("keep", flags(&[4, 3], keep)),
    ];
    npz(&path, CompressionMethod::Stored, &arrays);
    let table = read(&path);
    let (signals, truth) = table.signals(1, 2).unwrap();
    assert_eq!(
        (signals.target, signals.shadows.as_slice()),
        (1, [0, 2].as_slice())
    );
    assert_eq!(
        signals.members,
        [table.members[0].clone(), table.members[2].clone()]
    );
    assert_eq!(truth, table.members[1]);
    assert_eq!(table.signals(3, 3).unwrap().0.shadows, [0, 1, 2]);
    for (target, shadows, said) in [
        (
            4,
            1,
            "model 4 was asked for but there are 4; hint: the target is one of 0 to 3",
        ),
        (
            0,
            4,
            "4 shadows were asked for but there are 3; hint: ask for at most 3 shadows",
        ),
    ] {
        let error = table.signals(target, shadows).unwrap_err();
        assert_eq!(error.kind, ErrorKind::OutOfRange);
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[test]
fn a_target_may_be_seen_without_shadows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    let arrays = [
        ("phi", floats(&[2, 3], [0.5, 1.0, 2.0, 0.0, 0.0, 0.0])),
        (
            "keep",
            flags(&[2, 3], [true, false, true, true, true, false]),
        ),
    ];
    npz(&path, CompressionMethod::Stored, &arrays);
    let (signals, truth) = read(&path).signals(0, 0).unwrap();
    assert!(signals.shadows.is_empty() && signals.members.is_empty());
    assert_eq!(truth.count(), 2);
}

/// Arrays of one model, with and without an axis for models.
#[test]
fn one_model_needs_no_axis_for_models() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let keep = || flags(&[3], [true, false, true]);
    let labels = || integers(&[3], [0, 1, 1]);
    let flat = |values: &[f32; 6]| floats(&[3, 2], *values);
    let cases = [
        (
            "phi",
            vec![("phi", floats(&[3], [1.0, 2.0, 3.0])), ("keep", keep())],
            1,
        ),
        (
            "augmented",
            vec![("phi", flat(&values)), ("member", keep())],
            2,
        ),
        (
            "logits",
            vec![
                ("logits", flat(&values)),
                ("labels", labels()),
                ("members", keep()),
            ],
            1,
        ),
        (
            "row of keep",
            vec![
                ("logits", flat(&values)),
                ("labels", labels()),
                ("keep", flags(&[1, 3], [true, false, true])),
            ],
            1,
        ),
    ];
    for (name, arrays, augmentations) in cases {
        npz(&path, CompressionMethod::Stored, &arrays);
        let table = read(&path);
        let shape = (table.models(), table.records(), table.augmentations());
        assert_eq!(shape, (1, 3, augmentations), "{name}");
        assert_eq!(table.members[0].count(), 2, "{name}");
    }
}

#[test]
fn probabilities_and_logits_give_the_same_phi() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["a.npz", "b.npz"].map(|name| folder.path().join(name));
    let logits: [f32; 9] = [1.0, -0.5, 0.25, 2.0, -1.0, 0.5, 0.0, 0.0, 3.0];
    let sum = |row: &[f32]| row.iter().map(|z| z.exp()).sum::<f32>();
    let rows = logits
        .chunks(3)
        .flat_map(|row| row.iter().map(move |z| z.exp() / sum(row)));
    let probabilities: Vec<f32> = rows.collect();
    let with = |name: &'static str, values: &[f32]| {
        [
            (name, floats(&[1, 3, 3], values.to_vec())),
            ("labels", integers(&[3], [0, 2, 1])),
            ("keep", flags(&[1, 3], [true, false, true])),
        ]
    };
    npz(&one, CompressionMethod::Stored, &with("logits", &logits));
    npz(
        &other,
        CompressionMethod::Stored,
        &with("probabilities", &probabilities),
    );
    let (one, other) = (phi(&read(&one), 0, 0), phi(&read(&other), 0, 0));
    for (a, b) in one.iter().zip(&other) {
        assert!((a - b).abs() < 1e-6, "{one:?} {other:?}");
    }
}

#[test]
fn one_record_and_one_sided_truth_read_fine() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    for member in [true, false] {
        let arrays = [
            ("phi", floats(&[2, 1], [0.5, 0.5])),
            ("keep", flags(&[2, 1], [member; 2])),
        ];
        npz(&path, CompressionMethod::Stored, &arrays);
        let table = read(&path);
        assert_eq!(table.members[0].count(), usize::from(member));
        assert_eq!((table.saturated.values, table.saturated.total), (2, 2));
    }
}

#[test]
fn a_single_logit_tells_two_classes_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    let arrays = [
        ("logits", floats(&[2, 2, 1], [1.0, 2.0, 3.0, 4.0])),
        ("keep", flags(&[2, 2], [true; 4])),
        ("labels", integers(&[2], [0, 1])),
    ];
    npz(&path, CompressionMethod::Stored, &arrays);
    assert_eq!(all_phi(&read(&path)), [[[-1.0, 2.0]], [[-3.0, 4.0]]]);
}
