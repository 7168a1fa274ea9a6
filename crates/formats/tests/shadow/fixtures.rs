//! Files that numpy, pyarrow and safetensors wrote; `tests/data/make.py` made them.

use std::path::{Path, PathBuf};

use crate::common::{phi, read, refusal};
use formats::shadow::ShadowTable;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn check(table: &ShadowTable, with_ids: bool) {
    assert_eq!((table.models(), table.records()), (3, 5));
    for model in 0..3 {
        for augmentation in 0..table.augmentations() {
            let wanted = (0..5).map(|record| {
                (7.0 * model as f64 - 3.0 * record as f64) / 4.0 + 0.5 * augmentation as f64
            });
            assert_eq!(phi(table, model, augmentation), wanted.collect::<Vec<_>>());
        }
        let row = &table.members[model];
        assert!((0..5).all(|record| row.get(record) == ((model + record) % 2 == 1)));
    }
    assert_eq!(table.labels.as_deref(), Some([0, 1, 2, 0, 1].as_slice()));
    if with_ids {
        let ids = ["r0", "é1", "<b>2", "三", "r4"].map(str::to_owned);
        assert_eq!(table.ids.as_deref(), Some(ids.as_slice()));
    }
}

#[test]
fn numpy_archives() {
    for name in [
        "stored_f32.npz",
        "compressed_f16_fortran.npz",
        "stored_big_endian.npz",
        "zip64.npz",
    ] {
        let table = read(&data(name));
        assert_eq!((table.format, table.augmentations()), ("npz", 1), "{name}");
        check(&table, true);
    }
    let augmented = read(&data("augmented.npz"));
    assert_eq!(augmented.augmentations(), 2);
    check(&augmented, true);
}

#[test]
fn safetensors_files() {
    for name in ["f32.safetensors", "bf16.safetensors"] {
        let table = read(&data(name));
        assert_eq!(table.format, "safetensors", "{name}");
        check(&table, false);
    }
}

#[test]
fn parquet_files() {
    for name in [
        "list_f32.parquet",
        "large_list_f64.parquet",
        "fixed_list_f16.parquet",
    ] {
        let table = read(&data(name));
        assert_eq!(
            (table.format, table.augmentations()),
            ("parquet", 1),
            "{name}"
        );
        check(&table, true);
    }
    let augmented = read(&data("augmented.parquet"));
    assert_eq!(augmented.augmentations(), 2);
    check(&augmented, true);
}

#[test]
fn pickled_objects_are_not_unpickled() {
    let said = refusal(&data("objects.npz"));
    assert!(said.contains("phi: holds pickled Python objects"), "{said}");
}
