//! What pages quote of `guestlist demo misleading` is what it said when `bench/misleading.py` asked it last.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

use guestlist_bench::figures::{folder, pages};
use serde_json::Value;

const ASKED: &str = "$ guestlist demo misleading ";

/// Cases and the lines that pages quote of them, each line in one piece.
fn quoted(page: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut case = None;
    for line in page.lines() {
        if let Some(id) = line.strip_prefix(ASKED) {
            case = Some(id.to_owned());
        } else if line.starts_with("```") {
            case = None;
        }
        let Some(case) = &case else {
            continue;
        };
        if let Some(words) = line.strip_prefix("    - ") {
            found.push((case.clone(), words.to_owned()));
        } else if let (Some(words), Some((_, before))) =
            (line.strip_prefix("      "), found.last_mut())
        {
            *before += &format!(" {}", words.trim_start());
        }
    }
    found
}

#[test]
fn quoted_cases_say_what_was_measured() {
    let text = std::fs::read_to_string(folder().join("misleading.json")).unwrap();
    let measured: Value = serde_json::from_str(&text).unwrap();
    let mut count = 0;
    for path in pages().unwrap_or_else(|why| panic!("{}", why.0)) {
        let page = std::fs::read_to_string(&path).unwrap();
        for (case, words) in quoted(&page) {
            let said = measured["cases"][&case]["words"].as_array();
            let said = said.unwrap_or_else(|| panic!("{case} was not measured"));
            assert!(
                said.iter().any(|line| *line == words.as_str()),
                "{}: {case} does not say {words:?}",
                path.display()
            );
            count += 1;
        }
    }
    assert!(count > 10, "{count} quoted lines were found");
}

#[test]
fn lines_that_go_on_are_one() {
    let page = "```console\n$ guestlist demo misleading echo\n…\n    - one\n      and more\n    - two\n```\n    - no case\n";
    let [one, two] = ["one and more", "two"].map(|words| ("echo".to_owned(), words.to_owned()));
    assert_eq!(quoted(page), [one, two]);
}
