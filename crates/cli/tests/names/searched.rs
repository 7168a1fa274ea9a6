//! Looking for a word in everything that an audit says and leaves.

use std::path::{Path, PathBuf};

use crate::bench::{Bench, Output};

/// In every id and in every text, and nowhere else.
pub const MARK: &str = "zqmark";

/// The name of one record.
pub fn id(number: usize) -> String {
    format!("{MARK}{number}@example.org")
}

/// Data, which the user asked for and keeps; guides say that they are not to be published.
const DATA: [&str; 9] = [
    "scores.parquet",
    "vulnerability.parquet",
    "transcript.jsonl",
    "source.json",
    "attributions.jsonl",
    "tokens.parquet",
    "audit.sqlite",
    "audit.sqlite-wal",
    "audit.sqlite-shm",
];

/// Every file in the folder that is made to be read and holds the word.
pub fn naming(bench: &Bench, folder: &str) -> Vec<String> {
    let read = files(&bench.path(folder)).into_iter();
    let named = read.filter(|path| holds(&std::fs::read(path).unwrap()));
    let mut names: Vec<String> = named
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .filter(|name| !DATA.contains(&name.as_str()))
        .collect();
    names.sort();
    names
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => files(&path),
            false => vec![path],
        })
        .collect()
}

fn holds(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    text.contains(MARK)
}

/// Neither words nor files name a record, and nothing says who is a member.
#[track_caller]
pub fn assert_nameless(bench: &Bench, folder: &str, said: &Output) {
    assert_ne!(said.code, Some(2), "{}", said.stderr);
    for text in [&said.stdout, &said.stderr] {
        assert!(!holds(text.as_bytes()), "{text}");
    }
    assert_eq!(naming(bench, folder), [""; 0]);
    for name in ["report.md", "junit.xml", "results.sarif"] {
        assert!(bench.path(folder).join(name).exists(), "{name}");
    }
    let report = bench.json(&format!("{folder}/report.json"));
    for record in report["records"]["listed"].as_array().unwrap() {
        assert!(record["row"].is_number(), "{record}");
        for key in ["id", "member", "exposure"] {
            assert!(record[key].is_null(), "{record}");
        }
    }
}

/// Asked for, names stand in the report and its page, and in nothing that is posted.
#[track_caller]
pub fn assert_named(bench: &Bench, folder: &str) {
    assert_eq!(naming(bench, folder), ["report.html", "report.json"]);
    let report = bench.json(&format!("{folder}/report.json"));
    let first = &report["records"]["listed"][0];
    assert!(first["id"].as_str().unwrap().contains(MARK), "{first}");
    assert!(first["member"].is_boolean(), "{first}");
}

/// Audits a file both ways.
#[track_caller]
pub fn audit_both_ways(bench: &Bench, input: &str) {
    let all = format!("audit {input} --junit --sarif --markdown --figures");
    let said = bench.guestlist(&format!("{all} --out plain"));
    assert_nameless(bench, "plain", &said);
    let said = bench.guestlist(&format!("{all} --out events --json"));
    assert_nameless(bench, "events", &said);
    let said = bench.guestlist(&format!("{all} --out shown --show-records"));
    assert_ne!(said.code, Some(2), "{}", said.stderr);
    assert_named(bench, "shown");
    for format in ["markdown", "junit", "sarif"] {
        let said = bench.guestlist(&format!("report shown --format {format}"));
        assert!(!holds(said.exits(0).stdout.as_bytes()), "{format}");
    }
}
