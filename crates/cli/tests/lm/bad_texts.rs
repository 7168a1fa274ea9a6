//! Texts that cannot be audited, and texts that are too long.

use crate::bench::Bench;
use crate::shelf;

#[test]
fn an_empty_text_is_refused_by_its_row() {
    let bench = shelf::ready(20, "");
    let texts = std::fs::read_to_string(bench.path("out.jsonl")).unwrap();
    bench.write(
        "out.jsonl",
        &format!("{texts}{{\"id\":\"void\",\"text\":\" \\n\"}}\n"),
    );
    bench
        .guestlist("run")
        .complains(&["out.jsonl", "row 21", "\"void\"", "has no text"]);
    bench.write(
        "out.jsonl",
        &format!("{texts}{{\"id\":\"one\",\"text\":\"a\"}}\n"),
    );
    bench
        .guestlist("run")
        .complains(&["\"one\"", "1 token", "nothing to predict"]);
    bench.write("out.jsonl", "");
    bench
        .guestlist("run")
        .complains(&["20 members and 0 non-members"]);
    bench.write("out.jsonl", "not json\n");
    bench.guestlist("run").complains(&["out.jsonl", "line 1"]);
    std::fs::remove_file(bench.path("out.jsonl")).unwrap();
    bench
        .guestlist("run")
        .complains(&["out.jsonl", "no such file"]);
}

#[test]
fn an_id_or_a_text_that_stands_twice_is_refused_before_any_model_is_opened() {
    let bench = shelf::ready(20, "");
    let lines = std::fs::read_to_string(bench.path("in.jsonl")).unwrap();
    let member: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    let others = std::fs::read_to_string(bench.path("out.jsonl")).unwrap();
    let with = |id: &str, text: &str| {
        let row = serde_json::json!({"id": id, "text": text});
        bench.write("out.jsonl", &format!("{others}{row}\n"));
        bench.guestlist("run")
    };
    let id = member["id"].as_str().unwrap();
    with(id, "another text altogether").complains(&[
        "out.jsonl",
        "row 21",
        &format!("{id:?}"),
        "a member and a non-member have the id",
        "give every text an id of its own",
    ]);
    with("copy", member["text"].as_str().unwrap()).complains(&[
        "out.jsonl",
        "row 21",
        "\"copy\"",
        "have the same text",
        "take it out of the set",
    ]);
    assert!(!bench.path("guestlist-run").exists());
}

#[test]
fn a_text_longer_than_the_context_is_read_in_windows_and_said_so() {
    let bench = shelf::ready(20, "[scoring]\nlowercase = false");
    let texts = std::fs::read_to_string(bench.path("in.jsonl")).unwrap();
    let words = "we have more to do and we will do it together ".repeat(80);
    bench.write(
        "in.jsonl",
        &format!("{texts}{{\"id\":\"long\",\"text\":\"{words}\"}}\n"),
    );
    let said = bench.guestlist("plan").exits(0);
    assert!(
        said.stdout.contains("1 texts in windows"),
        "{}",
        said.stdout
    );
    let said = bench.guestlist("run --verbose");
    assert!(
        said.stdout.contains("read in overlapping windows"),
        "{}",
        said.stdout
    );
    assert_eq!(
        bench.json("guestlist-run/report.json")["detail"]["scoring"]["windowed"],
        1
    );
}

#[test]
fn folders_of_texts_are_read() {
    let bench = Bench::new();
    shelf::models(&bench);
    for kind in ["in", "out"] {
        std::fs::create_dir_all(bench.path(format!("{kind}/deeper"))).unwrap();
        for place in 0..12 {
            let folder = if place % 2 == 0 { "" } else { "deeper/" };
            let words = format!("speech {place} of {kind} says that we must go on together");
            bench.write(&format!("{kind}/{folder}{kind}-{place}.txt"), &words);
        }
        bench.write(&format!("{kind}/picture.png"), "not a text");
    }
    shelf::configure(&bench, "[scoring]\nlowercase = false");
    let config = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    bench.write("guestlist.toml", &config.replace(".jsonl", ""));
    bench.guestlist("run");
    let report = bench.json("guestlist-run/report.json");
    assert_eq!(report["provenance"]["data"]["records"], 24);
}

#[test]
fn settings_that_make_no_sense_are_refused_before_anything_is_read() {
    for (more, words) in [
        ("[scoring]\ndevice = \"tpu\"", "scoring.device is \"tpu\""),
        (
            "[scoring]\nprecision = \"int4\"",
            "scoring.precision is \"int4\"",
        ),
        ("[scoring]\ncontext = 1", "scoring.context is 1"),
        ("[run]\ntokens = \"csv\"", "run.tokens is \"csv\""),
        (
            "[audit]\nreplicates = 3",
            "audit.replicates is for shadow models",
        ),
        ("[audit]\nattacks = \"lira\"", "named lira"),
        ("[extra]\na = 1", "extra"),
        (
            "[[checkpoints]]\nlabel = 1",
            "checkpoint 1 names neither a model nor a server",
        ),
        (
            "[[checkpoints]]\nmodel = \"base\"\nretries = 2",
            "has retries but no server",
        ),
    ] {
        let bench = shelf::ready(12, more);
        bench.guestlist("run").complains(&[words]);
        assert!(!bench.path("guestlist-run").exists(), "{more}");
    }
}

#[test]
fn init_writes_what_run_takes() {
    let bench = shelf::ready(15, "");
    std::fs::remove_file(bench.path("guestlist.toml")).unwrap();
    let init =
        "init lm --members in.jsonl --nonmembers out.jsonl --target fine-tuned --reference base";
    bench.guestlist(init).exits(0);
    let said = bench.guestlist("plan").exits(0);
    for part in [
        "15 members and 15 non-members",
        "target, lower case",
        "tokens, 0 of 30 texts scored",
    ] {
        assert!(said.stdout.contains(part), "{part}: {}", said.stdout);
    }
    assert!(!bench.path("guestlist-run").exists());
    bench.guestlist("run");
    assert!(bench.path("guestlist-run/report.json").exists());
    bench
        .guestlist("init lm --data a.csv --out b.toml")
        .complains(&["--data is for init classifier"]);
    bench
        .guestlist("run --shadows 3")
        .complains(&["--shadows is for kind classifier"]);
}
