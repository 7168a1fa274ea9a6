//! Bad input: every message names the file, the place, the value and a remedy.

use std::fs;
use std::path::Path;

use formats::shadow;
use zip::CompressionMethod::{Deflated, Stored};

use crate::common::{flags, floats, integers, npy, npz, put, refusal, texts};

fn sound_phi() -> Vec<u8> {
    floats(&[2, 3], [0.5, -1.0, 2.0, 1.5, 0.0, -3.0])
}

fn sound_keep() -> Vec<u8> {
    flags(&[2, 3], [true, false, true, false, true, false])
}

fn said_of(arrays: &[(&str, Vec<u8>)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    npz(&path, Stored, arrays);
    refusal(&path)
}

fn said_with_phi(phi: Vec<u8>) -> String {
    said_of(&[("phi", phi), ("keep", sound_keep())])
}

fn said_with(name: &'static str, array: Vec<u8>) -> String {
    said_of(&[("phi", sound_phi()), ("keep", sound_keep()), (name, array)])
}

#[track_caller]
fn has(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "{part:?} is not in: {said}");
    }
}

#[test]
fn numbers_that_are_not_finite() {
    let phi = floats(&[2, 3], [0.5, -1.0, 2.0, 1.5, f32::NAN, f32::INFINITY]);
    has(
        &said_with_phi(phi),
        &["a.npz: phi of model 1, record 1 is NaN; hint"],
    );
    let phi = floats(&[2, 3], [0.5, -1.0, f32::NEG_INFINITY, 1.5, f32::NAN, 0.0]);
    has(&said_with_phi(phi), &["phi of model 0, record 2 is -inf"]);
    let logits = floats(&[2, 2, 2], [0., 0., 0., 0., 0., 0., 0., f32::INFINITY]);
    let keep = flags(&[2, 2], [true; 4]);
    let labels = integers(&[2], [0, 1]);
    let said = said_of(&[("logits", logits), ("keep", keep), ("labels", labels)]);
    has(&said, &["logits of model 1, record 1, class 1 is inf"]);
}

#[test]
fn shapes_that_disagree() {
    let wide = floats(&[2, 4], [0.0; 8]);
    has(
        &said_with_phi(wide),
        &["a.npz: phi has 4 records but keep has 3; hint: both must be [models, records]"],
    );
    let tall = floats(&[3, 3], [0.0; 9]);
    has(&said_with_phi(tall), &["phi has 3 models but keep has 2"]);
    let turned = floats(&[3, 2], [0.0; 6]);
    has(&said_with_phi(turned), &["keep is transposed"]);
    let flat = floats(&[6], [0.0; 6]);
    has(
        &said_with_phi(flat),
        &["phi has shape [6]; wanted [models, records]"],
    );
    let said = said_of(&[("phi", sound_phi()), ("keep", flags(&[3], [true; 3]))]);
    has(&said, &["keep has shape [3]; wanted [models, records]"]);
    has(
        &said_with("labels", integers(&[2], [0, 0])),
        &["labels has 2 records"],
    );
    has(
        &said_with("ids", texts(&["a", "b"])),
        &["there are 2 ids", "3 records"],
    );
}

#[test]
fn keep_that_is_neither_zero_nor_one() {
    let keep = integers(&[2, 3], [0, 1, 0, 1, 2, -1]);
    let said = said_of(&[("phi", sound_phi()), ("keep", keep)]);
    has(
        &said,
        &["keep of model 1, record 1 is 2; hint: keep holds 1"],
    );
    let keep = floats(&[2, 3], [0.0, 1.0, 0.5, 1.0, 0.0, 1.0]);
    let said = said_of(&[("phi", sound_phi()), ("keep", keep)]);
    has(&said, &["keep of model 0, record 2 is 0.5"]);
    let keep = npy("|b1", &[2, 3], vec![0, 1, 0, 7, 0, 1]);
    let said = said_of(&[("phi", sound_phi()), ("keep", keep)]);
    has(&said, &["keep of model 1, record 0 is 7"]);
}

#[test]
fn labels_and_ids_that_cannot_be() {
    has(
        &said_with("labels", integers(&[3], [0, -1, 0])),
        &["labels, record 1 is -1"],
    );
    let logits = floats(&[2, 3, 2], [0.0; 12]);
    let labels = integers(&[3], [0, 1, 2]);
    let said = said_of(&[
        ("logits", logits),
        ("keep", sound_keep()),
        ("labels", labels),
    ]);
    has(
        &said,
        &[
            "labels, record 2 is 2 but the logits have 2 classes",
            "from 0 to 1",
        ],
    );
    has(
        &said_with("ids", texts(&["a", "b", "a"])),
        &["the id \"a\" names both record 0 and record 2"],
    );
    let broken = npy("|S2", &[3], vec![b'a', 0, 0xff, 0xfe, b'c', 0]);
    has(
        &said_with("ids", broken),
        &["ids, record 1 is not valid Unicode"],
    );
    let surrogate = npy(
        "<U1",
        &[3],
        [97u32, 0xd800, 98]
            .iter()
            .flat_map(|p| p.to_le_bytes())
            .collect(),
    );
    has(
        &said_with("ids", surrogate),
        &["ids, record 1 is not valid Unicode"],
    );
    has(
        &said_with("ids", floats(&[3], [0.0; 3])),
        &["ids holds float32 values"],
    );
}

#[test]
fn too_few_models_or_records() {
    has(
        &said_with_phi(floats(&[0, 3], [])),
        &["phi is empty: its shape is [0, 3]"],
    );
    has(
        &said_with_phi(floats(&[2, 0], [])),
        &["phi is empty: its shape is [2, 0]"],
    );
}

#[test]
fn arrays_that_are_not_there() {
    let said = said_of(&[("pm_signals", sound_phi()), ("keep", sound_keep())]);
    has(
        &said,
        &["there is neither phi nor logits nor probabilities; the arrays are: keep, pm_signals"],
    );
    let said = said_of(&[("phi", sound_phi())]);
    has(&said, &["there is no keep; the arrays are: phi"]);
    let said = said_of(&[("logits", sound_phi()), ("keep", sound_keep())]);
    has(&said, &["there are logits but no labels"]);
    has(
        &said_with_phi(integers(&[2, 3], [0; 6])),
        &["phi holds int64 values"],
    );
}

#[test]
fn files_that_are_not_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("phi.npy");
    put(folder.path().join("keep.npy"), &sound_keep());
    let phi = sound_phi();
    put(path.clone(), &phi[..phi.len() - 1]);
    has(
        &refusal(&path),
        &[
            "phi says it has shape [2, 3], which takes 24 bytes, but 23 are there",
            "cut short",
        ],
    );
    put(path.clone(), b"");
    has(&refusal(&path), &["empty file"]);
    has(&refusal(folder.path()), &["phi.npy: is an empty file"]);
}

#[test]
fn archives_cut_at_any_length_or_changed_anywhere_are_errors_or_sound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    for method in [Stored, Deflated] {
        npz(
            &path,
            method,
            &[("phi", sound_phi()), ("keep", sound_keep())],
        );
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(shadow::read(&path, None).is_err(), "{method} {length}");
        }
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 0x10;
            fs::write(&path, &changed).unwrap();
            let _ = shadow::read(&path, None);
        }
    }
}

#[test]
fn a_changed_number_in_an_archive_breaks_its_checksum() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    npz(
        &path,
        Stored,
        &[("phi", sound_phi()), ("keep", sound_keep())],
    );
    let mut bytes = fs::read(&path).unwrap();
    let minus_three = (-3f32).to_le_bytes();
    let place = bytes
        .windows(4)
        .position(|four| four == minus_three)
        .unwrap();
    bytes[place] ^= 1;
    fs::write(&path, bytes).unwrap();
    has(
        &refusal(&path),
        &["phi is damaged inside the archive", "checksum"],
    );
}

#[test]
fn what_is_no_input_at_all() {
    let folder = tempfile::tempdir().unwrap();
    has(
        &refusal(Path::new("nowhere.npz")),
        &["nowhere.npz: no such file", "hint"],
    );
    has(
        &refusal(folder.path()),
        &["the folder is empty", "known are npz, npy"],
    );
    let path = folder.path().join("a.csv");
    put(path.clone(), b"phi,keep\n1,2\n");
    has(
        &refusal(&path),
        &["a.csv: is a file of an unknown type", "parquet, "],
    );
    has(
        &refusal(folder.path()),
        &["holds no shadow signals in a layout that is known"],
    );
    put(path.clone(), b"\x80\x04\x95");
    has(
        &refusal(&path),
        &["is a Python pickle, which is never unpickled here"],
    );
    let error = shadow::read(&path, Some("hdf5")).unwrap_err().to_string();
    has(
        &error,
        &[
            "there is no format hdf5",
            "npz, npy, safetensors, parquet, privacy-meter",
        ],
    );
    for format in shadow::formats() {
        assert!(shadow::read(&path, Some(format.name())).is_err());
        assert!(shadow::read(folder.path(), Some(format.name())).is_err());
    }
}
