use super::*;

fn desk() -> tempfile::TempDir {
    let desk = tempfile::tempdir().unwrap();
    let source = r#"{"command": "cargo xtask bench --write", "ours": 0.0224, "theirs": 1.12, "records": 50000,
        "share": 0.5, "cpu": "fast", "big": 1234567890.0,
        "rows": {"columns": ["work", "time"], "rows": [["a", [0.5, "seconds"]], ["b", "–"]]}}"#;
    std::fs::write(desk.path().join("speed.json"), source).unwrap();
    desk
}

fn filled(words: &str) -> Result<String, String> {
    let desk = desk();
    template::fill(words, desk.path()).map_err(|Failed(why)| why)
}

#[test]
fn values_are_shown_as_asked() {
    let cases = [
        ("{{speed.ours | seconds}}", "22 ms"),
        ("{{speed.theirs|seconds}}", "1.1 s"),
        ("{{speed.theirs / speed.ours | times}}×", "50×"),
        ("{{speed.records}} records", "50,000 records"),
        ("{{speed.share | percent}}", "50.0%"),
        ("{{speed.ours | .3}}", "0.022"),
        ("{{speed.big | bytes}}", "1.23 GB"),
        ("{{speed.cpu}}", "fast"),
        (
            "{{speed.rows | table}}",
            "| work | time |\n|---|---:|\n| a | 500 ms |\n| b | – |",
        ),
    ];
    for (words, expected) in cases {
        assert_eq!(filled(words).as_deref(), Ok(expected), "{words}");
    }
}

#[test]
fn what_is_not_there_is_a_failure() {
    for words in [
        "{{speed.nothing}}",
        "{{other.ours | seconds}}",
        "{{speed.ours}}",
        "{{speed.ours | furlongs}}",
        "{{speed.cpu | seconds}}",
        "{{speed.ours",
    ] {
        assert!(filled(words).is_err(), "{words}");
    }
}

/// Numbers that no command makes again stay out of pages.
#[test]
fn a_source_without_a_command_is_a_failure() {
    let desk = tempfile::tempdir().unwrap();
    let record = r#"{"record": "Trained once.", "ours": 1}"#;
    std::fs::write(desk.path().join("once.json"), record).unwrap();
    assert!(template::fill("{{once.ours}}", desk.path()).is_err());
}

#[test]
fn pages_are_filled_between_their_markers_and_nowhere_else() {
    let desk = desk();
    std::fs::write(
        desk.path().join("line.md"),
        "It takes {{speed.ours | seconds}}.\n",
    )
    .unwrap();
    let page =
        "# Page\n\n<!-- figures: line -->\nIt takes 3 ms.\n<!-- end of figures -->\n\n3 ms\n";
    let done = rendered(page, desk.path())
        .map_err(|Failed(why)| why)
        .unwrap();
    assert_eq!(done, page.replacen("3 ms", "22 ms", 1));
    assert_eq!(rendered(&done, desk.path()).ok().as_deref(), Some(&*done));
    assert_eq!(shown(page).ok(), Some(vec!["line"]));
    let open = page.replace("end of figures", "the end");
    assert!(rendered(&open, desk.path()).is_err());
    let unnamed = page.replace("figures: line", "figures: ../line");
    assert!(rendered(&unnamed, desk.path()).is_err());
}
