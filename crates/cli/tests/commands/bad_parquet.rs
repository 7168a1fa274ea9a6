//! Parquet tables that are not shadow signals.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{ArrayRef, Float64Array, ListArray, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;

use crate::bad_input::{has, refusal};
use crate::common::Desk;

fn phi(rows: usize) -> ArrayRef {
    let row = Some(vec![Some(0.5), Some(1.0)]);
    Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(
        vec![row; rows],
    ))
}

fn keep(rows: usize) -> ArrayRef {
    let row = Some(vec![Some(0), Some(1)]);
    Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(vec![
        row;
        rows
    ]))
}

fn write(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

#[track_caller]
fn says(columns: Vec<(&str, ArrayRef)>, parts: &[&str]) {
    let desk = Desk::new();
    write(&desk.path("signals.parquet"), columns);
    has(&refusal(&desk, "signals.parquet", ""), parts);
}

#[test]
fn missing_columns_are_named_beside_those_that_are_there() {
    says(
        vec![("scores", phi(4)), ("keep", keep(4))],
        &["there is no column phi", "scores, keep"],
    );
    says(vec![("phi", phi(4))], &["there is no column keep"]);
}

#[test]
fn a_column_of_the_wrong_type_is_named() {
    let flat: ArrayRef = Arc::new(Float64Array::from(vec![0.5; 4]));
    says(
        vec![("phi", flat), ("keep", keep(4))],
        &["phi holds Float64 values"],
    );
}

#[test]
fn a_table_without_rows_is_refused() {
    says(
        vec![("phi", phi(0)), ("keep", keep(0))],
        &["there are no rows"],
    );
}

#[test]
fn duplicate_ids_are_refused_here_too() {
    let ids: ArrayRef = Arc::new(StringArray::from(vec!["ada", "bob", "eve", "bob"]));
    says(
        vec![("id", ids), ("phi", phi(4)), ("keep", keep(4))],
        &["\"bob\" names both record 1 and record 3"],
    );
}

#[test]
fn a_table_cut_short_is_refused() {
    let desk = Desk::new();
    let path = desk.path("signals.parquet");
    write(&path, vec![("phi", phi(4)), ("keep", keep(4))]);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    has(
        &refusal(&desk, "signals.parquet", ""),
        &["not a whole Parquet file"],
    );
}
