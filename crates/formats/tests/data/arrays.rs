//! Data sets that are arrays: npz and idx.

use std::path::Path;

use formats::data::{self, ColumnKind, Wanted};
use zip::CompressionMethod;

use crate::common::{flags, floats, integers, npy, npz, texts};
use crate::helpers::{Fixture, file, gzip, has, note, row};

fn archive(arrays: &[(&str, Vec<u8>)]) -> Fixture {
    let fixture = file("data.npz", "");
    npz(&fixture.path, CompressionMethod::Stored, arrays);
    fixture
}

fn said(path: &Path, label: &str) -> String {
    let read = data::read(path, &Wanted::label(label));
    read.unwrap_err().to_string()
}

#[test]
fn bytes_and_further_axes_are_flattened() {
    let pixels = vec![0, 1, 2, 9, 4, 3, 2, 9];
    let fixture = archive(&[
        ("x", npy("|u1", &[2, 2, 2], pixels)),
        ("y", flags(&[2, 1], [true, false])),
    ]);
    let records = data::read(&fixture.path, &Wanted::label("y")).unwrap();
    assert_eq!(row(&records, 0), [-1.0, -1.0]);
    assert_eq!(records.labels, [1, 0]);
    assert_eq!(note(&records, "x[1,0]").kind, ColumnKind::Constant);
    has(&records.notes[0], &["x[1,0], x[1,1]"]);
    assert_eq!(data::columns(&fixture.path).unwrap(), ["x", "y"]);
}

#[test]
fn labels_ids_and_features_go_by_the_names_given() {
    let fixture = archive(&[
        ("features", floats(&[2, 1], [1.0, 2.0])),
        ("kind", texts(&["cat", "dog"])),
        ("name", texts(&["tom", "rex"])),
    ]);
    let wanted = Wanted {
        id: Some("name".to_owned()),
        ..Wanted::label("kind")
    };
    let records = data::read(&fixture.path, &wanted).unwrap();
    assert_eq!(records.classes, ["cat", "dog"]);
    assert_eq!(records.ids.unwrap(), ["tom", "rex"]);
    assert_eq!(records.features, [-1.0, 1.0]);
}

#[test]
fn archives_that_do_not_fit_are_refused() {
    let x = floats(&[3, 1], [1.0, f32::INFINITY, 2.0]);
    let fixture = archive(&[
        ("x", x.clone()),
        ("y", integers(&[2], [0, 1])),
        ("hot", integers(&[3, 2], [0, 1, 0, 1, 1, 0])),
        ("label", integers(&[3], [0, 1, 0])),
    ]);
    has(
        &said(&fixture.path, "y"),
        &["y has 2 records but the features have 3"],
    );
    has(
        &said(&fixture.path, "hot"),
        &["hot has shape [3, 2]", "argmax"],
    );
    has(
        &said(&fixture.path, "labels"),
        &["no array labels", "did you mean label?"],
    );
    has(
        &said(&fixture.path, "label"),
        &["column x[0], record 1: inf"],
    );
    let fixture = archive(&[("a", x.clone()), ("b", x), ("y", integers(&[3], [0, 1, 0]))]);
    has(
        &said(&fixture.path, "y"),
        &["there is no array x; the arrays are: a, b, y"],
    );
    let wanted = Wanted {
        ignore: vec!["a".to_owned()],
        ..Wanted::label("y")
    };
    let error = data::read(&fixture.path, &wanted).unwrap_err();
    has(&error.to_string(), &["column b[0], record 1: inf"]);
    let fixture = archive(&[
        ("x", floats(&[2], [1.0, 2.0])),
        ("y", floats(&[2], [1.0, f32::NAN])),
    ]);
    has(
        &said(&fixture.path, "y"),
        &["column y, record 1: the label is missing"],
    );
}

fn idx(extents: &[u32], bytes: &[u8]) -> Vec<u8> {
    let mut file = vec![0, 0, 8, extents.len() as u8];
    file.extend(extents.iter().flat_map(|extent| extent.to_be_bytes()));
    file.extend(bytes);
    file
}

#[test]
fn images_find_their_labels() {
    let images = idx(&[2, 1, 3], &[0, 51, 255, 0, 0, 102]);
    let fixture = file("train-images-idx3-ubyte.gz", gzip(&images));
    has(&said(&fixture.path, ""), &["no file of labels lies beside"]);
    let labels = fixture.folder.path().join("train-labels-idx1-ubyte");
    std::fs::write(&labels, idx(&[2], &[7, 5])).unwrap();
    for label in [
        "",
        "labels",
        "train-labels-idx1-ubyte",
        labels.to_str().unwrap(),
    ] {
        let records = data::read(&fixture.path, &Wanted::label(label)).unwrap();
        assert_eq!(records.features, [0.0, 0.2, 1.0, 0.0, 0.0, 0.4]);
        assert_eq!((records.width, records.labels), (3, vec![1, 0]));
        assert_eq!(records.classes, ["5", "7"]);
        assert_eq!(records.sources, [fixture.path.clone(), labels.clone()]);
    }
    let names = data::columns(&fixture.path).unwrap();
    assert_eq!(names, ["pixels", "train-labels-idx1-ubyte"]);
}

#[test]
fn images_that_do_not_fit_are_refused() {
    let fixture = file("images", idx(&[2, 2], &[1, 2, 3]));
    has(
        &said(&fixture.path, ""),
        &["pixels says it has shape [2, 2]", "cut short"],
    );
    let beside = |bytes: &[u8]| {
        std::fs::write(fixture.folder.path().join("labels"), bytes).unwrap();
        said(&fixture.path, "")
    };
    std::fs::write(&fixture.path, idx(&[2, 2], &[1, 2, 3, 4])).unwrap();
    has(
        &beside(&idx(&[3], &[1, 2, 3])),
        &["labels has 3 records but the features have 2"],
    );
    has(&beside(b"text"), &["does not start as an idx file does"]);
    has(&beside(&idx(&[2], &[1, 1])), &["is \"1\" for every record"]);
    has(
        &said(&fixture.path, "other"),
        &["there is no file of labels other"],
    );
    std::fs::write(&fixture.path, idx(&[2], &[1, 2])).unwrap();
    has(&said(&fixture.path, ""), &["has one axis, as labels do"]);
    std::fs::write(&fixture.path, [0, 0, 13, 2, 0, 0]).unwrap();
    has(&said(&fixture.path, ""), &["elements other than bytes"]);
    let wanted = Wanted {
        ignore: vec!["a".to_owned()],
        ..Wanted::label("")
    };
    let error = data::read(&fixture.path, &wanted).unwrap_err();
    has(&error.to_string(), &["no column a", "pixels only"]);
}
