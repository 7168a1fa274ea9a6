//! What cannot be audited is refused with its place and a remedy, before any episode.

use std::sync::Arc;

use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, ListArray, StringArray};

use crate::bench::Bench;
use crate::files::{lists, table};
use crate::vectors::{Vectors, flags, floats, npz};

#[track_caller]
fn refused(arrays: &[(&str, Vec<u8>)], more: &str, parts: &[&str]) {
    let desk = Bench::new();
    desk.write("features.npz", &npz(arrays));
    let said = desk.guestlist(&format!(
        "audit features.npz --kind fewshot --runs 5 --out out {more}"
    ));
    said.complains(parts);
    assert!(!desk.path("out").exists());
}

#[test]
fn wrong_arrays() {
    let good = Vectors::new(100, 2, 1.0);
    let features = floats(&good.shape(), &good.values);
    let member = flags(&[100], &good.members);
    refused(
        &[("vectors", features.clone()), ("member", member.clone())],
        "",
        &["features.npz", "features, logits, penultimate", "vectors"],
    );
    refused(
        &[("features", features.clone()), ("member", member.clone())],
        "--layer penultimate",
        &["no array named penultimate"],
    );
    refused(
        &[("features", features.clone())],
        "",
        &["features.npz", "does not say who is a member", "--members"],
    );
    refused(
        &[
            ("features", floats(&[200], &good.values)),
            ("member", member.clone()),
        ],
        "",
        &["features has shape [200]", "[records, width]"],
    );
    refused(
        &[
            ("features", features.clone()),
            ("member", flags(&[99], &good.members[..99])),
        ],
        "",
        &["100 records", "99"],
    );
    refused(
        &[
            ("features", features.clone()),
            ("member", flags(&[100], &[true; 100])),
        ],
        "",
        &["features.npz", "every record is a member"],
    );
    let mut broken = good.values.clone();
    broken[2 * 42 + 1] = f64::NAN;
    refused(
        &[
            ("features", floats(&good.shape(), &broken)),
            ("member", member.clone()),
        ],
        "",
        &["features, record 42, column 1 is NaN"],
    );
    refused(
        &[
            ("features", features.clone()),
            ("member", floats(&[100], &[0.5; 100])),
        ],
        "",
        &["record 0 is 0.5"],
    );
    refused(
        &[("features", member.clone()), ("member", member)],
        "",
        &["features has shape [100]"],
    );
}

#[test]
fn wrong_tables() {
    let desk = Bench::new();
    let good = Vectors::new(60, 2, 1.0);
    let member: ArrayRef = Arc::new(BooleanArray::from(good.members.clone()));
    let audit = |parts: &[&str]| {
        desk.guestlist("audit t.parquet --kind fewshot")
            .complains(parts);
    };
    let ragged = (0..60).map(|row| Some(vec![Some(1.0); if row == 7 { 3 } else { 2 }]));
    let ragged: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(ragged));
    table(
        &desk,
        "t.parquet",
        vec![("logits", ragged), ("member", member.clone())],
    );
    audit(&["t.parquet", "row 7 has 3 numbers", "the first row 2"]);
    let holes: ArrayRef = Arc::new(Float64Array::from_iter(
        (0..60).map(|row| (row != 9).then_some(1.0)),
    ));
    table(
        &desk,
        "t.parquet",
        vec![("x", holes), ("member", member.clone())],
    );
    audit(&["x, row 9 is null"]);
    let words: ArrayRef = Arc::new(StringArray::from(vec!["a"; 60]));
    table(
        &desk,
        "t.parquet",
        vec![("words", words.clone()), ("member", member)],
    );
    audit(&["no list column", "t.parquet"]);
    table(
        &desk,
        "t.parquet",
        vec![("features", lists(&good)), ("member", words)],
    );
    audit(&["member holds"]);
    table(&desk, "t.parquet", vec![("features", lists(&good))]);
    audit(&["does not say who is a member"]);
    desk.write("t.parquet", &b"PAR1 and nothing else");
    audit(&["t.parquet", "not a whole Parquet file"]);
    desk.write("t.parquet", &b"words");
    audit(&["unknown type"]);
    desk.guestlist("audit nowhere.npz --kind fewshot")
        .complains(&["nowhere.npz", "no such file"]);
}

#[test]
fn fewer_records_than_an_episode_needs() {
    let desk = Bench::new();
    desk.write("few.npz", &Vectors::new(60, 2, 1.0).npz());
    desk.guestlist("audit few.npz --kind fewshot")
        .complains(&["30 members, but an episode takes 40", "fewer shots"]);
    desk.guestlist("audit few.npz --kind fewshot --shots 0")
        .complains(&["shots"]);
    desk.guestlist("audit few.npz --kind fewshot --runs 0 --shots 1 --query 5")
        .complains(&["runs"]);
    let said = desk
        .guestlist("audit few.npz --kind fewshot --shots 5 --validation 10 --query 10 --runs 10");
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    // Two records are the fewest that can be held apart, and too few for an episode.
    desk.write("two.npz", &Vectors::new(2, 2, 1.0).npz());
    desk.guestlist("audit two.npz --kind fewshot --shots 1 --validation 1 --query 1")
        .complains(&["1 members"]);
}

#[test]
fn flags_of_other_kinds() {
    let desk = Bench::new();
    desk.write("f.npz", &Vectors::new(100, 2, 1.0).npz());
    for (flags, parts) in [
        ("--kind fewshot --shadows 4", ["--shadows", "fewshot"]),
        ("--kind fewshot --format npz", ["--format", "--kind"]),
        (
            "--kind fewshot --replicates 2",
            ["replicates", "kind classifier"],
        ),
        ("--kind fewshot --attacks lira", ["lira", "fes-ss"]),
        ("--kind fewshot --set rmia.gamma=2", ["rmia.gamma", "fes."]),
        (
            "--kind fewshot --documents d.jsonl",
            ["--documents", "fewshot"],
        ),
        ("--shots 5", ["--shots", "--kind fewshot"]),
        (
            "--kind shadow --thresholds query",
            ["--thresholds", "--kind fewshot"],
        ),
        ("--kind lm --layer logits", ["--layer", "--kind fewshot"]),
        ("--kind shadow", ["f.npz", "phi"]),
    ] {
        desk.guestlist(&format!("audit f.npz {flags}"))
            .complains(&parts);
    }
    assert_eq!(desk.guestlist("audit f.npz --kind rag").code, Some(2));
    assert_eq!(desk.guestlist("audit f.npz --kind lm").code, Some(2));
    assert_eq!(desk.guestlist("audit f.npz --kind oracle").code, Some(2));
}
