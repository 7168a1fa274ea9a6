//! Scores that were made elsewhere: judged as our own are, refused with file, row and column.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use serde_json::Value;
use stats::streams::{Seed, standard_normal};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::common::Desk;
use crate::npy;
use crate::signals::Signals;

/// Member and score; the scores overlap.
fn rows() -> Vec<(bool, f64)> {
    let row = |n: u32| {
        (
            n < 30,
            f64::from((n * 37) % 60) + f64::from(u8::from(n < 30)) * 25.0,
        )
    };
    (0..60).map(row).collect()
}

fn csv(rows: &[(bool, f64)]) -> String {
    let lines = rows.iter().enumerate();
    let lines = lines.map(|(row, (member, score))| format!("person-{row},{member},{score}\n"));
    "id,member,loss_ratio\n".to_owned() + &lines.collect::<String>()
}

fn json_lines(rows: &[(bool, f64)]) -> String {
    let lines = rows.iter().enumerate().map(|(row, (member, score))| {
        let member = u8::from(*member);
        format!("{{\"id\": \"person-{row}\", \"member\": {member}, \"loss_ratio\": {score}}}\n")
    });
    lines.collect()
}

fn write_parquet(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns
            .into_iter()
            .map(|(name, column)| (name, column, true)),
    )
    .unwrap();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn write_npz(path: &Path, arrays: &[(&str, Vec<u8>)]) {
    let mut archive = ZipWriter::new(File::create(path).unwrap());
    for (name, array) in arrays {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(array).unwrap();
    }
    archive.finish().unwrap();
}

fn members(rows: &[(bool, f64)]) -> ArrayRef {
    let members: Vec<bool> = rows.iter().map(|row| row.0).collect();
    Arc::new(BooleanArray::from(members))
}

fn without_reasons(mut attacks: Value) -> Value {
    for attack in attacks.as_array_mut().unwrap() {
        attack["abstained_by_reason"] = Value::Null;
    }
    attacks
}

#[test]
fn the_scores_of_an_audit_have_the_measures_of_that_audit() {
    let desk = Desk::with(&Signals::leaky().with_ids(|record| format!("person-{record}")));
    desk.guestlist("audit signals --out first --quiet").exits(1);
    desk.guestlist("audit first/scores.parquet --out second --quiet")
        .exits(1);
    let (first, second) = (
        desk.json("first/report.json"),
        desk.json("second/report.json"),
    );
    assert_eq!(
        without_reasons(first["attacks"].clone()),
        without_reasons(second["attacks"].clone())
    );
    assert_eq!(
        desk.bytes("first/scores.parquet"),
        desk.bytes("second/scores.parquet")
    );
    let said = desk.guestlist("report second").exits(0);
    assert!(
        said.stdout.contains("scores made elsewhere"),
        "{}",
        said.stdout
    );
}

#[test]
fn every_format_has_the_same_measures() {
    let desk = Desk::new();
    let rows = rows();
    fs::write(desk.path("a.csv"), csv(&rows)).unwrap();
    fs::write(desk.path("b.jsonl"), json_lines(&rows)).unwrap();
    let scores: Vec<f64> = rows.iter().map(|row| row.1).collect();
    let scores: ArrayRef = Arc::new(Float64Array::from(scores));
    let columns = vec![("member", members(&rows)), ("loss_ratio", scores)];
    write_parquet(&desk.path("c.parquet"), columns);
    let attacks = |file: &str| {
        desk.guestlist(&format!("audit {file} --kind scores --out out --quiet"))
            .exits(1);
        desk.json("out/report.json")["attacks"].clone()
    };
    let first = attacks("a.csv");
    assert_eq!(first[0]["id"], "loss_ratio");
    assert_eq!(first, attacks("b.jsonl"));
    assert_eq!(first, attacks("c.parquet"));
    let flags: Vec<bool> = rows.iter().map(|row| row.0).collect();
    let numbers: Vec<f32> = rows.iter().map(|row| row.1 as f32).collect();
    let member = npy::flags(&[60], &flags);
    let scores = npy::floats(&[60], &numbers);
    write_npz(
        &desk.path("d.npz"),
        &[("member", member), ("loss_ratio", scores)],
    );
    assert_eq!(first, attacks("d.npz"));
}

#[test]
fn an_empty_cell_is_an_abstention_and_text_is_left_out() {
    let desk = Desk::new();
    let mut text = "member;score;split\n".to_owned();
    for (row, (member, score)) in rows().into_iter().enumerate() {
        let score = if row == 3 {
            String::new()
        } else {
            score.to_string()
        };
        text += &format!("{member};{score};train\n");
    }
    fs::write(desk.path("s.csv"), text).unwrap();
    desk.guestlist("audit s.csv --kind scores --out out --quiet")
        .exits(1);
    let report = desk.json("out/report.json");
    assert_eq!(report["attacks"][0]["abstained"], 1);
    assert_eq!(
        report["attacks"][0]["abstained_by_reason"]["no score was given for the record"],
        1
    );
    let found = report["guardrails"].as_array().unwrap().iter();
    let mut found = found.filter(|finding| finding["id"] == "left-out-columns");
    let detail = found.next().unwrap()["detail"].as_str().unwrap();
    assert!(detail.starts_with("column split holds texts"), "{detail}");
}

#[test]
fn a_loss_that_was_not_negated_is_noticed() {
    let desk = Desk::new();
    let swapped: Vec<(bool, f64)> = rows().iter().map(|row| (row.0, -row.1)).collect();
    fs::write(desk.path("s.csv"), csv(&swapped)).unwrap();
    let said = desk.guestlist("audit s.csv --kind scores").exits(3);
    assert!(said.stdout.contains("must be negated"), "{}", said.stdout);
}

/// The words of a refusal of one CSV.
#[track_caller]
fn refused(text: &str, more: &str, parts: &[&str]) {
    let desk = Desk::new();
    fs::write(desk.path("s.csv"), text).unwrap();
    let said = desk
        .guestlist(&format!("audit s.csv --kind scores --out out {more}"))
        .exits(2);
    let part_of_all: &[&str] = &["s.csv", "hint"];
    for part in [part_of_all, parts].concat() {
        assert!(said.stderr.contains(part), "no {part:?} in {}", said.stderr);
    }
    assert!(!desk.path("out").exists());
}

#[test]
fn bad_cells_are_named() {
    refused(
        "id,member,s\na,1,0.5\nb,0,NaN\n",
        "",
        &["column s, line 3 is NaN", "null"],
    );
    refused(
        "id,member,s\na,1,0.5\nb,0,o.5\n",
        "",
        &["column s, line 3 is \"o.5\""],
    );
    refused(
        "id,member,s\na,1,0.5\nb,,0.1\n",
        "",
        &["no record is known to be a non-member, and 1 are of unknown membership"],
    );
    refused(
        "id,member,s\na,,0.5\nb,,0.1\n",
        "",
        &["column member is empty in every row"],
    );
    refused(
        "id,member,s\na,1,0.5\nb,2,0.1\n",
        "",
        &["column member, line 3 is 2"],
    );
    refused(
        "id,member,s\na,yes,0.5\n",
        "",
        &["column member, line 2 is \"yes\""],
    );
    refused("id,member,s\na,1,0.5\nb,0\n", "", &["line 3 has 2 values"]);
}

#[test]
fn bad_columns_are_named() {
    refused(
        "id,s\na,0.5\n",
        "",
        &["there is no column member", "the columns are: s"],
    );
    refused(
        "id,member,word\na,1,x\nb,0,y\n",
        "",
        &["no column of numbers", "word holds texts"],
    );
    refused(
        "member,s,s\n1,0.5,1\n0,0.1,2\n",
        "",
        &["s.csv: the columns #1 and #2 are both named s"],
    );
    refused(
        "member,s,t\n1,0.5,\n0,0.1,\n",
        "",
        &["column t has no score"],
    );
    refused("member,a\n", "", &["there are no rows"]);
    let two = "member,s\n1,0.5\n0,0.1\n";
    refused(two, "--attacks t", &["no scores named t", "choose among s"]);
    refused(
        two,
        "--set rmia.gamma=2",
        &[
            "--set is for kind classifier, lm, rag, fewshot",
            "is of kind scores",
        ],
    );
}

/// Whichever of two columns were taken, the other would be lost: a truth over again hides a leak.
#[test]
fn a_column_or_field_that_stands_twice_is_refused_in_every_table() {
    let desk = Desk::new();
    let csv = |name: &str, text: &str| fs::write(desk.path(name), text).unwrap();
    csv("a.csv", "member,member,s\n1,0,9\n0,1,1\n");
    csv("b.csv", "member,s,member\n1,9,0\n0,1,1\n");
    csv("c.csv", "id,id,member,s\na,b,1,9\nc,d,0,1\n");
    csv(
        "a.jsonl",
        "{\"member\": 1, \"s\": 9, \"member\": 0}\n{\"member\": 0, \"s\": 1}\n",
    );
    csv(
        "b.jsonl",
        "{\"id\": \"a\", \"id\": \"b\", \"member\": 1, \"s\": 9}\n",
    );
    let twice: ArrayRef = Arc::new(BooleanArray::from(vec![true, false]));
    let fields = ["member", "member"].map(|name| Field::new(name, DataType::Boolean, false));
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let batch = RecordBatch::try_new(schema.clone(), vec![twice.clone(), twice]).unwrap();
    let file = File::create(desk.path("a.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, schema, None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    for (file, words) in [
        ("a.csv", "both named member"),
        ("b.csv", "both named member"),
        ("c.csv", "both named id"),
        ("a.jsonl", "line 1: duplicate field `member`"),
        ("b.jsonl", "line 1: duplicate field `id`"),
        ("a.parquet", "two columns are named member"),
    ] {
        let said = desk
            .guestlist(&format!("audit {file} --kind scores"))
            .exits(2);
        assert!(
            said.stderr.contains(words) && said.stderr.contains(file),
            "{}",
            said.stderr
        );
    }
    let text = "\"text\": \"some words\", \"logprob\": [null, -1.0]";
    let row = format!("{{\"id\": \"a\", \"member\": 1, {text}, \"member\": 0}}\n");
    fs::write(desk.path("tokens.jsonl"), row).unwrap();
    let said = desk.guestlist("audit tokens.jsonl --kind lm").exits(2);
    assert!(
        said.stderr.contains("duplicate field `member`"),
        "{}",
        said.stderr
    );
    let row = "{\"document\": \"a\", \"member\": true, \"query\": \"q\", \"answer\": \"a\", \"member\": false}\n";
    fs::write(desk.path("transcript.jsonl"), row).unwrap();
    let said = desk.guestlist("audit transcript.jsonl --kind rag").exits(2);
    assert!(
        said.stderr.contains("duplicate field `member`"),
        "{}",
        said.stderr
    );
}

#[test]
fn a_decimal_comma_is_named_and_no_score_is_lost_to_it() {
    let comma = [
        "line 2 is \"0,53\"",
        "a comma where a number has a point",
        "write numbers with a point",
    ];
    refused("member;s\n1;0,53\n0;0,1\n", "", &comma);
    refused("member;s;t\n1;0,53;1\n0;0,1;2\n", "", &comma);
    refused("member;s\n1;0,53\n0;1\n", "", &comma);
}

#[test]
fn a_table_of_scores_without_its_kind_is_told_the_kind() {
    let desk = Desk::new();
    fs::write(desk.path("s.csv"), "member,s\n1,0.5\n0,0.1\n").unwrap();
    let said = desk.guestlist("audit s.csv").exits(2).stderr;
    assert!(
        said.contains("--kind scores") && !said.contains("np.savez"),
        "{said}"
    );
    // Outputs of classes are no scores.
    fs::write(
        desk.path("o.csv"),
        "member,label,p0,p1\n1,0,0.5,0.5\n0,1,0.1,0.9\n",
    )
    .unwrap();
    let said = desk.guestlist("audit o.csv").exits(2).stderr;
    assert!(said.contains("np.savez"), "{said}");
}

#[test]
fn a_name_that_a_terminal_or_page_acts_on_is_refused() {
    let desk = Desk::new();
    fs::write(desk.path("s.csv"), "member,<b>s\n1,0.5\n0,0.1\n").unwrap();
    let said = desk.guestlist("audit s.csv --kind scores").exits(2);
    assert!(
        said.stderr.contains("s.csv: the scores named \"<b>s\""),
        "{}",
        said.stderr
    );
}

#[test]
fn bad_lines_of_json_are_named() {
    for (text, part) in [
        ("{\"member\": true, \"s\": NaN}\n", "line 1"),
        (
            "{\"member\": true, \"s\": \"nan\"}\n{\"member\": false}\n",
            "column s, line 1 is NaN",
        ),
        (
            "{\"member\": true, \"s\": 1}\n\n{\"member\": false, \"s\": \"x\"}\n",
            "in line 3",
        ),
        (
            "{\"member\": true, \"s\": 0.5}\n{\"s\": 2}\n",
            "no record is known to be a non-member",
        ),
        (
            "{\"member\": true, \"id\": 1, \"s\": 1}\n{\"member\": false}\n",
            "line 2 has no id",
        ),
    ] {
        let desk = Desk::new();
        fs::write(desk.path("s.jsonl"), text).unwrap();
        let said = desk.guestlist("audit s.jsonl --kind scores").exits(2);
        for part in [part, "s.jsonl", "hint"] {
            assert!(said.stderr.contains(part), "no {part:?} in {}", said.stderr);
        }
    }
}

#[test]
fn bad_rows_of_parquet_are_named() {
    let desk = Desk::new();
    let path = desk.path("s.parquet");
    let scores = |values: Vec<Option<f64>>| -> ArrayRef { Arc::new(Float64Array::from(values)) };
    let flags = |values: Vec<Option<bool>>| -> ArrayRef { Arc::new(BooleanArray::from(values)) };
    let ids: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    for (member, score, part) in [
        (
            vec![Some(true), Some(false)],
            vec![Some(0.5), Some(f64::NAN)],
            "column s, row 1 is NaN",
        ),
        (
            vec![Some(true), None],
            vec![Some(0.5), Some(0.1)],
            "no record is known to be a non-member",
        ),
        (
            vec![Some(true), Some(true)],
            vec![Some(0.5), Some(0.1)],
            "every record is a member",
        ),
    ] {
        let columns = vec![
            ("id", ids.clone()),
            ("member", flags(member)),
            ("s", scores(score)),
        ];
        write_parquet(&path, columns);
        let said = desk.guestlist("audit s.parquet").exits(2);
        assert!(said.stderr.contains(part), "no {part:?} in {}", said.stderr);
    }
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let said = desk.guestlist("audit s.parquet --kind scores").exits(2);
    assert!(
        said.stderr.contains("not a whole Parquet file"),
        "{}",
        said.stderr
    );
}

/// Rows with further columns of numbers beside an honest score.
fn with_columns(names: &str, cells: impl Fn(usize, bool) -> String) -> String {
    let lines = rows()
        .into_iter()
        .enumerate()
        .map(|(row, (member, score))| {
            let member_as_number = u8::from(member);
            format!("{member_as_number},{score},{}\n", cells(row, member))
        });
    format!("member,loss_ratio,{names}\n") + &lines.collect::<String>()
}

#[test]
fn columns_that_are_no_scores_must_be_named_to_be_judged() {
    for (names, why) in [
        ("label", "column label is named like a label"),
        ("fold", "column fold is named like the place of a record"),
        ("user_id", "column user_id is named like the place"),
    ] {
        let text = with_columns(names, |row, _| (row % 3).to_string());
        let hint = "name the columns that are scores: --attacks loss_ratio";
        refused(&text, "", &[why, hint]);
    }
    let logits = with_columns("logit_0,logit_1", |row, _| {
        format!("{},{}", row * 7 % 11, row * 5 % 13)
    });
    let why = "column logit_1 is one of the outputs of a model";
    refused(&logits, "", &[why, "--attacks loss_ratio"]);
    let desk = Desk::new();
    fs::write(desk.path("s.csv"), logits).unwrap();
    desk.guestlist("audit s.csv --kind scores --attacks loss_ratio --out out --quiet")
        .exits(1);
    let attacks = desk.json("out/report.json")["attacks"].take();
    assert_eq!(attacks.as_array().unwrap().len(), 1);
    // Whoever names such a column means it.
    desk.guestlist("audit s.csv --kind scores --attacks loss_ratio,logit_0 --quiet");
}

#[test]
fn a_copy_of_the_truth_is_no_attack_without_a_word() {
    let text = with_columns("was_in", |_, member| u8::from(member).to_string());
    let why = "column was_in is the column member over again";
    refused(&text, "", &[why, "--attacks loss_ratio"]);
    let numbered = with_columns("n", |row, _| (row + 1).to_string());
    refused(&numbered, "", &["column n numbers the rows"]);
    let desk = Desk::new();
    fs::write(desk.path("s.csv"), text).unwrap();
    desk.guestlist("audit s.csv --kind scores --attacks was_in --out out --quiet")
        .exits(1);
    let note = desk.json("out/report.json")["notes"][0].take();
    assert!(note.as_str().unwrap().contains("is no attack"), "{note}");
}

#[test]
fn a_column_that_is_the_same_everywhere_is_remarked_on() {
    let desk = Desk::new();
    fs::write(
        desk.path("s.csv"),
        with_columns("flat", |_, _| "0.5".into()),
    )
    .unwrap();
    desk.guestlist("audit s.csv --kind scores --out out --quiet")
        .exits(1);
    let note = desk.json("out/report.json")["notes"][0].take();
    assert_eq!(
        note,
        "column flat is the same in every row: as a score it tells nobody apart"
    );
}

#[test]
fn a_score_below_one_half_beside_one_at_chance_does_not_pass() {
    let desk = Desk::new();
    let line = |row: usize| {
        let member = row % 2;
        let chance = row / 2 * 7919 % 1009;
        let below = row * 104_729 % 1009 + 165 - 165 * member;
        format!("{member},{chance},{below}\n")
    };
    let text = "member,chance,below\n".to_owned() + &(0..2000).map(line).collect::<String>();
    fs::write(desk.path("s.csv"), text).unwrap();
    let said = desk
        .guestlist("audit s.csv --kind scores --out out --verbose")
        .exits(3);
    let report = desk.json("out/report.json");
    let auc = |attack: usize| report["attacks"][attack]["auc"]["value"].as_f64().unwrap();
    assert!((0.3..0.4).contains(&auc(1)), "{}", auc(1));
    assert!((0.45..0.55).contains(&auc(0)), "{}", auc(0));
    for part in [
        "below-chance",
        "below (0.",
        "a leak whose sign was not known",
    ] {
        assert!(said.stdout.contains(part), "no {part:?} in {}", said.stdout);
    }
}

/// Columns of weak scores that do not depend on each other: members lie so many deviations higher in each.
fn weak(columns: usize, lift: f64) -> String {
    let mut rng = Seed(7).stream("weak scores");
    let mut normal = move || standard_normal(&mut rng);
    let names: Vec<String> = (0..columns)
        .map(|column| format!("weak-{column}"))
        .collect();
    let mut text = format!("member,{}\n", names.join(","));
    for row in 0..600 {
        let member = row % 2;
        let scores = (0..columns).map(|_| normal() + f64::from(member) * lift);
        let scores: Vec<String> = scores.map(|score| format!("{score:.6}")).collect();
        text += &format!("{member},{}\n", scores.join(","));
    }
    text
}

#[test]
fn weak_scores_that_tell_members_together_take_the_pass() {
    let desk = Desk::new();
    let joined = |columns: usize, lift: f64, code: i32| {
        fs::write(desk.path("scores.csv"), weak(columns, lift)).unwrap();
        let said = desk.guestlist("audit scores.csv --kind scores --out out --threshold 0.7");
        said.exits(code);
        let report = desk.json("out/report.json");
        let findings = report["guardrails"].as_array().unwrap().clone();
        findings
            .into_iter()
            .find(|one| one["id"] == "joined-scores")
    };
    // Each reaches an AUC of .60.
    let found = joined(30, 0.36, 3).unwrap();
    assert_eq!(found["status"], "violated");
    assert!(
        found["detail"]
            .as_str()
            .unwrap()
            .contains("30 scores together"),
        "{found}"
    );
    assert_eq!(joined(30, 0.0, 0).unwrap()["status"], "ok");
    assert!(joined(1, 0.0, 0).is_none());
}

/// Rows of which `rank` tells nothing and `leak` everything, written in this way.
fn two_columns(leak: impl Fn(bool, u32) -> String) -> String {
    let mut text = "member;rank;leak\n".to_owned();
    for row in 0..600_u32 {
        let member = row % 2 == 0;
        let rank = row * 37 % 600;
        text += &format!("{member};{rank}.5;{}\n", leak(member, row));
    }
    text
}

#[test]
fn a_leak_is_not_lost_because_its_numbers_are_texts() {
    let desk = Desk::new();
    let cell = |member: bool, row: u32, mark: &str| format!("{}{mark}{row:03}", u8::from(member));
    for (mark, end, words) in [
        (
            ",",
            "",
            "\"1,000\", which has a comma where a number has a point",
        ),
        (".", "%", "holds numbers as texts: line 2 is \"1.000%\""),
    ] {
        let text = two_columns(|member, row| cell(member, row, mark) + end);
        fs::write(desk.path("s.csv"), text).unwrap();
        let said = desk.guestlist("audit s.csv --kind scores --quiet").exits(2);
        for part in [words, "write", "--attacks rank"] {
            assert!(said.stderr.contains(part), "{}", said.stderr);
        }
        let said = desk
            .guestlist("audit s.csv --kind scores --attacks leak")
            .exits(2);
        assert!(said.stderr.contains(words), "{}", said.stderr);
        // Whoever names the scores leaves it out.
        desk.guestlist("audit s.csv --kind scores --attacks rank --out out --quiet")
            .exits(0);
        let report = desk.json("out/report.json").to_string();
        assert!(!report.contains("left-out-columns"));
    }
    let text = two_columns(|member, _| member.to_string());
    let truths = text
        .replace("leak", "right")
        .replace("true;0.5;true", "true;0.5;false");
    fs::write(desk.path("s.csv"), truths).unwrap();
    desk.guestlist("audit s.csv --kind scores --quiet").exits(1);
}

#[test]
fn a_column_of_texts_is_told_beside_a_pass_and_one_of_people_is_refused() {
    let desk = Desk::new();
    let text = two_columns(|_, row| format!("note {}", row % 7));
    fs::write(desk.path("s.csv"), text.replace("leak", "source")).unwrap();
    let said = desk.guestlist("audit s.csv --kind scores --quiet").exits(0);
    assert!(said.stdout.contains("left-out-columns"), "{}", said.stdout);
    let said = desk.guestlist("audit s.csv --kind scores --slice source --quiet");
    assert!(!said.exits(0).stdout.contains("left-out-columns"));
    fs::write(desk.path("s.csv"), text.replace("leak", "person")).unwrap();
    let said = desk.guestlist("audit s.csv --kind scores --quiet").exits(2);
    let words =
        "column person is named like the person whom a record belongs to, which --group takes";
    assert!(said.stderr.contains(words), "{}", said.stderr);
}
