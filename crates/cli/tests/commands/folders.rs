//! One table in many Parquet files, as Spark, Ray and `datasets` write it: judged as one file is.

use std::fs::{self, File};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, ListBuilder};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use arrow_select::concat::concat_batches;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};

use crate::common::Desk;
use crate::signals::Signals;

/// A table, whole.
fn read(path: &Path) -> RecordBatch {
    let file = File::open(path).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .unwrap()
        .build()
        .unwrap();
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    concat_batches(&schema, &batches).unwrap()
}

fn write(path: &Path, table: &RecordBatch, rows_per_group: usize) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let properties = WriterProperties::builder();
    let properties = properties
        .set_max_row_group_row_count(Some(rows_per_group))
        .build();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, table.schema(), Some(properties)).unwrap();
    writer.write(table).unwrap();
    writer.close().unwrap();
}

/// Cuts a table as Spark might have: one row in some files, none in one, tiny row groups.
fn cut(table: &RecordBatch, folder: &Path) {
    let rows = table.num_rows();
    let cuts: [Range<usize>; 5] = [0..1, 1..1, 1..2, 2..rows / 2, rows / 2..rows];
    for (place, part) in cuts.into_iter().enumerate() {
        let name = format!("part-{place:05}-c000.snappy.parquet");
        write(&folder.join(name), &table.slice(part.start, part.len()), 3);
    }
    fs::write(folder.join("_SUCCESS"), "").unwrap();
}

/// What does not depend on how the rows lie.
fn judged(desk: &Desk, out: &str) -> Value {
    let report = desk.json(format!("{out}/report.json"));
    assert!(report["verdict"]["outcome"].is_string());
    json!({
        "verdict": report["verdict"], "attacks": report["attacks"], "guardrails": report["guardrails"],
        "notes": report["notes"], "detail": report["detail"],
    })
}

/// The same verdict, measures and scores, to the last byte.
#[track_caller]
fn same(desk: &Desk, one: &str, other: &str) {
    assert_eq!(judged(desk, one), judged(desk, other));
    let scores = |out: &str| desk.bytes(format!("{out}/scores.parquet"));
    assert!(scores(one) == scores(other), "scores.parquet differs");
}

/// Texts with and without members, words, ranks and a reference; some have gaps.
fn tokens() -> String {
    let text = |place: u32| {
        let gain = if place.is_multiple_of(2) { 0.3 } else { 0.0 };
        let list = |of: &dyn Fn(u32) -> f64| {
            let numbers = (1..30 + place % 20).map(|token| json!(of(token)));
            std::iter::once(Value::Null)
                .chain(numbers)
                .collect::<Vec<_>>()
        };
        let noise = |token: u32| f64::from((place * 131 + token * 37) % 97) / 40.0;
        let words: Vec<String> = (0..30)
            .map(|n| format!("w{}", (place * 7 + n * n) % 400))
            .collect();
        let member = (!place.is_multiple_of(11)).then_some(place.is_multiple_of(2));
        let rank = (1..30 + place % 20).map(|token| json!(1 + (place + token) % 9));
        let rank: Vec<Value> = std::iter::once(Value::Null).chain(rank).collect();
        let row = json!({
            "id": format!("text {place}"), "member": member, "text": words.join(" "),
            "logprob": list(&|token| -3.0 + gain - noise(token)),
            "ref_logprob": list(&|token| -3.0 - noise(token + 1)),
            "rank": (!place.is_multiple_of(7)).then_some(rank),
            "mean": list(&|token| -4.0 - noise(token)), "variance": list(&|token| 1.0 + noise(token)),
        });
        format!("{row}\n")
    };
    (0..400).map(text).collect()
}

/// The same rows as a table.
fn columns(lines: &str) -> RecordBatch {
    let rows: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let words = |name: &str| -> ArrayRef {
        let words: StringArray = rows.iter().map(|row| row[name].as_str()).collect();
        Arc::new(words)
    };
    let members: BooleanArray = rows.iter().map(|row| row["member"].as_bool()).collect();
    let list = |name: &str| -> ArrayRef {
        let mut lists = ListBuilder::new(Float64Builder::new());
        for row in &rows {
            match row[name].as_array() {
                Some(list) => lists.append_value(list.iter().map(Value::as_f64)),
                None => lists.append_null(),
            }
        }
        Arc::new(lists.finish())
    };
    let mut columns = vec![
        ("id", words("id")),
        ("member", Arc::new(members) as ArrayRef),
    ];
    columns.push(("text", words("text")));
    columns.extend(
        ["logprob", "ref_logprob", "rank", "mean", "variance"].map(|name| (name, list(name))),
    );
    let columns = columns
        .into_iter()
        .map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

#[test]
fn scores_in_a_folder_are_judged_as_in_a_file() {
    let desk = Desk::new();
    let mut text = "id,member,loss,lira\n".to_owned();
    for n in 0..300u32 {
        let member = if n % 13 == 0 {
            String::new()
        } else {
            (n % 2 == 0).to_string()
        };
        let loss = if n % 17 == 0 {
            String::new()
        } else {
            ((n * 37) % 61).to_string()
        };
        text += &format!("person-{n},{member},{loss},{}.5\n", (n * 53) % 97 + n % 2);
    }
    fs::write(desk.path("s.csv"), text).unwrap();
    desk.guestlist("audit s.csv --kind scores --out csv --quiet");
    // Our own scores, which are Parquet, are cut and judged again.
    let table = read(&desk.path("csv/scores.parquet"));
    write(&desk.path("one.parquet"), &table, 1000);
    cut(&table, &desk.path("many"));
    desk.guestlist("audit one.parquet --kind scores --out one --quiet");
    // Also without being told what it is.
    desk.guestlist("audit many --out many-out --quiet");
    same(&desk, "one", "many-out");
    same(&desk, "csv", "one");
    let inputs = desk.json("many-out/report.json")["provenance"]["inputs"].clone();
    assert_eq!(inputs.as_array().unwrap().len(), 5);
    assert_eq!(inputs[0]["path"], "many/part-00000-c000.snappy.parquet");
    assert_eq!(inputs[0]["sha256"].as_str().unwrap().len(), 64);
}

/// A partition is something to slice by, and the folder is what was audited.
#[test]
fn partitions_are_sliced_by_and_reports_name_the_folder() {
    let desk = Desk::new();
    for (day, shift) in [("mon", 0u32), ("tue", 1)] {
        let rows = 0..200u32;
        let ids: StringArray = rows.clone().map(|n| Some(format!("{day}-{n}"))).collect();
        let members: BooleanArray = rows.clone().map(|n| Some(n % 2 == 0)).collect();
        let losses = rows.map(|n| f64::from((n * 37 + shift) % 61));
        let columns: [(&str, ArrayRef); 3] = [
            ("id", Arc::new(ids)),
            ("member", Arc::new(members)),
            ("loss", Arc::new(Float64Array::from_iter_values(losses))),
        ];
        let table = RecordBatch::try_from_iter(columns).unwrap();
        write(&desk.path(format!("hive/day={day}/p.parquet")), &table, 100);
    }
    let said = desk.guestlist(
        "audit hive --kind scores --slice day --show-records --markdown --out out --quiet",
    );
    assert_ne!(said.code, Some(2), "{}", said.stderr);
    let report = desk.json("out/report.json");
    let inputs = &report["provenance"]["inputs"];
    assert_eq!(inputs[0]["path"], "hive/day=mon/p.parquet");
    assert_eq!(inputs[1]["folder"], "hive");
    let diagnostics = report["diagnostics"].to_string();
    assert!(diagnostics.contains("mon") && diagnostics.contains("tue"));
    let markdown = String::from_utf8(desk.bytes("out/report.md")).unwrap();
    let first = markdown
        .lines()
        .find(|line| line.contains("Audit of scores"));
    let first = first.unwrap();
    assert!(
        first.contains("elsewhere: hive") && !first.contains("day"),
        "{first}"
    );
}

#[test]
fn texts_in_a_folder_are_judged_as_in_a_file() {
    let desk = Desk::new();
    fs::write(desk.path("t.jsonl"), tokens()).unwrap();
    desk.guestlist("audit t.jsonl --out lines --quiet");
    let columns = columns(&tokens());
    write(&desk.path("one.parquet"), &columns, 1000);
    cut(&columns, &desk.path("many"));
    desk.guestlist("audit one.parquet --out one --quiet");
    desk.guestlist("audit many --out many-out --quiet");
    same(&desk, "one", "many-out");
    same(&desk, "lines", "many-out");
    let sliced = |input: &str| {
        let out = format!("sliced-{input}");
        desk.guestlist(&format!("audit {input} --slice length --out {out} --quiet"));
        desk.json(format!("{out}/report.json"))["diagnostics"].clone()
    };
    assert_eq!(sliced("one.parquet"), sliced("many"));
}

#[test]
fn shadow_signals_in_a_folder_are_judged_as_in_a_file() {
    let desk = Desk::with(&Signals::leaky());
    desk.guestlist("convert signals one.parquet").exits(0);
    cut(&read(&desk.path("one.parquet")), &desk.path("many"));
    desk.guestlist("audit one.parquet --out one --quiet")
        .exits(1);
    desk.guestlist("audit many --out many-out --quiet").exits(1);
    same(&desk, "one", "many-out");
}

#[test]
fn what_is_wrong_is_named_by_file_row_and_column() {
    let desk = Desk::new();
    fs::write(
        desk.path("s.csv"),
        "id,member,loss\na,1,2\nb,0,3\nc,1,4\nd,0,1\n",
    )
    .unwrap();
    desk.guestlist("audit s.csv --kind scores --out csv --quiet");
    let table = read(&desk.path("csv/scores.parquet"));
    write(&desk.path("many/a.parquet"), &table, 10);
    let narrow = table.project(&[0, 1]).unwrap();
    write(&desk.path("many/b.parquet"), &narrow, 10);
    let said = desk.guestlist("audit many --kind scores").exits(2);
    assert!(
        said.stderr.contains("b.parquet: has no column loss"),
        "{}",
        said.stderr
    );
    fs::create_dir(desk.path("many/_temporary")).unwrap();
    let said = desk.guestlist("audit many --kind scores").exits(2);
    assert!(said.stderr.contains("_temporary"), "{}", said.stderr);
    // Texts among the files of a table: which are meant cannot be known.
    fs::remove_dir(desk.path("many/_temporary")).unwrap();
    fs::remove_file(desk.path("many/b.parquet")).unwrap();
    fs::write(desk.path("many/notes.txt"), "words").unwrap();
    let said = desk.guestlist("audit many --kind lm").exits(2);
    assert!(
        said.stderr.contains("texts such as notes.txt"),
        "{}",
        said.stderr
    );
}

/// A user and a password in an address are for nobody's eyes, whatever is wrong with it.
#[test]
fn nobody_is_shown_the_password_of_an_address() {
    let desk = Desk::new();
    for scheme in ["s3", "S3", "https"] {
        for command in ["audit", "run", "verify"] {
            let said = desk.guestlist(&format!("{command} {scheme}://KEY:SECRET@bucket/x"));
            let said = said.exits(2);
            let all = said.stdout + &said.stderr;
            assert!(!all.contains("SECRET") && !all.contains("KEY"), "{all}");
        }
    }
}

/// Without the feature an address is refused, and no file of that name is looked for.
#[test]
#[cfg(not(feature = "object-store"))]
fn an_address_in_object_storage_is_refused_with_a_remedy() {
    let desk = Desk::new();
    for kind in ["scores", "lm", "classifier"] {
        let said = desk.guestlist(&format!("audit s3://bucket/key --kind {kind} --out out"));
        let said = said.exits(2).stderr;
        assert!(
            said.contains("s3://bucket/key") && said.contains("object-store"),
            "{said}"
        );
        assert!(!desk.path("out").exists());
    }
}
