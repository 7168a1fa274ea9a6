//! What is written reads back, in every layout that can be written.

use std::fs;
use std::path::{Path, PathBuf};

use base::ErrorKind;
use formats::shadow::{self, Overwrite, ShadowTable};
use proptest::prelude::*;
use zip::CompressionMethod;

use crate::common::{all_phi, flags, floats, integers, npy, npz, read, texts};

const WRITTEN: [(&str, &str); 4] = [
    ("npz", "b.npz"),
    ("npy", "b"),
    ("safetensors", "b.safetensors"),
    ("parquet", "b.parquet"),
];

fn assert_same(table: &ShadowTable, other: &ShadowTable) {
    assert_eq!(all_phi(table), all_phi(other));
    assert_eq!(table.members, other.members);
    assert_eq!(table.ids, other.ids);
    assert_eq!(table.labels, other.labels);
    assert_eq!(table.saturated, other.saturated);
}

fn convert(table: &ShadowTable, format: &str, path: &Path) -> ShadowTable {
    shadow::write(table, path, format, Overwrite::Replace).unwrap();
    let other = read(path);
    assert_eq!(other.format, format);
    other
}

fn phi_bytes(number: &str, values: &[f32]) -> Vec<u8> {
    match number {
        "<f2" => values
            .iter()
            .flat_map(|v| half::f16::from_f32(*v).to_le_bytes())
            .collect(),
        "<f4" => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        _ => values
            .iter()
            .flat_map(|v| (f64::from(*v) / 3.0).to_le_bytes())
            .collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_written_layout_reads_back(
        models in 2usize..5,
        records in 1usize..70,
        augmentations in 1usize..4,
        number in prop::sample::select(vec!["<f2", "<f4", "<f8"]),
        named: bool,
        labelled: bool,
        seed: u32,
    ) {
        let values: Vec<f32> = (0..models * records * augmentations)
            .map(|i| ((i as u32).wrapping_mul(2_654_435_761) ^ seed) as f32 / 1e6)
            .collect();
        let keep = (0..models * records).map(|i| (seed >> (i % 31)) & 1 == 1);
        let names: Vec<String> = (0..records).map(|i| format!("é\"{i}\\")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let shape = [models, records, augmentations];
        let mut arrays = vec![
            ("phi", npy(number, &shape, phi_bytes(number, &values))),
            ("keep", flags(&[models, records], keep)),
        ];
        if named {
            arrays.push(("ids", texts(&names)));
        }
        if labelled {
            arrays.push(("labels", integers(&[records], 0..records as i64)));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        npz(&path, CompressionMethod::Deflated, &arrays);
        let table = read(&path);
        for (format, name) in WRITTEN {
            assert_same(&table, &convert(&table, format, &folder.path().join(name)));
        }
    }

    #[test]
    fn arbitrary_files_never_panic(
        magic in prop::sample::select(vec![
            &b"PK\x03\x04"[..], b"\x93NUMPY", b"PAR1", b"\x20\0\0\0\0\0\0\0{", b"",
        ]),
        bytes in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, [magic, &bytes].concat()).unwrap();
        prop_assert!(shadow::read(&path, None).is_err());
    }
}

fn small(folder: &Path) -> ShadowTable {
    let path = folder.join("a.npz");
    let arrays = [
        (
            "logits",
            floats(&[2, 2, 2], [3., 1., 0., 5., 2., 2., 7., 0.]),
        ),
        ("keep", flags(&[2, 2], [true, false, false, true])),
        ("labels", integers(&[2], [0, 1])),
    ];
    npz(&path, CompressionMethod::Stored, &arrays);
    read(&path)
}

#[test]
fn logits_become_phi() {
    let folder = tempfile::tempdir().unwrap();
    let table = small(folder.path());
    assert_eq!(all_phi(&table), [[[2.0, 5.0]], [[0.0, -7.0]]]);
    for (format, name) in WRITTEN {
        let other = convert(&table, format, &folder.path().join(name));
        assert_eq!(all_phi(&table), all_phi(&other));
        assert_eq!(table.labels, other.labels);
    }
}

#[test]
fn the_same_table_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let table = small(folder.path());
    for (format, name) in [WRITTEN[0], WRITTEN[2], WRITTEN[3]] {
        let path = folder.path().join(name);
        convert(&table, format, &path);
        let first = fs::read(&path).unwrap();
        convert(&table, format, &path);
        assert_eq!(first, fs::read(&path).unwrap(), "{format}");
    }
}

#[test]
fn nothing_is_overwritten_unless_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let table = small(folder.path());
    for (format, name) in WRITTEN {
        let path = folder.path().join(name);
        let write = |overwrite| shadow::write(&table, &path, format, overwrite);
        write(Overwrite::Refuse).unwrap();
        assert_eq!(
            write(Overwrite::Refuse).unwrap_err().kind,
            ErrorKind::Exists
        );
        write(Overwrite::Replace).unwrap();
    }
    let error = shadow::write(&table, Path::new("x"), "lira", Overwrite::Refuse).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("write one of npz, npy, safetensors, parquet")
    );
}

#[test]
fn files_beside_phi_are_found_and_stale_ones_do_not_stay() {
    let folder = tempfile::tempdir().unwrap();
    let labelled = small(folder.path());
    let path: PathBuf = folder.path().join("my_phi.npy");
    shadow::write(&labelled, &path, "npy", Overwrite::Refuse).unwrap();
    assert_eq!(read(&path).sources.len(), 3);
    let bare = ShadowTable {
        labels: None,
        ..labelled
    };
    let refused = shadow::write(
        &bare,
        &folder.path().join("phi.npy"),
        "npy",
        Overwrite::Refuse,
    );
    assert_eq!(refused.unwrap_err().kind, ErrorKind::Exists);
    shadow::write(&bare, &path, "npy", Overwrite::Replace).unwrap();
    assert_eq!(read(&path).labels, None);
}
