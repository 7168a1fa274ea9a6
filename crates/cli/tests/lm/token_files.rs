//! Token signals that other programs wrote.

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::shelf;

fn golden() -> Value {
    let file = include_str!("../../../attacks/tests/data/language_model_scores.json");
    serde_json::from_str(file).unwrap()
}

/// The golden texts as JSON Lines, every second of them a member.
fn lines() -> String {
    let golden = golden();
    let texts = golden["texts"].as_array().unwrap().iter().enumerate();
    texts
        .map(|(place, text)| {
            let with_gap = |name: &str| {
                let mut list = vec![Value::Null];
                list.extend(text[name].as_array().unwrap().iter().cloned());
                list
            };
            let row = json!({
                "id": text["id"], "member": place % 2, "logprob": with_gap("logprob"),
                "rank": with_gap("rank"), "mean": with_gap("mean"),
                "variance": with_gap("variance"), "ref_logprob": with_gap("ref_logprob"),
                "something_else": {"a": 1},
            });
            format!("{row}\n")
        })
        .collect()
}

#[test]
fn golden_scores_come_out_of_json_lines() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float64Type;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    let bench = Bench::new();
    bench.write("tokens.jsonl", &lines());
    bench.guestlist("audit tokens.jsonl --out o");
    let file = std::fs::File::open(bench.path("o/scores.parquet")).unwrap();
    let mut reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .unwrap()
        .build()
        .unwrap();
    let table = reader.next().unwrap().unwrap();
    let column = |name: &str| table.column_by_name(name).unwrap();
    for (row, text) in golden()["texts"].as_array().unwrap().iter().enumerate() {
        assert_eq!(column("id").as_string::<i32>().value(row), text["id"]);
        for (id, name) in [
            ("ez", "ez"),
            ("ratio", "ratio"),
            ("wbc", "wbc"),
            ("min-k", "mink_20"),
        ] {
            let score = column(id).as_primitive::<Float64Type>().value(row);
            let wanted = text["scores"][name].as_f64().unwrap_or(f64::INFINITY);
            let close = score == wanted || (score - wanted).abs() <= 1e-9 * wanted.abs().max(1.0);
            assert!(close, "{id} of {}: {score} instead of {wanted}", text["id"]);
        }
    }
}

#[test]
fn what_is_wrong_with_a_row_is_named() {
    let good = r#"{"id":"a","member":true,"logprob":[null,-1.0,-2.0],"rank":[null,1,2]}"#;
    let cases = [
        (
            r#"{"id":"b","member":false,"logprob":[null,-1],"rank":[null,0]}"#,
            "rank has an entry",
        ),
        (
            r#"{"id":"b","member":false,"logprob":[null,1.5]}"#,
            "logprob has 1.5",
        ),
        (
            r#"{"id":"b","member":false,"logprob":[null,-1],"ref_logprob":[-2]}"#,
            "ref_logprob has 1 entries but logprob has 2",
        ),
        (
            r#"{"id":"b","member":false,"token_ids":[1,2,3],"logprob":[null,-1]}"#,
            "token_ids has 3",
        ),
        (
            r#"{"id":"b","member":2,"logprob":[null,-1]}"#,
            "member is 2",
        ),
        (
            r#"{"id":"b","logprob":[null,-1]}"#,
            "no record is known to be a non-member, and 1 are of unknown membership",
        ),
        (
            r#"{"id":"b","member":false,"logprob":[null,NaN]}"#,
            "line 2",
        ),
        (
            r#"{"id":"b","member":false,"logprob":[null,-1],"variance":[null,-3]}"#,
            "variance has -3",
        ),
    ];
    for (bad, words) in cases {
        let bench = Bench::new();
        bench.write("tokens.jsonl", &format!("{good}\n{bad}\n"));
        let said = bench.guestlist("audit tokens.jsonl");
        said.complains(&["tokens.jsonl", words]);
    }
}

#[test]
fn lines_may_come_from_any_editor() {
    let bench = Bench::new();
    let row = |id: usize| {
        let member = id % 2;
        format!("{{\"id\":{id},\"member\":{member},\"logprob\":[null,-{id}.5,-1]}}\r\n\r\n")
    };
    let rows: String = (1..40).map(row).collect();
    bench.write("tokens.ndjson", &format!("\u{feff}{rows}"));
    let said = bench.guestlist("audit tokens.ndjson --out o");
    assert!(
        said.stdout.contains("39 texts judged"),
        "{}{}",
        said.stdout,
        said.stderr
    );
}

#[test]
fn attacks_that_lack_something_are_skipped_or_refused_by_name() {
    let bench = Bench::new();
    let row = |id: usize| {
        let member = id.is_multiple_of(2);
        format!("{{\"id\":{id},\"member\":{member},\"logprob\":[null,-{id}.5,-1]}}\n")
    };
    bench.write("tokens.jsonl", &(1..40).map(row).collect::<String>());
    let said = bench.guestlist("audit tokens.jsonl --out o --verbose");
    assert!(
        said.stdout.contains("skipped ez"),
        "{}{}",
        said.stdout,
        said.stderr
    );
    let report = bench.json("o/report.json");
    assert_eq!(
        report["attacks"].as_array().unwrap().len(),
        2,
        "lm-loss and min-k"
    );
    bench
        .guestlist("audit tokens.jsonl --attacks ez")
        .complains(&["ez cannot run here", "token ranks"]);
    bench
        .guestlist("audit tokens.jsonl --shadows 3")
        .complains(&["--shadows is for kind classifier"]);
    bench
        .guestlist("audit tokens.jsonl --attacks lira")
        .complains(&["named lira", "ez-smoothed"]);
}

#[test]
fn texts_alone_are_judged_by_their_words() {
    let bench = Bench::new();
    let row = |id: usize| {
        let word = if id.is_multiple_of(2) {
            "chapter"
        } else {
            "website"
        };
        format!(
            "{{\"id\":{id},\"member\":{},\"text\":\"the {word} number {id}\"}}\n",
            (id + 1) % 2
        )
    };
    bench.write("texts.jsonl", &(0..200).map(row).collect::<String>());
    let said = bench.guestlist("audit texts.jsonl --verbose").exits(3);
    for part in [
        "the audit is void",
        "shows what is typical of",
        "no model has scored the texts",
    ] {
        assert!(said.stdout.contains(part), "{part}: {}", said.stdout);
    }
    let typical = "What tells the texts apart: three characters alone";
    assert!(!said.stdout.contains(typical), "{}", said.stdout);
    let said = bench
        .guestlist("audit texts.jsonl --show-records --verbose")
        .exits(3);
    assert!(said.stdout.contains(typical), "{}", said.stdout);
    shelf::texts(&bench, 300);
    let said = bench.guestlist("audit in.jsonl");
    said.complains(&["row 1", "has no member"]);
}

#[test]
fn members_may_be_listed_and_must_be_in_the_training_file() {
    let bench = Bench::new();
    let row = |id: usize| {
        format!(
            "{{\"id\":\"t{id}\",\"text\":\"a speech about subject {id} and {}\",\"logprob\":[null,-1.{id},-2]}}\n",
            id * 7
        )
    };
    bench.write("tokens.jsonl", &(0..60).map(row).collect::<String>());
    let ids: Vec<String> = (0..30).map(|id| format!("t{id}")).collect();
    bench.write("members.txt", &ids.join("\n"));
    bench.write("train.jsonl", &(0..20).map(row).collect::<String>());
    let said = bench
        .guestlist("audit tokens.jsonl --members members.txt --training-file train.jsonl --verbose")
        .exits(1);
    assert!(
        said.stdout
            .contains("20 of 30 members and 0 of 30 non-members are in the training file"),
        "{}",
        said.stdout
    );
    bench.write("members.txt", "t1\nnobody\n");
    bench
        .guestlist("audit tokens.jsonl --members members.txt")
        .complains(&["1 listed ids are not among the texts, such as nobody"]);
}
