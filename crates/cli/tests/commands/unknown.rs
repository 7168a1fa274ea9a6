//! Records of unknown membership: called, and no part of any measure.

use std::fs;

use arrow_array::Array;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

use crate::common::Desk;
use crate::npy;
use crate::signals::{Random, Signals};

fn table(desk: &Desk, name: &str) -> RecordBatch {
    let file = fs::File::open(desk.path(name)).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    reader.build().unwrap().next().unwrap().unwrap()
}

/// Ids of the called.
fn called(desk: &Desk, name: &str) -> Vec<String> {
    let table = table(desk, name);
    let (ids, called) = (table["id"].as_string::<i32>(), table["called"].as_boolean());
    let rows = (0..table.num_rows()).filter(|row| called.value(*row));
    rows.map(|row| ids.value(row).to_owned()).collect()
}

/// 100 members, 100 non-members, and 40 of unknown membership of which the first 20 are members.
fn lines(known_members: bool) -> String {
    let mut random = Random(7);
    let mut text = "id,member,mine\n".to_owned();
    let mut line = |id: String, member: &str, lead: f64| {
        let score = random.normal() + lead;
        text += &format!("{id},{member},{score}\n");
    };
    for number in 0..100 {
        if known_members {
            line(format!("m{number}"), "1", 5.0);
        }
        line(format!("n{number}"), "0", 0.0);
    }
    for number in 0..40 {
        let lead = if number < 20 { 5.0 } else { 0.0 };
        line(format!("u{number}"), "", lead);
    }
    text
}

fn without_unknown(text: &str) -> String {
    let known = text.lines().filter(|line| !line.starts_with('u'));
    known.map(|line| format!("{line}\n")).collect()
}

#[test]
fn given_scores_of_unknown_records_are_called_and_never_measured() {
    let desk = Desk::new();
    fs::write(desk.path("all.csv"), lines(true)).unwrap();
    fs::write(desk.path("known.csv"), without_unknown(&lines(true))).unwrap();
    let said = desk
        .guestlist("audit all.csv --kind scores --markdown --out all")
        .exits(1);
    desk.guestlist("audit known.csv --kind scores --out known")
        .exits(1);
    let (all, known) = (desk.json("all/report.json"), desk.json("known/report.json"));
    assert_eq!(all["attacks"], known["attacks"]);
    assert_eq!(known.get("unknown"), None);
    assert!(!desk.path("known/calls.parquet").exists());
    let unknown = &all["unknown"];
    assert_eq!(unknown["attack"], "mine");
    assert_eq!(
        (&unknown["asked"], &unknown["calibration"]),
        (&40.into(), &100.into())
    );
    let found = called(&desk, "all/calls.parquet");
    assert_eq!(unknown["called"], found.len());
    let right = found
        .iter()
        .filter(|id| id[1..].parse::<usize>().unwrap() < 20);
    assert!(right.count() >= 18 && found.len() <= 22, "{found:?}");
    assert!(
        said.stdout.contains("40 records of unknown membership"),
        "{}",
        said.stdout
    );
    let page = String::from_utf8(desk.bytes("all/report.html")).unwrap();
    let text = String::from_utf8(desk.bytes("all/report.md")).unwrap();
    for rendering in [page, text] {
        assert!(rendering.contains("Records of unknown membership"));
        assert!(!rendering.contains("u17"), "records are not named");
    }
    let scores = table(&desk, "all/scores.parquet");
    assert_eq!(scores["member"].as_boolean().null_count(), 40);
    // What was written is read again, calls and all.
    desk.guestlist("audit all/scores.parquet --out again")
        .exits(1);
    assert_eq!(desk.json("again/report.json")["unknown"], *unknown);
}

#[test]
fn somebody_who_knows_no_member_is_told_about_his_own_and_gets_no_verdict() {
    let desk = Desk::new();
    fs::write(desk.path("mine.csv"), lines(false)).unwrap();
    let said = desk
        .guestlist("audit mine.csv --kind scores --out out")
        .exits(3);
    assert!(
        said.stdout.contains("no member is known"),
        "{}",
        said.stdout
    );
    let report = desk.json("out/report.json");
    assert_eq!(report["verdict"]["outcome"], "inconclusive");
    assert!(called(&desk, "out/calls.parquet").len() >= 18);
}

#[test]
fn few_non_members_say_that_they_cannot_call() {
    let desk = Desk::new();
    let mut text = "member,mine\n".to_owned();
    for number in 0..10 {
        text += &format!("0,0.{number}\n1,5.{number}\n");
    }
    text += ",9.0\n";
    fs::write(desk.path("few.csv"), text).unwrap();
    let said = desk.guestlist("audit few.csv --kind scores --out out");
    let words = "10 non-members cannot call anybody at the 5.0% level";
    assert!(said.stdout.contains(words), "{}", said.stdout);
    assert_eq!(desk.json("out/report.json")["unknown"]["called"], 0);
    let said = desk.guestlist("audit few.csv --kind scores --call-level 0.1 --out out");
    assert!(!said.stdout.contains("cannot call"), "{}", said.stdout);
    assert_eq!(desk.json("out/report.json")["unknown"]["called"], 1);
    let wrong = desk
        .guestlist("audit few.csv --kind scores --call-level 1.5")
        .exits(2);
    assert!(
        wrong.stderr.contains("--call-level is 1.5"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn a_list_and_a_minus_one_say_the_same_of_a_classifier() {
    let signals = Signals::new(9, 400, 4.0);
    let desk = Desk::with(&signals);
    let asked: Vec<String> = (0..60).map(|record| record.to_string()).collect();
    fs::write(desk.path("mine.txt"), asked.join("\n")).unwrap();
    let fast = "--attacks lira,bavaria-t,loss --bootstrap 0 --quiet --call-level 0.1";
    desk.guestlist(&format!(
        "audit signals {fast} --unknown mine.txt --out listed"
    ))
    .exits(1);
    let marked = signals.keep.iter().enumerate();
    let marked = marked.map(|(place, keep)| if place < 60 { -1 } else { i64::from(*keep) });
    let marked: Vec<i64> = marked.collect();
    let keep = npy::integers(&[signals.models, signals.records], &marked);
    fs::write(desk.path("signals/keep.npy"), keep).unwrap();
    desk.guestlist(&format!("audit signals {fast} --out marked"))
        .exits(1);
    let of = |name: &str| desk.json(format!("{name}/report.json"));
    let (listed, marked) = (of("listed"), of("marked"));
    assert_eq!(listed["unknown"], marked["unknown"]);
    assert_eq!(listed["attacks"], marked["attacks"]);
    assert_eq!(listed["unknown"]["asked"], 60);
    assert_eq!(listed["provenance"]["data"]["judged_records"], 340);
    let judged = |report: &Value| report["attacks"][0]["n_members"].as_u64().unwrap();
    let members = signals.keep[60..400].iter().filter(|keep| **keep).count();
    assert_eq!(judged(&listed), members as u64);
    let found = called(&desk, "marked/calls.parquet");
    let right = found
        .iter()
        .filter(|id| signals.keep[id.parse::<usize>().unwrap()]);
    assert!(
        right.count() * 10 >= found.len() * 7 && found.len() >= 10,
        "{found:?}"
    );
    // Of a shadow it must be known.
    let said = desk
        .guestlist(&format!("audit signals {fast} --target 1"))
        .exits(2);
    assert!(
        said.stderr.contains("keep of model 0, record 0 is unknown"),
        "{}",
        said.stderr
    );
    let said = desk
        .guestlist(&format!("audit signals {fast} --replicates 2"))
        .exits(2);
    assert!(
        said.stderr.contains("of unknown membership"),
        "{}",
        said.stderr
    );
}

#[test]
fn abstained_records_are_not_called_and_say_why() {
    let desk = Desk::new();
    let text = lines(true) + "u98,,\nu99,,99\n";
    fs::write(desk.path("all.csv"), text).unwrap();
    desk.guestlist("audit all.csv --kind scores --out out")
        .exits(1);
    let calls = table(&desk, "out/calls.parquet");
    let ids = calls["id"].as_string::<i32>();
    let row = (0..calls.num_rows())
        .find(|row| ids.value(*row) == "u98")
        .unwrap();
    assert!(!calls["called"].as_boolean().value(row));
    assert!(calls["score"].as_primitive::<Float64Type>().is_null(row));
    let reason = calls["reason"].as_string::<i32>().value(row);
    assert_eq!(reason, "no score was given for the record");
    assert_eq!(desk.json("out/report.json")["unknown"]["abstained"], 1);
}

#[test]
fn records_of_unknown_membership_move_no_cut_of_a_slice() {
    let desk = Desk::new();
    let mut random = Random(11);
    let mut text = "id,member,age,mine\n".to_owned();
    for record in 0..1200 {
        let (age, member) = (random.uniform() * 80.0, record % 2 == 0);
        let lead = if member && age > 60.0 { 2.0 } else { 0.0 };
        let score = random.normal() + lead;
        text += &format!("k{record},{},{age},{score}\n", u8::from(member));
    }
    fs::write(desk.path("known.csv"), &text).unwrap();
    for record in 0..6000 {
        text += &format!(
            "u{record},,{},{}\n",
            70.0 + random.uniform(),
            random.normal()
        );
    }
    fs::write(desk.path("asked.csv"), &text).unwrap();
    let mut slices = Vec::new();
    for name in ["known", "asked"] {
        let audit = format!("audit {name}.csv --kind scores --slice age --out {name}");
        desk.guestlist(&audit).exits(1);
        let report = desk.json(format!("{name}/report.json"));
        slices.push(report["diagnostics"]["slices"]["slices"].clone());
    }
    assert_eq!(slices[0], slices[1]);
}

/// Ten values of known records are ten slices, though records of unknown membership have forty.
#[test]
fn values_of_unknown_records_make_no_ranges_of_a_few_values() {
    let desk = Desk::new();
    let mut random = Random(13);
    let mut text = "id,member,level,mine\n".to_owned();
    for record in 0..800 {
        let (level, member) = (record % 10, record / 10 % 2 == 0);
        let lead = if member && level == 3 { 2.2 } else { 0.0 };
        let score = random.normal() + lead;
        text += &format!("k{record},{},{level},{score}\n", u8::from(member));
    }
    for record in 0..3000 {
        text += &format!("u{record},,{},{}\n", record % 40, random.normal());
    }
    fs::write(desk.path("asked.csv"), &text).unwrap();
    let said = desk
        .guestlist("audit asked.csv --kind scores --slice level --out out")
        .exits(1);
    assert!(said.stdout.contains("level = 3"), "{}", said.stdout);
}
