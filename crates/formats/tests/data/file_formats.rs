//! The same table through every format, and what only Parquet has.

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    BooleanArray, DictionaryArray, Float32Array, Float64Array, Int64Array, ListArray, StringArray,
    UInt64Array,
};
use formats::data::{self, ColumnKind, Records, Wanted};
use parquet::basic::Compression;
use zip::CompressionMethod;

use crate::common::{floats, integers, npz};
use crate::helpers::{column, compressed, csv, file, has, note, parquet};

const X: [[f32; 2]; 4] = [[1.0, 0.25], [2.0, -8.0], [4.0, 3.5], [4.0, 1e6]];
const Y: [i64; 4] = [3, 12, 3, 12];

fn same(a: &Records, b: &Records) {
    assert_eq!(a.features, b.features);
    assert_eq!(a.labels, b.labels);
    assert_eq!(a.classes, b.classes);
}

#[test]
fn the_same_table_reads_the_same_from_every_format() {
    let lines = X.iter().zip(Y).map(|([a, b], y)| format!("{a},{b},{y}\n"));
    let wanted = Wanted::label("y");
    let text = csv(&format!("a,b,y\n{}", lines.collect::<String>()), &wanted);
    let fixture = file("data", "");
    let columns = vec![
        (
            "a",
            column(Float32Array::from_iter_values(X.map(|row| row[0]))),
        ),
        (
            "b",
            column(Float64Array::from_iter_values(X.map(|row| row[1].into()))),
        ),
        ("y", column(Int64Array::from_iter_values(Y))),
    ];
    parquet(&fixture.path, columns);
    same(&text, &data::read(&fixture.path, &wanted).unwrap());
    let arrays = [
        ("x", floats(&[4, 2], X.into_iter().flatten())),
        ("y", integers(&[4], Y)),
    ];
    npz(&fixture.path, CompressionMethod::Deflated, &arrays);
    same(&text, &data::read(&fixture.path, &wanted).unwrap());
}

#[test]
fn an_index_that_pandas_saved_is_no_feature() {
    let fixture = file("data", "");
    let columns = || {
        let x = column(Float64Array::from_iter_values(X.map(|row| row[1].into())));
        vec![("x", x), ("y", column(Int64Array::from_iter_values(Y)))]
    };
    let wanted = Wanted::label("y");
    parquet(&fixture.path, columns());
    let bare = data::read(&fixture.path, &wanted).unwrap();
    let mut indexed = columns();
    indexed.push((
        "__index_level_0__",
        column(Int64Array::from_iter_values(0..4)),
    ));
    parquet(&fixture.path, indexed);
    let read = data::read(&fixture.path, &wanted).unwrap();
    same(&bare, &read);
    assert_eq!(note(&read, "__index_level_0__").kind, ColumnKind::Ignored);
}

#[test]
fn a_folder_of_parquet_is_read_as_the_file_that_has_all_rows() {
    let (folder, fixture) = (tempfile::tempdir().unwrap(), file("data", ""));
    let columns = |rows: std::ops::Range<usize>| {
        let (first, count) = (rows.start, rows.len());
        let x = X.into_iter().skip(first).take(count).map(|row| row[1]);
        let y = Y.into_iter().skip(first).take(count);
        vec![
            ("x", column(Float32Array::from_iter_values(x))),
            ("y", column(Int64Array::from_iter_values(y))),
        ]
    };
    let wanted = Wanted::label("y");
    parquet(&fixture.path, columns(0..4));
    let parts = ["a.parquet", "b.parquet"].map(|name| folder.path().join(name));
    parquet(&parts[0], columns(0..1));
    parquet(&parts[1], columns(1..4));
    let read = data::read(folder.path(), &wanted).unwrap();
    same(&data::read(&fixture.path, &wanted).unwrap(), &read);
    assert_eq!(read.sources, parts);
}

#[test]
fn categories_read_the_same_from_text_and_parquet() {
    let wanted = Wanted::label("y");
    let text = csv("t,f,n,y\nu,true,1,a\n,false,,b\nv,true,3,a\n", &wanted);
    let words: DictionaryArray<Int8Type> = [Some("u"), None, Some("v")].into_iter().collect();
    let fixture = file("data", "");
    let columns = vec![
        ("t", column(words)),
        ("f", column(BooleanArray::from(vec![true, false, true]))),
        ("n", column(Int64Array::from(vec![Some(1), None, Some(3)]))),
        ("y", column(StringArray::from(vec!["a", "b", "a"]))),
    ];
    parquet(&fixture.path, columns);
    let table = data::read(&fixture.path, &wanted).unwrap();
    same(&text, &table);
    assert_eq!(table.columns, text.columns);
    assert_eq!(table.groups, text.groups);
    assert_eq!(data::columns(&fixture.path).unwrap(), ["t", "f", "n", "y"]);
}

#[test]
fn parquet_names_its_rows_and_keeps_large_ids() {
    let fixture = file("data.parquet", "");
    let columns = |x: f64| {
        vec![
            (
                "id",
                column(UInt64Array::from(vec![u64::MAX, u64::MAX - 1])),
            ),
            ("x", column(Float64Array::from(vec![1.0, x]))),
            ("y", column(Float64Array::from(vec![0.0, 1.0]))),
        ]
    };
    let wanted = Wanted {
        id: Some("id".to_owned()),
        ..Wanted::label("y")
    };
    parquet(&fixture.path, columns(2.0));
    let records = data::read(&fixture.path, &wanted).unwrap();
    assert_eq!(records.ids.unwrap()[0], u64::MAX.to_string());
    assert_eq!(records.classes, ["0", "1"]);
    parquet(&fixture.path, columns(f64::INFINITY));
    let said = data::read(&fixture.path, &wanted).unwrap_err().to_string();
    has(&said, &["column x, row 1: inf is not a finite number"]);
    let said = data::read(&fixture.path, &Wanted::label("z")).unwrap_err();
    has(&said.to_string(), &["there is no column z", "id, x, y"]);
}

#[test]
fn columns_that_are_no_features_are_left_out() {
    let fixture = file("data.parquet", "");
    let lists = [Some(vec![Some(1)]), Some(vec![Some(2), Some(3)])];
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(lists);
    let columns = vec![
        ("l", column(lists)),
        ("x", column(Float64Array::from(vec![1.0, 2.0]))),
        ("y", column(StringArray::from(vec!["a", "b"]))),
    ];
    parquet(&fixture.path, columns);
    let records = data::read(&fixture.path, &Wanted::label("y")).unwrap();
    assert_eq!(records.width, 1);
    assert_eq!(note(&records, "l").kind, ColumnKind::Ignored);
    has(
        &records.notes.join("; "),
        &["column l: it is left out: it holds List"],
    );
    let said = data::read(&fixture.path, &Wanted::label("l")).unwrap_err();
    has(
        &said.to_string(),
        &["column l: holds List", "numbers, booleans or text"],
    );
}

#[test]
fn parquet_reads_the_same_under_every_compression() {
    let columns = || {
        let large = (0..40).map(|n| (1i64 << 60) + n % 2);
        vec![
            (
                "x",
                column(Float64Array::from_iter_values(
                    (0..40).map(|n| f64::from(n % 7)),
                )),
            ),
            ("branch", column(Int64Array::from_iter_values(large))),
            (
                "y",
                column(Int64Array::from_iter_values((0..40).map(|n| n % 2))),
            ),
        ]
    };
    let fixture = file("data.parquet", "");
    parquet(&fixture.path, columns());
    let plain = data::read(&fixture.path, &Wanted::label("y")).unwrap();
    assert_eq!(
        note(&plain, "branch").kind,
        ColumnKind::Category { values: 2 }
    );
    for compression in [
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::BROTLI(Default::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(Default::default()),
    ] {
        compressed(&fixture.path, columns(), compression);
        same(
            &plain,
            &data::read(&fixture.path, &Wanted::label("y")).unwrap(),
        );
    }
    compressed(
        &fixture.path,
        columns(),
        Compression::GZIP(Default::default()),
    );
    let said = data::check_label(&fixture.path, "z").unwrap_err();
    has(&said.to_string(), &["no column z", "x, branch, y"]);
}

#[test]
fn a_parquet_file_cut_anywhere_is_refused() {
    let fixture = file("data.parquet", "");
    let columns = vec![
        ("x", column(Float64Array::from(vec![1.0, 2.0]))),
        ("y", column(StringArray::from(vec!["a", "b"]))),
    ];
    parquet(&fixture.path, columns);
    let whole = std::fs::read(&fixture.path).unwrap();
    for length in (4..whole.len()).step_by(7) {
        std::fs::write(&fixture.path, &whole[..length]).unwrap();
        assert!(data::read(&fixture.path, &Wanted::label("y")).is_err());
    }
}
