//! Rows that are there several times: counted, split together, and never the reason for a pass.

use std::fs;

use crate::bench::{Bench, table};

/// A network that learns its records by heart.
const BY_HEART: &str = "epochs = 120\nlearning_rate = 0.01";

/// Every row of a table of so many records, several times.
fn repeated(records: usize, times: usize) -> String {
    let text = table(records);
    let (names, rows) = text.split_once('\n').unwrap();
    let rows: String = rows.lines().enumerate().map(odd_one).collect();
    format!("{names}\n{}", rows.repeat(times))
}

/// Every third record has the wrong class, which can only be learned by heart.
fn odd_one((row, line): (usize, &str)) -> String {
    match row % 3 == 0 {
        true if line.ends_with("yes") => line.replace(",yes", ",no\n"),
        true => line.replace(",no", ",yes\n"),
        false => format!("{line}\n"),
    }
}

fn bench(data: &str, more: &str) -> Bench {
    let bench = Bench::new();
    bench.write("data.csv", data);
    bench.configure(16, BY_HEART);
    let config = fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    let config = config.replace("[models]", &format!("{more}\n[models]"));
    bench.write("guestlist.toml", &config);
    bench
}

/// Who trained on what: a byte per record after the header.
fn keep(bench: &Bench, model: usize, records: usize) -> Vec<u8> {
    let path = bench.path(format!("guestlist-run/models/{model:05}/keep.npy"));
    let bytes = fs::read(path).unwrap();
    bytes[bytes.len() - records..].to_vec()
}

fn guardrail(bench: &Bench) -> (String, String) {
    let report = bench.json("guestlist-run/report.json");
    let found = report["guardrails"].as_array().unwrap();
    let mut found = found.iter().filter(|found| found["id"] == "duplicates");
    let found = found.next().unwrap();
    let text = |key: &str| found[key].as_str().unwrap().to_owned();
    (text("status"), text("detail"))
}

fn best(bench: &Bench) -> f64 {
    let report = bench.json("guestlist-run/report.json");
    report["verdict"]["gate"]["value"].as_f64().unwrap()
}

#[test]
fn copies_go_into_the_same_half_of_every_model() {
    let bench = bench(&repeated(80, 4), "");
    let words = "320 of 320 records are exact copies of others, and 80 are different: copies go into \
                 the same half, as one";
    let plan = bench.guestlist("plan").exits(0).stdout;
    assert!(plan.contains(words), "{plan}");
    bench.guestlist("run");
    for model in 0..17 {
        let keep = keep(&bench, model, 320);
        let same = |copy: usize| keep[..80] == keep[80 * copy..80 * (copy + 1)];
        assert!((1..4).all(same), "model {model}");
    }
    let report = bench.json("guestlist-run/report.json");
    assert!(report["notes"].to_string().contains(words), "{report}");
    let (status, detail) = guardrail(&bench);
    assert_eq!(status, "warn");
    assert!(detail.contains("only 80 records are different"), "{detail}");
}

#[test]
fn copies_that_are_split_apart_never_pass_and_hide_the_leak() {
    let together = bench(&repeated(80, 4), "");
    together.guestlist("run").exits(1);
    let apart = bench(&repeated(80, 4), "duplicates = \"apart\"\n");
    let plan = apart.guestlist("plan").exits(0).stdout;
    assert!(plan.contains("copies are split apart"), "{plan}");
    let said = apart.guestlist("run");
    assert_ne!(said.code, Some(0), "{}", said.stdout);
    let (status, detail) = guardrail(&apart);
    assert_eq!(status, "violated");
    assert!(
        detail.contains("members and non-members at once") && detail.contains("together"),
        "{detail}"
    );
    assert!(best(&together) > best(&apart) + 0.05);
}

#[test]
fn without_copies_the_setting_changes_nothing() {
    let files = |more: &str| {
        let bench = bench(&table(120), more);
        bench.guestlist("run");
        assert_eq!(guardrail(&bench).0, "ok");
        let mut files = bench.files();
        // The plan holds the settings as they are.
        files.retain(|path, _| path.starts_with("models"));
        files
    };
    assert!(files("") == files("duplicates = \"apart\"\n"));
}

#[test]
fn models_come_back_when_copies_are_split_as_before() {
    let bench = bench(&repeated(60, 2), "duplicates = \"apart\"\n");
    bench.guestlist("run");
    let config = fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    bench.write(
        "guestlist.toml",
        &config.replace("\"apart\"", "\"together\""),
    );
    let plan = bench.guestlist("plan").exits(0).stdout;
    assert!(plan.contains("data.duplicates is now together"), "{plan}");
    bench.write("guestlist.toml", &config);
    let plan = bench.guestlist("plan").exits(0).stdout;
    assert!(plan.contains("finished  17"), "{plan}");
}

#[test]
fn too_few_different_records_are_refused_in_words() {
    let data = "x,class\n1,yes\n2,no\n3,yes\n".to_owned() + &"1,yes\n".repeat(117);
    let bench = bench(&data, "");
    bench
        .guestlist("plan")
        .complains(&["of 120 records only 3 are different", "drawn together"]);
}
