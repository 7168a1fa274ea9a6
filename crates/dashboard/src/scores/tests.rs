//! Reading in pieces gives what reading the whole file gives.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use super::search::Found;
use super::*;

const ROWS: usize = 2500;

fn score(row: usize, salt: usize) -> Option<f64> {
    let mixed = (row * 7919 + salt * 104_729) % 1009;
    match mixed {
        0..5 => None,
        5 => Some(f64::INFINITY),
        6 => Some(f64::NEG_INFINITY),
        7 => Some(f64::NAN),
        // Ties in plenty.
        other => Some((other % 200) as f64 / 8.0),
    }
}

fn member(row: usize) -> Option<bool> {
    (row % 11 != 3).then_some(row.is_multiple_of(2))
}

/// A file of several row groups, or of one.
fn write(folder: &Path, group: usize) -> PathBuf {
    let path = folder.join("scores.parquet");
    let ids: StringArray = (0..ROWS).map(|row| Some(format!("r{row}"))).collect();
    let members: BooleanArray = (0..ROWS).map(member).collect();
    let column = |salt| -> ArrayRef {
        let column: Float64Array = (0..ROWS).map(|row| score(row, salt)).collect();
        Arc::new(column)
    };
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("id", Arc::new(ids) as ArrayRef, false),
        ("member", Arc::new(members), true),
        ("lira", column(1), true),
        ("rmia", column(2), true),
    ])
    .unwrap();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(group))
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(50)
        .build();
    let file = File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    path
}

fn naive(row: usize, salts: &[usize]) -> Row {
    Row {
        row,
        id: format!("r{row}"),
        member: member(row),
        scores: salts
            .iter()
            .map(|salt| score(row, *salt).filter(|score| !score.is_nan()))
            .collect(),
    }
}

#[test]
fn pages_are_those_of_a_naive_read() {
    for group in [300, ROWS] {
        let folder = tempfile::tempdir().unwrap();
        let table = Table::open(&write(folder.path(), group)).unwrap();
        assert_eq!(table.rows(), ROWS);
        for range in [0..100, 250..350, 599..601, 2450..2500, 0..2500, 7..7] {
            let expected: Vec<Row> = range.clone().map(|row| naive(row, &[1, 2])).collect();
            assert_eq!(
                table
                    .read(std::slice::from_ref(&range), &["lira", "rmia"])
                    .unwrap(),
                expected
            );
        }
        let scattered = [3..4, 299..300, 300..302, 1777..1778];
        let expected: Vec<Row> = scattered
            .clone()
            .into_iter()
            .flatten()
            .map(|row| naive(row, &[2]))
            .collect();
        assert_eq!(table.read(&scattered, &["rmia"]).unwrap(), expected);
    }
}

#[test]
fn the_most_exposed_are_those_of_a_naive_sort() {
    let folder = tempfile::tempdir().unwrap();
    let table = Table::open(&write(folder.path(), 300)).unwrap();
    let mut expected: Vec<Row> = (0..ROWS)
        .map(|row| naive(row, &[1]))
        .filter(|row| row.scores[0].is_some())
        .collect();
    expected.sort_by(|a, b| {
        let (left, right) = (a.scores[0].unwrap(), b.scores[0].unwrap());
        right.partial_cmp(&left).unwrap().then(a.row.cmp(&b.row))
    });
    for most in [1, 17, 1000, 10_000] {
        let found = top(&table, "lira", most).unwrap();
        assert_eq!(found.scored, expected.len());
        assert_eq!(found.rows, expected[..most.min(expected.len())]);
    }
}

#[test]
fn ids_are_found_whole_or_by_their_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let table = Table::open(&write(folder.path(), 300)).unwrap();
    let rows = |found: Found| found.rows.iter().map(|row| row.row).collect::<Vec<_>>();
    let found = search(&table, "r12", 5, Some("lira")).unwrap();
    assert!(found.cut);
    assert_eq!(rows(found), [12, 120, 121, 122, 123]);
    let found = search(&table, "r2499", 5, None).unwrap();
    assert!(!found.cut);
    assert_eq!(rows(found), [2499]);
    assert_eq!(
        rows(search(&table, "nobody", 5, None).unwrap()),
        [0usize; 0]
    );
}

#[test]
fn a_place_is_the_share_of_other_nonmembers_below() {
    let folder = tempfile::tempdir().unwrap();
    let table = Table::open(&write(folder.path(), 300)).unwrap();
    for row in [0, 1, 3, 777, 2499] {
        let whole = naive(row, &[1, 2]);
        for (found, salt) in places(&table, &whole).unwrap().iter().zip([1, 2]) {
            let own = whole.scores[salt - 1];
            let others: Vec<f64> = (0..ROWS)
                .filter(|other| *other != row && member(*other) == Some(false))
                .filter_map(|other| naive(other, &[salt]).scores[0])
                .collect();
            let expected = own.map(|own| {
                let below = others.iter().filter(|other| **other < own).count();
                (below as f64 / others.len() as f64, others.len() as u64)
            });
            assert_eq!((found.score, found.below), (own, expected));
        }
    }
}

#[test]
fn damaged_files_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), 300);
    let whole = std::fs::read(&path).unwrap();
    for length in [0, 3, 100, whole.len() - 9] {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(Table::open(&path).is_err());
    }
    let mut bent = whole.clone();
    bent[40..400].fill(0xAA);
    std::fs::write(&path, &bent).unwrap();
    let table = Table::open(&path).unwrap();
    assert!(
        table
            .read(std::slice::from_ref(&(0..100)), &["lira", "rmia"])
            .is_err()
    );
    std::fs::write(&path, &whole).unwrap();
    assert!(
        Table::open(&path)
            .unwrap()
            .read(std::slice::from_ref(&(0..9)), &["nobody"])
            .is_err()
    );
}
