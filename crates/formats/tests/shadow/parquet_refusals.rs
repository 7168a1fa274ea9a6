//! Parquet tables that cannot be, and Parquet and safetensors files that are not whole.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{ArrayRef, Float64Array, Int64Array, ListArray, RecordBatch, StringArray};
use formats::shadow::{self, Overwrite};
use parquet::arrow::ArrowWriter;

use crate::common::refusal;

type Row<T> = Option<Vec<Option<T>>>;

fn phi(rows: Vec<Row<f64>>) -> ArrayRef {
    Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(rows))
}

fn keep(rows: Vec<Row<i32>>) -> ArrayRef {
    Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(rows))
}

fn sound_phi() -> ArrayRef {
    phi(vec![Some(vec![Some(0.5), Some(1.0)]); 3])
}

fn sound_keep() -> ArrayRef {
    keep(vec![Some(vec![Some(0), Some(1)]); 3])
}

fn write(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

#[track_caller]
fn says(columns: Vec<(&str, ArrayRef)>, wanted: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    write(&path, columns);
    let said = refusal(&path);
    assert!(said.contains("a.parquet: "), "{said}");
    assert!(said.contains(wanted), "{wanted:?} is not in: {said}");
}

#[test]
fn lists_of_uneven_length_name_their_row() {
    let mut rows = vec![Some(vec![Some(0.5), Some(1.0)]); 3];
    rows[2] = Some(vec![Some(0.5)]);
    says(
        vec![("phi", phi(rows)), ("keep", sound_keep())],
        "phi, row 2 has 1 models, others 2",
    );
    let rows = keep(vec![Some(vec![Some(0), Some(1), Some(1)]); 3]);
    says(
        vec![("phi", sound_phi()), ("keep", rows)],
        "keep, row 0 has 3 models, others 2",
    );
}

#[test]
fn nulls_name_their_row() {
    let mut rows = vec![Some(vec![Some(0.5), Some(1.0)]); 3];
    rows[1] = None;
    says(
        vec![("phi", phi(rows)), ("keep", sound_keep())],
        "phi, row 1 is null",
    );
    let mut rows = vec![Some(vec![Some(0), Some(1)]); 3];
    rows[2] = Some(vec![Some(0), None]);
    says(
        vec![("phi", sound_phi()), ("keep", keep(rows))],
        "keep, row 2 is null or holds a null",
    );
    let ids: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("c")]));
    says(
        vec![("phi", sound_phi()), ("keep", sound_keep()), ("id", ids)],
        "id, row 1 is null",
    );
}

#[test]
fn values_and_columns_that_are_not_wanted() {
    let mut rows = vec![Some(vec![Some(0), Some(1)]); 3];
    rows[1] = Some(vec![Some(0), Some(2)]);
    says(
        vec![("phi", sound_phi()), ("keep", keep(rows))],
        "keep of model 1, record 1 is 2",
    );
    let rows = phi(vec![Some(vec![Some(0.5), Some(f64::NAN)]); 3]);
    says(
        vec![("phi", rows), ("keep", sound_keep())],
        "phi of model 1, record 0 is NaN",
    );
    says(
        vec![("scores", sound_phi()), ("keep", sound_keep())],
        "there is no column phi; the columns are: scores, keep",
    );
    let flat: ArrayRef = Arc::new(Float64Array::from(vec![0.5; 3]));
    says(
        vec![("phi", flat), ("keep", sound_keep())],
        "phi holds Float64 values",
    );
    says(
        vec![("phi", sound_keep()), ("keep", sound_keep())],
        "phi holds Int32 values",
    );
    let labels: ArrayRef = Arc::new(Int64Array::from(vec![0, -4, 1]));
    says(
        vec![
            ("phi", sound_phi()),
            ("keep", sound_keep()),
            ("label", labels),
        ],
        "label, row 1 is -4",
    );
    says(
        vec![("phi", phi(vec![])), ("keep", keep(vec![]))],
        "there are no rows",
    );
    let none: Vec<Row<f64>> = vec![Some(vec![]); 3];
    let nobody: Vec<Row<i32>> = vec![Some(vec![]); 3];
    says(
        vec![("phi", phi(none)), ("keep", keep(nobody))],
        "phi is empty",
    );
}

#[test]
fn files_cut_at_any_length_are_errors_and_changed_ones_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("a.parquet");
    write(&whole, vec![("phi", sound_phi()), ("keep", sound_keep())]);
    let table = shadow::read(&whole, None).unwrap();
    let tensors = folder.path().join("a.safetensors");
    shadow::write(&table, &tensors, "safetensors", Overwrite::Refuse).unwrap();
    for path in [whole, tensors] {
        let bytes = fs::read(&path).unwrap();
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            assert!(shadow::read(&path, None).is_err(), "{length}");
        }
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 0x02;
            fs::write(&path, &changed).unwrap();
            let _ = shadow::read(&path, None);
        }
    }
}
