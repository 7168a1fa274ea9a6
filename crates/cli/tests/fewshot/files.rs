//! Every format in which features may lie.

use std::fs::File;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, BooleanArray, Float32Array, Float64Array, ListArray, StringArray};
use parquet::arrow::ArrowWriter;
use serde_json::Value;

use crate::bench::Bench;
use crate::vectors::{Vectors, flags, floats, npz, texts};

const QUICK: &str =
    "--kind fewshot --attacks fes-ss --shots 5 --runs 20 --attacker few-shot --out out";

pub fn table(desk: &Bench, name: &str, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = File::create(desk.path(name)).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

pub fn lists(vectors: &Vectors) -> ArrayRef {
    let rows = vectors.values.chunks(vectors.width);
    let rows = rows.map(|row| Some(row.iter().map(|value| Some(*value)).collect::<Vec<_>>()));
    Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(rows))
}

fn summary(desk: &Bench) -> Value {
    desk.json("out/report.json")["detail"]["attacks"].clone()
}

#[test]
fn every_format_gives_the_same_audit() {
    let desk = Bench::new();
    let vectors = Vectors::new(200, 4, 1.5);
    let members: String = (0..100).map(|row| format!("{row}\n")).collect();
    desk.write("members.txt", &members);
    desk.write("plain.npz", &vectors.npz());
    desk.write("features.npy", &floats(&vectors.shape(), &vectors.values));
    let member: ArrayRef = Arc::new(BooleanArray::from(vectors.members.clone()));
    table(
        &desk,
        "lists.parquet",
        vec![("features", lists(&vectors)), ("member", member.clone())],
    );
    let column = |axis: usize| -> ArrayRef {
        let values = vectors.values.chunks(4).map(|row| row[axis]);
        Arc::new(Float64Array::from_iter_values(values))
    };
    let names = ["a", "b", "c", "d"];
    let mut columns: Vec<(&str, ArrayRef)> = vec![("member", member)];
    columns.extend(
        names
            .iter()
            .enumerate()
            .map(|(axis, name)| (*name, column(axis))),
    );
    table(&desk, "columns.parquet", columns);
    let mut found = Vec::new();
    for input in [
        "plain.npz",
        "features.npy --members members.txt",
        "lists.parquet",
        "columns.parquet",
        "plain.npz --layer features",
    ] {
        let said = desk.guestlist(&format!("audit {input} {QUICK}"));
        assert!(matches!(said.code, Some(0 | 1)), "{}", said.stderr);
        found.push(summary(&desk));
    }
    assert!(found.iter().all(|other| *other == found[0]));
}

#[test]
fn of_several_models_and_layers_the_one_asked_for_is_read() {
    let desk = Bench::new();
    let (first, second) = (Vectors::new(120, 3, 0.0), Vectors::new(120, 3, 3.0));
    let swapped: Vec<bool> = second.members.iter().map(|member| !member).collect();
    let both = [first.values.clone(), second.values.clone()].concat();
    let keep = [swapped, second.members.clone()].concat();
    let ids: Vec<String> = (0..120).map(|record| format!("r{record}")).collect();
    desk.write(
        "models.npz",
        &npz(&[
            ("logits", floats(&[2, 120, 3], &both)),
            ("penultimate", floats(&[120, 3], &first.values)),
            ("keep", flags(&[2, 120], &keep)),
            ("ids", texts(&ids)),
        ]),
    );
    let auc = |more: &str| {
        desk.guestlist(&format!("audit models.npz {QUICK} {more}"));
        let report = desk.json("out/report.json");
        assert_eq!(report["attacks"][0]["id"], "fes-ss-5-shot");
        report["attacks"][0]["auc"]["value"].as_f64().unwrap()
    };
    assert!(auc("--target 1") > 0.85);
    assert!(auc("") < 0.7);
    assert!(auc("--target 0 --layer penultimate") < 0.7);
    let said = |desk: &Bench| desk.json("out/report.json")["detail"]["features"].to_string();
    assert!(said(&desk).contains("penultimate, 3 numbers"));
    auc("--layer sorted-probabilities");
    assert!(said(&desk).contains("sorted-probabilities, 3 numbers"));
    desk.guestlist(&format!("audit models.npz {QUICK} --target 2"))
        .complains(&["models.npz", "no model 2", "from 0 to 1"]);
}

#[test]
fn ids_of_a_table_name_the_members_and_the_scores() {
    let desk = Bench::new();
    let vectors = Vectors::new(120, 2, 2.0);
    let ids: Vec<String> = (0..120).map(|record| format!("record {record}")).collect();
    let numbers = vectors.values.iter().map(|value| *value as f32);
    let first: ArrayRef = Arc::new(Float32Array::from_iter_values(numbers.step_by(2)));
    let id: ArrayRef = Arc::new(StringArray::from(ids.clone()));
    table(&desk, "named.parquet", vec![("id", id), ("score", first)]);
    desk.write("members.txt", &ids[..60].join("\n"));
    let arguments = format!("audit named.parquet {QUICK} --members members.txt");
    assert!(matches!(desk.guestlist(&arguments).code, Some(0 | 1)));
    assert!(desk.path("out/scores.parquet").is_file());
    desk.write("members.txt", "record 3\nsomebody\n");
    desk.guestlist(&arguments)
        .complains(&["members.txt", "somebody"]);
}

#[test]
fn records_are_cut_by_an_array_of_the_features_or_a_file_beside_them() {
    let desk = Bench::new();
    let vectors = Vectors::new(400, 3, 0.0);
    let half: Vec<f64> = (0..400).map(|record| f64::from(record / 2 % 2)).collect();
    desk.write(
        "f.npz",
        &npz(&[
            ("features", floats(&vectors.shape(), &vectors.values)),
            ("member", flags(&[400], &vectors.members)),
            ("half", floats(&[400], &half)),
        ]),
    );
    let rows: String = half.iter().map(|half| format!("{half}\n")).collect();
    desk.write("records.csv", &format!("half\n{rows}"));
    // With ids on both sides the order does not matter.
    let ids: Vec<String> = (0..400).map(|record| record.to_string()).collect();
    desk.write(
        "named.npz",
        &npz(&[
            ("features", floats(&vectors.shape(), &vectors.values)),
            ("member", flags(&[400], &vectors.members)),
            ("ids", texts(&ids)),
        ]),
    );
    let rows: String = (0..400)
        .rev()
        .map(|record| format!("{record},{}\n", half[record]))
        .collect();
    desk.write("named.csv", &format!("id,half\n{rows}"));
    let audit = "audit f.npz --kind fewshot --runs 20 --shots 5 --attacks fes-ss --slice half";
    desk.guestlist(&format!("{audit} --out inside"));
    desk.guestlist(&format!("{audit} --records records.csv --out beside"));
    let named = audit.replace("f.npz", "named.npz");
    desk.guestlist(&format!("{named} --records named.csv --out named"));
    let slices = |out: &str| {
        let report = desk.json(&format!("{out}/report.json"));
        report["diagnostics"]["slices"]["slices"].clone()
    };
    let found = slices("inside");
    assert_eq!(found.as_array().unwrap().len(), 2, "{found}");
    let records: u64 = found
        .as_array()
        .unwrap()
        .iter()
        .map(|slice| slice["records"].as_u64().unwrap())
        .sum();
    assert!(records > 100, "{found}");
    let measures = |slices: Value| -> Vec<Value> {
        let slices = slices.as_array().unwrap().iter();
        slices.map(|slice| slice["measures"].clone()).collect()
    };
    assert_eq!(measures(found.clone()), measures(slices("beside")));
    assert_eq!(measures(found), measures(slices("named")));
    desk.guestlist("audit f.npz --kind fewshot --slice age")
        .complains(&["age", "half"]);
}
