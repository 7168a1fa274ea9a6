//! Folders of Parquet as Spark, Ray and `datasets` write them, beside the same rows in one file.

use std::fs;

use arrow_array::cast::AsArray;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int32Array, NullArray, RecordBatch, StringArray,
};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use super::*;

fn table(rows: std::ops::Range<usize>) -> RecordBatch {
    let ids: StringArray = rows.clone().map(|row| Some(format!("r{row}"))).collect();
    let members: BooleanArray = rows
        .clone()
        .map(|row| (row % 3 != 0).then_some(row % 2 == 0))
        .collect();
    let scores: Float64Array = rows
        .map(|row| (row % 5 != 0).then_some(row as f64))
        .collect();
    batch(&[
        ("id", Arc::new(ids)),
        ("member", Arc::new(members)),
        ("loss", Arc::new(scores)),
    ])
}

fn batch(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    let columns = columns
        .iter()
        .map(|(name, column)| (*name, column.clone(), true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn write(path: &Path, batch: &RecordBatch, rows_per_group: usize) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(rows_per_group))
        .build();
    let file = fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// Every cell as text, in the order in which it comes.
fn cells(path: &Path, rows_per_batch: usize) -> Vec<String> {
    let parts = Parts::open(path).unwrap();
    let rows = parts.rows();
    let mut cells = Vec::new();
    for batch in parts.read(|_| true, rows_per_batch) {
        let columns = batch.unwrap().columns;
        for row in 0..columns.num_rows() {
            let shown = columns.columns().iter().map(|column| {
                let text = crate::convert::convert(
                    column,
                    &DataType::Utf8,
                    crate::convert::Misfits::AreRefused,
                );
                let text = text.unwrap();
                let text = text.as_string::<i32>().iter().nth(row).unwrap();
                text.unwrap_or("-").to_owned()
            });
            cells.push(shown.collect::<Vec<_>>().join(" "));
        }
    }
    assert_eq!(cells.len(), rows);
    cells
}

#[test]
fn a_folder_reads_as_the_file_that_has_all_rows() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.parquet");
    write(&whole, &table(0..23), 1024);
    let expected = cells(&whole, 1024);
    // One row per file, an empty file among them, tiny row groups, and what Spark leaves beside.
    let parts = folder.path().join("parts");
    for (place, rows) in [0..1, 1..2, 2..2, 2..9, 9..23].into_iter().enumerate() {
        write(
            &parts.join(format!("part-{place:05}-5f.c000.snappy.parquet")),
            &table(rows),
            2,
        );
    }
    for name in [
        "_SUCCESS",
        ".part-00000.crc",
        "_metadata.parquet",
        "notes.json",
    ] {
        fs::write(parts.join(name), "").unwrap();
    }
    assert!(is_folder(&parts) && is_parquet(&parts));
    for rows_per_batch in [1, 3, 4096] {
        assert_eq!(cells(&parts, rows_per_batch), expected);
        assert_eq!(cells(&whole, rows_per_batch), expected);
    }
    assert_eq!(files_of(&parts).unwrap().len(), 5);
    assert_eq!(files_of(&whole).unwrap(), [whole]);
}

#[test]
fn folders_stand_for_columns() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let ids = |ids: &[&str]| {
        let ids: StringArray = ids.iter().map(Some).collect();
        batch(&[("id", Arc::new(ids))])
    };
    write(
        &root.join("member=false/day=10%3A30/b.parquet"),
        &ids(&["b", "c"]),
        1,
    );
    write(
        &root.join("member=true/day=__HIVE_DEFAULT_PARTITION__/a.parquet"),
        &ids(&["a"]),
        1,
    );
    write(
        &root.join("_temp/member=true/day=x/z.parquet"),
        &ids(&["z"]),
        1,
    );
    assert_eq!(
        cells(root, 10),
        ["b false 10:30", "c false 10:30", "a true -"]
    );
    let mut batches = Parts::open(root)
        .unwrap()
        .read(|field| field.name() == "member", 10);
    let first = batches.next().unwrap().unwrap();
    assert_eq!(first.columns.column(0).data_type(), &DataType::Boolean);
    write(&root.join("member=maybe/day=x/q.parquet"), &ids(&["q"]), 1);
    let error = Parts::open(root).err().unwrap().to_string();
    assert!(error.contains("its folder says member=maybe"), "{error}");
}

#[test]
fn parts_that_disagree_are_named_with_their_column() {
    let refused = |first: &[(&str, ArrayRef)], second: &[(&str, ArrayRef)]| {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("a.parquet"), &batch(first), 10);
        write(&folder.path().join("b.parquet"), &batch(second), 10);
        Parts::open(folder.path())
            .err()
            .map(|error| error.to_string())
    };
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
    let whole: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let none: ArrayRef = Arc::new(NullArray::new(1));
    let error = refused(&[("x", numbers.clone())], &[("x", whole.clone())]).unwrap();
    assert!(
        error.contains("b.parquet: column x is of type Int32") && error.contains("a.parquet"),
        "{error}"
    );
    let both = [("x", numbers.clone()), ("y", whole.clone())];
    let error = refused(&both, &both[..1]).unwrap();
    assert!(error.contains("b.parquet: has no column y"), "{error}");
    let error = refused(&both[..1], &both).unwrap();
    assert!(error.contains("b.parquet: has a column y"), "{error}");
    // Another order is the same table, and a column of nothing is of any type.
    let turned = [both[1].clone(), both[0].clone()];
    assert_eq!(refused(&both, &turned), None);
    assert_eq!(
        refused(&both, &[("x", none.clone()), both[1].clone()]),
        None
    );
    assert_eq!(refused(&[("x", none)], &[("x", numbers)]), None);
}

#[test]
fn columns_of_another_order_come_in_the_first_ones() {
    let folder = tempfile::tempdir().unwrap();
    let numbers = |value: f64| -> ArrayRef { Arc::new(Float64Array::from(vec![value])) };
    write(
        &folder.path().join("a.parquet"),
        &batch(&[("x", numbers(1.0)), ("y", numbers(2.0))]),
        10,
    );
    write(
        &folder.path().join("b.parquet"),
        &batch(&[("y", numbers(4.0)), ("x", numbers(3.0))]),
        10,
    );
    assert_eq!(cells(folder.path(), 10), ["1.0 2.0", "3.0 4.0"]);
}

#[test]
fn what_is_not_whole_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(&root.join("a.parquet"), &table(0..5), 2);
    fs::write(root.join("b.parquet"), "").unwrap();
    let refused = || Parts::open(root).err().unwrap().to_string();
    assert!(
        refused().contains("b.parquet: is not a whole Parquet file"),
        "{}",
        refused()
    );
    let bytes = fs::read(root.join("a.parquet")).unwrap();
    fs::write(root.join("b.parquet"), &bytes[..bytes.len() / 2]).unwrap();
    assert!(refused().contains("b.parquet: is not a whole Parquet file"));
    fs::remove_file(root.join("b.parquet")).unwrap();
    fs::create_dir(root.join("_temporary")).unwrap();
    assert!(refused().contains("holds a folder _temporary"));
    let empty = tempfile::tempdir().unwrap();
    assert!(!is_folder(empty.path()));
    let error = Parts::open(empty.path()).err().unwrap().to_string();
    assert!(error.contains("no .parquet file"), "{error}");
    assert!(Parts::open(&root.join("nowhere")).is_err());
}

#[test]
fn rows_that_would_be_left_out_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(&root.join("a.parquet"), &table(0..5), 2);
    fs::create_dir_all(root.join("plain")).unwrap();
    for harmless in ["_SUCCESS", ".a.parquet.crc", "report.json", "README.md"] {
        fs::write(root.join(harmless), "x").unwrap();
    }
    assert!(Parts::open(root).is_ok());
    for other in ["b.csv", "b.csv.gz", "b.parquet.gz", "b.ARROW"] {
        fs::write(root.join(other), "x").unwrap();
        let refused = Parts::open(root).err().unwrap().to_string();
        assert!(refused.contains(other), "{refused}");
        fs::remove_file(root.join(other)).unwrap();
    }
    write(&root.join("plain/b.parquet"), &table(0..5), 2);
    let refused = Parts::open(root).err().unwrap().to_string();
    assert!(refused.contains("\"plain\""), "{refused}");
}

/// A page that is damaged is found while it is read, in the part that it is in.
#[test]
fn a_damaged_page_is_named_by_its_part() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("a.parquet"), &table(0..50), 10);
    let path = folder.path().join("b.parquet");
    write(&path, &table(0..50), 10);
    let mut bytes = fs::read(&path).unwrap();
    bytes[4..200].fill(0xff);
    fs::write(&path, bytes).unwrap();
    let parts = Parts::open(folder.path()).unwrap();
    let error = parts.read(|_| true, 100).find_map(Result::err).unwrap();
    assert!(error.to_string().contains("b.parquet"), "{error}");
}

#[test]
fn indices_of_pandas_are_known_by_their_names() {
    assert!(is_index("__index_level_0__") && is_index("__index_level_12__"));
    let others = [
        "index",
        "__index_level___",
        "__index_level_a__",
        "__index_level_0",
    ];
    assert!(!others.into_iter().any(is_index));
}
