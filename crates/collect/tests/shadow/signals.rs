//! Splitting a table into what an attack sees and what the judge keeps.

use collect::ErrorKind;
use zip::CompressionMethod;

use crate::common::{all_phi, flags, floats, integers, npz, read};

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
            "4 shadows were asked for but there are 3; hint: ask for 1 to 3 shadows",
        ),
        (0, 0, "0 shadows were asked for"),
    ] {
        let error = table.signals(target, shadows).unwrap_err();
        assert_eq!(error.kind, ErrorKind::OutOfRange);
        assert!(error.to_string().contains(said), "{error}");
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
