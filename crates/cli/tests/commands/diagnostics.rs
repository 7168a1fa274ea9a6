//! What an audit shows beside its measures: shapes, slices and exposed records.

use std::fs;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

use crate::common::{Desk, auc};
use crate::npy::integers;
use crate::signals::Signals;

const FAST: &str = "audit signals --attacks lira,rmia --bootstrap 0 --out out";
/// The same, with everything printed.
const WHOLE: &str = "audit signals --attacks lira,rmia --bootstrap 0 --out out --verbose";
const RECORDS: usize = 400;

/// Records with a class each, and a table about them.
fn desk(models: usize) -> Desk {
    let desk = Desk::with(&Signals::new(models, RECORDS, 2.0));
    let labels: Vec<i64> = (0..RECORDS as i64).map(|record| record % 4).collect();
    fs::write(
        desk.path("signals/labels.npy"),
        integers(&[RECORDS], &labels),
    )
    .unwrap();
    let row = |record: usize| {
        let site = ["north", "south", "elsewhere"][(record % 40).min(2)];
        format!("{},{site}\n", 18 + record * 37 % 60)
    };
    let rows: String = (0..RECORDS).map(row).collect();
    fs::write(desk.path("people.csv"), format!("age,site\n{rows}")).unwrap();
    desk
}

fn slice<'a>(report: &'a Value, column: &str, value: &str) -> &'a Value {
    let slices = report["diagnostics"]["slices"]["slices"]
        .as_array()
        .unwrap();
    let found = slices
        .iter()
        .find(|s| s["column"] == column && s["value"] == value);
    found.unwrap_or_else(|| panic!("{column} = {value} is not in {slices:?}"))
}

#[test]
fn of_many_records_some_are_drawn_by_the_seed_and_the_report_says_so() {
    let desk = Desk::with(&Signals::new(17, 3000, 2.0));
    let labels: Vec<i64> = (0..3000).map(|record| record % 4).collect();
    fs::write(desk.path("signals/labels.npy"), integers(&[3000], &labels)).unwrap();
    let audit = |out: &str, more: &str| {
        let line = format!("audit signals --attacks loss --verbose --out {out} {more}");
        let said = desk.guestlist(&line).stdout;
        (
            said,
            desk.json(format!("{out}/report.json"))["diagnostics"].clone(),
        )
    };
    let (said, found) = audit("one", "--threads 1");
    assert!(
        said.contains("2048 of the 3000 records drawn by the seed"),
        "{said}"
    );
    assert_eq!(found["normality"]["drawn"]["records"], 2048);
    assert_eq!(found["normality"]["drawn"]["of"], 3000);
    let looked_at = |class: &Value| {
        let counts = ["records_tested", "too_few_values", "no_spread"];
        let counts = counts.map(|count| class[count].as_u64().unwrap());
        counts.iter().sum::<u64>()
    };
    assert_eq!(looked_at(&found["normality"]["in"]), 2048);
    let by_label = found["normality"]["by_label"].as_array().unwrap();
    let by_label: u64 = by_label.iter().map(|label| looked_at(&label["out"])).sum();
    assert_eq!(by_label, 2048);
    assert_eq!(audit("two", "--threads 2").1, found);
    assert_ne!(
        audit("other", "--seed 7").1["normality"],
        found["normality"]
    );
}

/// Its interval is not shown, so that it is drawn for those alone who ask.
#[test]
fn the_bootstrap_is_drawn_where_it_is_asked_for() {
    let desk = Desk::with(&Signals::new(17, 300, 2.0));
    let audit = |more: &str| {
        desk.guestlist(&format!("audit signals --attacks loss --out out {more}"));
        let report = desk.json("out/report.json");
        let found = report["attacks"][0]["bootstrap"].clone();
        (
            found,
            report["provenance"]["measuring"]["bootstrap_replicates"].clone(),
        )
    };
    assert_eq!(audit(""), (Value::Null, 0.into()));
    let (found, replicates) = audit("--bootstrap 50");
    assert_eq!((&found["replicates"], replicates), (&50.into(), 50.into()));
}

#[test]
fn shapes_of_the_shadows_are_tested_without_being_asked_for() {
    let desk = desk(41);
    let said = desk
        .guestlist(&format!("{WHOLE} --markdown"))
        .exits(1)
        .stdout;
    for part in [
        "Is the shadows' φ normal?",
        "a true normal",
        "IN, observed",
        "Highest scores",
    ] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    let markdown = String::from_utf8(desk.bytes("out/report.md")).unwrap();
    assert!(
        markdown.contains("### Is the shadows' φ normal?"),
        "{markdown}"
    );
    let found = &desk.json("out/report.json")["diagnostics"];
    for class in ["in", "out"] {
        let tested = &found["normality"][class];
        assert_eq!(tested["records_tested"], RECORDS);
        // These signals are sums of twelve uniform numbers: very nearly normal.
        let rate = tested["rejection_rate"].as_f64().unwrap();
        assert!((0.02..=0.09).contains(&rate), "{class}: {rate}");
        assert_eq!(found["qq"][class]["points"].as_array().unwrap().len(), 49);
    }
    assert_eq!(found["normality"]["by_label"].as_array().unwrap().len(), 4);
    let sliced = found["slices"]["slices"].as_array().unwrap();
    assert!(sliced.len() == 4 && sliced.iter().all(|slice| slice["column"] == "label"));
    assert_eq!(
        desk.names("out"),
        [
            "SHA256SUMS",
            "report.html",
            "report.json",
            "report.md",
            "scores.parquet"
        ]
    );
}

#[test]
fn few_shadows_leave_shapes_untested_and_say_so() {
    let desk = Desk::with(&Signals::leaky());
    let said = desk.guestlist(WHOLE).exits(1).stdout;
    assert!(said.contains("fewer than eight values"), "{said}");
    let found = &desk.json("out/report.json")["diagnostics"]["normality"]["in"];
    assert_eq!(found["too_few_values"].as_u64().unwrap(), 398);
}

#[test]
fn slices_come_from_labels_and_from_columns() {
    let desk = desk(9);
    // Ten records of a site may be people, so that it is named only on demand.
    desk.guestlist(&format!("{FAST} --slice site --records people.csv"))
        .exits(1);
    assert!(!desk.json("out/report.json").to_string().contains("north"));
    let asked = "--slice label --slice site,age --records people.csv --show-records";
    let said = desk.guestlist(&format!("{WHOLE} {asked}")).exits(1).stdout;
    for part in [
        "Slices: lira",
        "label = 2",
        "age = 32 to below 47",
        // The two small sites are looked at together, too.
        "12 slices looked at",
    ] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    let report = desk.json("out/report.json");
    let sum: u64 = (0..4)
        .map(|label| {
            slice(&report, "label", &label.to_string())["records"]
                .as_u64()
                .unwrap()
        })
        .sum();
    assert_eq!(
        sum,
        report["attacks"][0]["n_members"].as_u64().unwrap()
            + report["attacks"][0]["n_nonmembers"].as_u64().unwrap()
    );
    // Ten records each: listed, not measured.
    let north = slice(&report, "site", "north");
    assert!(
        north["measures"].is_null() && said.contains("site = north ("),
        "{said}"
    );
    let elsewhere = &slice(&report, "site", "elsewhere")["measures"];
    assert!((elsewhere["auc"]["value"].as_f64().unwrap() - auc(&report, "lira")).abs() < 0.05);
    let inputs = report["provenance"]["inputs"].to_string();
    assert!(inputs.contains("people.csv"), "{inputs}");
}

#[test]
fn replicates_count_how_often_a_record_is_caught() {
    let desk = desk(9);
    let said = desk
        .guestlist(&format!("{WHOLE} --replicates 6 --show-records"))
        .exits(1);
    assert!(
        said.stdout
            .contains("Most exposed records: lira on 6 targets"),
        "{}",
        said.stdout
    );
    assert!(
        said.stderr.contains("vulnerability.parquet"),
        "{}",
        said.stderr
    );
    let file = fs::File::open(desk.path("out/vulnerability.parquet")).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let batch = reader.build().unwrap().next().unwrap().unwrap();
    assert_eq!(batch.num_rows(), RECORDS);
    let counts = |name: &str| batch[name].as_primitive::<UInt32Type>().values().to_vec();
    let (member, caught) = (counts("times_member"), counts("caught"));
    let (nonmember, flagged) = (counts("times_nonmember"), counts("flagged"));
    let keep = Signals::new(9, RECORDS, 2.0).keep;
    for record in 0..RECORDS {
        let times = (0..6)
            .filter(|target| keep[target * RECORDS + record])
            .count() as u32;
        // Less where lira abstained for want of a shadow of one kind.
        assert!(member[record] <= times && nonmember[record] <= 6 - times);
        assert!(caught[record] <= member[record] && flagged[record] <= nonmember[record]);
    }
    let rate = f64::from(flagged.iter().sum::<u32>()) / f64::from(nonmember.iter().sum::<u32>());
    assert!(rate <= 0.01, "{rate}");
    let listed = &desk.json("out/report.json")["diagnostics"]["vulnerability"];
    let first = &listed["most_exposed"][0];
    let row = first["row"].as_u64().unwrap() as usize;
    assert_eq!(first["caught"].as_u64().unwrap() as u32, caught[row]);
    let percentile = batch["mean_percentile"]
        .as_primitive::<Float64Type>()
        .value(row);
    assert_eq!(first["mean_percentile"].as_f64().unwrap(), percentile);
    assert_eq!(listed["targets"], 6);
}

#[test]
fn slices_of_a_held_out_half_are_of_that_half() {
    let desk = desk(9);
    desk.guestlist(&format!("{FAST} --holdout --slice label -q"));
    let report = desk.json("out/report.json");
    let judged = report["provenance"]["data"]["judged_records"]
        .as_u64()
        .unwrap();
    let slices = report["diagnostics"]["slices"]["slices"]
        .as_array()
        .unwrap();
    let sum: u64 = slices.iter().map(|s| s["records"].as_u64().unwrap()).sum();
    assert!(judged <= RECORDS as u64 / 2 && sum <= judged && sum > judged * 9 / 10);
}

#[test]
fn the_recorded_command_slices_again() {
    let desk = desk(9);
    let asked = "--slice site,label --records people.csv --replicates 2 -q";
    desk.guestlist(&format!("{FAST} {asked}")).exits(1);
    let bytes = desk.bytes("out/report.json");
    let report = desk.json("out/report.json");
    let command = report["provenance"]["command"].as_str().unwrap();
    let arguments = command.strip_prefix("guestlist ").unwrap();
    desk.guestlist(&format!("{arguments} --out out -q"))
        .exits(1);
    assert_eq!(desk.bytes("out/report.json"), bytes);
}

#[test]
fn what_cannot_be_sliced_is_refused_before_the_work() {
    let desk = desk(9);
    fs::write(desk.path("short.csv"), "age\n1\n2\n3\n").unwrap();
    for (arguments, parts) in [
        ("--slice site", &["--slice site", "--records"][..]),
        ("--records people.csv", &["--slice"]),
        (
            "--slice sitte --records people.csv",
            &["sitte", "did you mean site?"],
        ),
        (
            "--slice age --records short.csv",
            &["short.csv", "age has 3 values for 400 records"],
        ),
        ("--slice age --records nowhere.csv", &["nowhere.csv"]),
    ] {
        let said = desk.guestlist(&format!("{FAST} {arguments}")).exits(2);
        for part in parts {
            assert!(
                said.stderr.contains(part),
                "{part} is not in {}",
                said.stderr
            );
        }
        assert!(!desk.path("out").exists(), "{arguments}");
    }
    fs::remove_file(desk.path("signals/labels.npy")).unwrap();
    let said = desk.guestlist(&format!("{FAST} --slice label")).exits(2);
    assert!(said.stderr.contains("no labels"), "{}", said.stderr);
}

/// A ward of few leaks, and rows in another order put its records among the others.
#[test]
fn records_are_matched_by_their_ids_in_whatever_order_they_stand() {
    let mut signals = Signals::new(17, 2000, 0.0).with_ids(|record| format!("p{record}"));
    let ward = |record: usize| match record {
        0..160 => "rare",
        _ => ["a", "b"][record % 2],
    };
    for place in 0..17 * 160 {
        let at = place / 160 * 2000 + place % 160;
        if signals.keep[at] {
            signals.phi[at] += 4.0;
        }
    }
    let desk = Desk::with(&signals);
    let row = |record: usize| format!("p{record},{},{}\n", ward(record), record % 900);
    let mut rows: Vec<String> = (0..2000).map(row).collect();
    let write = |name: &str, head: &str, rows: &[String]| {
        fs::write(desk.path(name), format!("{head}\n{}", rows.concat())).unwrap();
    };
    write("ok.csv", "id,ward,person", &rows);
    rows.sort();
    write("sorted.csv", "id,ward,person", &rows);
    write("short.csv", "id,ward,person", &rows[1..]);
    write("unnamed.csv", "name,ward,person", &rows);
    let audit = "audit signals --attacks lira --out out --records";
    let mut reports = ["ok.csv", "sorted.csv"].map(|file| {
        desk.guestlist(&format!("{audit} {file} --slice ward"))
            .exits(1);
        desk.json("out/report.json")
    });
    for report in &mut reports {
        report["provenance"] = Value::Null;
    }
    assert_eq!(reports[0], reports[1]);
    let people = ["ok.csv", "sorted.csv"].map(|file| {
        desk.guestlist(&format!("{audit} {file} --group person"));
        desk.json("out/report.json")["persons"].clone()
    });
    assert_eq!(people[0], people[1]);
    for option in ["--slice ward", "--group person"] {
        let said = desk
            .guestlist(&format!("{audit} short.csv {option}"))
            .exits(2)
            .stderr;
        assert!(
            said.contains("short.csv: 1 of 2000 records of the signals have no row here"),
            "{said}"
        );
    }
    // Nothing to match by: that is said where the verdict is read.
    desk.guestlist(&format!("{audit} unnamed.csv --slice ward"));
    let notes = desk.json("out/report.json")["notes"].to_string();
    assert!(
        notes.contains("in their order") && notes.contains("no column id"),
        "{notes}"
    );
}

#[test]
fn names_of_slices_and_records_do_not_act() {
    let evil = "\u{1b}[2J\u{202e}<b>|";
    let signals = Signals::new(9, RECORDS, 2.0).with_ids(|record| format!("{record}{evil}"));
    let desk = Desk::with(&signals);
    let row = |record: usize| format!("\"x{evil}{}\"\n", record % 2);
    let rows: String = (0..RECORDS).map(row).collect();
    fs::write(desk.path("evil.csv"), format!("\"site{evil}\"\n{rows}")).unwrap();
    let column = format!("site{evil}");
    let arguments = [
        "--slice",
        &column,
        "--records",
        "evil.csv",
        "--replicates",
        "3",
    ];
    let fast = FAST.split_whitespace();
    let said = desk
        .run(fast.chain(arguments).chain(["--markdown", "--verbose"]))
        .exits(1);
    let markdown = String::from_utf8(desk.bytes("out/report.md")).unwrap();
    for text in [&said.stdout, &said.stderr, &markdown] {
        let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!text.contains(acts), "{text:?}");
    }
    assert!(said.stdout.contains("Most exposed") && said.stdout.contains("= x\\u{1b}"));
    assert!(
        !markdown.contains("<b>") && markdown.contains("&lt;b&gt;\\|"),
        "{markdown}"
    );
}
