//! The same columns in every format: what is a score, what is left out, and what is doubted.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use arrow_array::types::{Float64Type, Int8Type};
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int8Array, ListArray,
    NullArray, RecordBatch, StringArray,
};

use super::*;
use crate::left_out::LeftOut;

/// A column of ten rows beside `member` and the score `rank`.
struct Table {
    folder: tempfile::TempDir,
}

impl Table {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn text(&self, name: &str, text: String) -> PrecomputedScores {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        read(&path).unwrap()
    }

    fn csv(&self, cells: &[&str]) -> PrecomputedScores {
        let rows = cells.iter().enumerate();
        let rows = rows.map(|(row, cell)| format!("{};{row}.5;{cell}\n", row % 2));
        self.text(
            "s.csv",
            "member;rank;leak\n".to_owned() + &rows.collect::<String>(),
        )
    }

    fn json_lines(&self, values: &[&str]) -> PrecomputedScores {
        let rows = values.iter().enumerate().map(|(row, value)| {
            let member = row % 2;
            format!("{{\"member\": {member}, \"rank\": {row}.5, \"leak\": {value}}}\n")
        });
        self.text("s.jsonl", rows.collect())
    }

    fn parquet(&self, leak: ArrayRef) -> PrecomputedScores {
        let path = self.folder.path().join("s.parquet");
        write(&path, leak);
        read(&path).unwrap()
    }
}

fn write(path: &Path, leak: ArrayRef) {
    let rows = leak.len();
    let member: BooleanArray = (0..rows).map(|row| Some(row % 2 == 1)).collect();
    let rank: Float64Array = (0..rows).map(|row| Some(row as f64 + 0.5)).collect();
    let columns: [(&str, ArrayRef); 3] = [
        ("member", Arc::new(member)),
        ("rank", Arc::new(rank)),
        ("leak", leak),
    ];
    let columns = columns.map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// The scores of `leak`; that it is one beside `rank`.
fn leak(found: &PrecomputedScores) -> Vec<Option<f64>> {
    assert!(found.others.is_empty(), "{:?}", found.others);
    let named = found.columns.iter().find(|(name, _)| name == "leak");
    named.unwrap().1.iter().collect()
}

/// `leak` as it was left out; that `rank` is a score.
fn left_out(found: &PrecomputedScores) -> &LeftOut {
    assert_eq!(found.columns.len(), 1);
    assert_eq!(found.others[0].name, "leak");
    &found.others[0]
}

fn doubt(found: &PrecomputedScores) -> &str {
    let doubt = left_out(found).doubt.as_ref();
    &doubt.expect("the column is doubted").why
}

#[test]
fn truths_are_numbers_in_every_format() {
    let expected = [Some(1.0), None, Some(0.0)];
    let table = Table::new();
    assert_eq!(leak(&table.csv(&["True", "", "False"])), expected);
    assert_eq!(
        leak(&table.json_lines(&["true", "null", "false"])),
        expected
    );
    let truths = BooleanArray::from(vec![Some(true), None, Some(false)]);
    assert_eq!(leak(&table.parquet(Arc::new(truths))), expected);
}

#[test]
fn numbers_that_are_kept_in_a_dictionary_are_numbers() {
    let keys = Int8Array::from(vec![Some(1), None, Some(0)]);
    let values = Arc::new(Float64Array::from(vec![0.25, 0.5]));
    let column = DictionaryArray::<Int8Type>::try_new(keys, values).unwrap();
    let found = Table::new().parquet(Arc::new(column));
    assert_eq!(leak(&found), [Some(0.5), None, Some(0.25)]);
}

#[test]
fn numbers_that_are_written_as_texts_are_doubted_in_every_format() {
    let table = Table::new();
    let found = table.csv(&["0,53", "", "0,54"]);
    let why =
        "holds numbers as texts: line 2 is \"0,53\", which has a comma where a number has a point";
    assert_eq!(doubt(&found), why);
    let found = table.csv(&["n/a", "12.30%", "13.1%"]);
    assert_eq!(
        doubt(&found),
        "holds numbers as texts: line 3 is \"12.30%\""
    );
    let found = table.json_lines(&["null", "\"1.23\"", "\"-1.5\""]);
    assert_eq!(doubt(&found), "holds numbers as texts: line 2 is \"1.23\"");
    let why = "holds numbers as texts: row 1 is \"1.23\"";
    let texts = StringArray::from(vec![None, Some("1.23")]);
    assert_eq!(doubt(&table.parquet(Arc::new(texts))), why);
    let category: DictionaryArray<Int8Type> = [None, Some("1.23")].into_iter().collect();
    assert_eq!(doubt(&table.parquet(Arc::new(category))), why);
}

#[test]
fn lists_of_numbers_are_doubted() {
    let table = Table::new();
    assert_eq!(
        doubt(&table.json_lines(&["[0.5]", "[0.7]"])),
        "holds lists of numbers"
    );
    let found = table.json_lines(&["{\"a\": 1}", "{\"a\": 2}"]);
    assert_eq!(doubt(&found), "holds objects of numbers");
    let rows = [0.5, 0.7].map(|score| Some(vec![Some(score)]));
    let lists = ListArray::from_iter_primitive::<Float64Type, _, _>(rows);
    assert!(doubt(&table.parquet(Arc::new(lists))).starts_with("holds List"));
}

#[test]
fn texts_and_dates_are_left_out_without_a_doubt() {
    let table = Table::new();
    let plain = |found: &PrecomputedScores| left_out(found).doubt.is_none();
    assert!(plain(&table.csv(&["train", "test", "7a"])));
    assert!(plain(&table.json_lines(&["\"a\"", "\"b\"", "\"7\""])));
    assert!(plain(&table.json_lines(&["[\"a\"]", "[]"])));
    assert!(plain(
        &table.parquet(Arc::new(StringArray::from(vec!["a", "b"])))
    ));
    assert!(plain(
        &table.parquet(Arc::new(Date32Array::from(vec![1, 2])))
    ));
}

fn folder_of(parts: [(&str, ArrayRef); 2]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("table");
    for (name, leak) in parts {
        write(&table.join(name), leak);
    }
    (folder, table)
}

#[test]
fn a_file_that_has_nothing_in_a_column_has_no_scores_there() {
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    let nothing: ArrayRef = Arc::new(NullArray::new(3));
    let orders = [["a.parquet", "b.parquet"], ["b.parquet", "a.parquet"]];
    for [first, second] in orders {
        let parts = [(first, numbers.clone()), (second, nothing.clone())];
        let (_folder, table) = folder_of(parts);
        let found = leak(&read(&table).unwrap());
        let of_numbers = if first == "a.parquet" { 0 } else { 3 };
        assert_eq!(found.len(), 5);
        assert_eq!(found[of_numbers..of_numbers + 2], [Some(1.0), Some(2.0)]);
        assert_eq!(found.iter().flatten().count(), 2);
    }
}

#[test]
fn a_folder_may_not_contradict_its_files() {
    let leak: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    let (_folder, table) = folder_of([
        ("member=false/a.parquet", leak.clone()),
        ("member=true/a.parquet", leak),
    ]);
    let error = read(&table).unwrap_err().to_string();
    let words = "column member, row 1 is true, but its folder says member=false";
    assert!(error.contains(words), "{error}");
}

#[test]
fn folders_are_names_though_they_look_like_numbers() {
    let leak: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    let (_folder, table) = folder_of([
        ("year=2024/a.parquet", leak.clone()),
        ("year=2025/a.parquet", leak),
    ]);
    let others = read(&table).unwrap().others;
    assert_eq!(
        (others[0].name.as_str(), others[0].holds.as_str()),
        ("year", "names of folders")
    );
    assert!(others[0].doubt.is_none());
}

#[test]
fn tables_with_a_log_of_their_files_are_refused() {
    let leak: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    for (log, file, words) in [
        ("_delta_log", "00000.json", "Delta Lake"),
        (".hoodie", "hoodie.properties", "Apache Hudi"),
        ("metadata", "v1.metadata.json", "Apache Iceberg"),
    ] {
        let parts = [
            ("day=1/a.parquet", leak.clone()),
            ("day=2/a.parquet", leak.clone()),
        ];
        let (_folder, table) = folder_of(parts);
        assert!(read(&table).is_ok());
        fs::create_dir(table.join(log)).unwrap();
        fs::write(table.join(log).join(file), "{}").unwrap();
        for path in [table.clone(), table.join("day=1")] {
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains(&format!("is a table of {words}")), "{error}");
        }
    }
    // Any other folder of that name is nobody's log.
    let (_folder, table) = folder_of([("a.parquet", leak.clone()), ("b.parquet", leak)]);
    fs::create_dir(table.join("metadata")).unwrap();
    assert!(read(&table).is_ok());
}

#[test]
fn what_was_judged_besides_records_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scores.parquet");
    let scores: attacks::scores::Scores = [Ok(0.5), Ok(0.7)].into_iter().collect();
    let levels = Levels {
        persons: Some("patient".into()),
        slices: vec!["ward".into()],
        violated: Vec::new(),
    };
    let write = |levels: &Levels| {
        let table = ScoreTable {
            records: 2,
            ids: None,
            member: &|record| Some(record == 0),
            columns: &[("mine".to_owned(), &scores)],
            levels: levels.clone(),
        };
        write_scores(&path, &table).unwrap();
    };
    write(&levels);
    assert_eq!(read(&path).unwrap().levels, Some(levels));
    write(&Levels::default());
    assert_eq!(read(&path).unwrap().levels, None);
}
