//! What README.md says of demonstrations is what they say: their verdicts, and the screen of the first one.

use std::path::Path;

use serde_json::Value;

fn readme() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    std::fs::read_to_string(path).unwrap()
}

/// Behind the command stands the outcome, the value of the gate and how many attacks it was the best of.
#[track_caller]
pub fn says_the_verdict(command: &str, report: &Value) {
    let verdict = &report["verdict"];
    assert_eq!(verdict["outcome"], "fail");
    let (value, tried) = (&verdict["gate"]["value"], &verdict["gate"]["tried"]);
    let said = format!(
        "✘ FAIL, AUC {:.3}, best of {tried} attacks",
        value.as_f64().unwrap()
    );
    let page = readme();
    let commented = page.lines().filter_map(|line| line.split_once('#'));
    let mut comments = commented.filter(|(typed, _)| typed.trim() == command);
    assert!(
        comments.any(|(_, comment)| comment.ends_with(&said)),
        "README.md must say of `{command}`: {said}"
    );
}

/// Every line of the block that begins with the verdict is one of the screen, but for the day and for what is left
/// out (…).
#[track_caller]
pub fn shows_the_screen(screen: &str, report: &Value) {
    let page = readme();
    let (_, block) = page.split_once("```text\n✘ FAIL").unwrap();
    let (block, _) = block.split_once("\n```").unwrap();
    let day = report["provenance"]["date"].as_str().unwrap();
    let block = format!("✘ FAIL{block}");
    for line in block.lines().filter(|line| *line != "…" && *line != "  …") {
        let shown = match line.split_once(", 20") {
            Some((before, _)) => format!("{before}, {day}"),
            None => line.trim_end_matches(" …").to_owned(),
        };
        assert!(
            screen.lines().any(|said| said.starts_with(&shown)),
            "README.md shows {shown:?}, which is not in:\n{screen}"
        );
    }
}

/// The sentence below the block, and what the page says of it.
#[track_caller]
pub fn says(words: &str) {
    let page = readme();
    let page: Vec<&str> = page.split_whitespace().collect();
    assert!(
        page.join(" ").contains(words),
        "README.md must say {words:?}"
    );
}
