//! Traps that are set deliberately are named, with an exit code of their own.

use std::fs;

use serde_json::{Value, json};

use crate::common::{Desk, Output};
use crate::world::{Drawn, plain, text, tokenizer, write};

fn check(desk: &Desk, options: &[&str]) -> Output {
    let tokenizer = tokenizer();
    let mut arguments = vec!["canaries", "check", "canaries", "--tokenizer"];
    arguments.push(tokenizer.to_str().unwrap());
    arguments.extend(options);
    desk.run(arguments)
}

fn drawn() -> Desk {
    let desk = Desk::new();
    write(&desk, 60, plain);
    desk.guestlist(
        "canaries lm --training train.jsonl --count 40 --tiers 1,4 --design random-tokens,swapped",
    )
    .exits(0);
    desk
}

#[test]
fn every_trap_that_is_set_is_named_with_a_remedy() {
    let desk = drawn();
    let sound = check(&desk, &["--max-length", "512"]).exits(0);
    assert!(sound.stdout.starts_with("VISIBLE"), "{}", sound.stdout);
    assert!(sound.stdout.contains("not looked for"), "{}", sound.stdout);
    for (options, trap) in [
        (&["--max-length", "8"][..], "truncated"),
        (&["--max-length", "13"], "truncated"),
        (&["--max-length", "8", "--packing"], "packing"),
        (&["--prompt-masked"], "masked-prompt"),
        (&["--response-template", "### Response:"], "masked-prompt"),
        (&["--deduplicate", "exact"], "deduplicated"),
    ] {
        let said = check(&desk, options).exits(3);
        assert!(said.stdout.starts_with("INVISIBLE"), "{}", said.stdout);
        let line = format!("violated  {trap}: ");
        assert!(said.stdout.contains(&line), "{options:?}: {}", said.stdout);
        assert!(said.stdout.contains("remedy: "), "{}", said.stdout);
    }
}

/// Nothing learns a token whose embedding stays as it was: noise about such canaries passes nothing.
#[test]
fn frozen_embeddings_hide_new_tokens() {
    let desk = Desk::new();
    write(&desk, 60, plain);
    let tokenizer = tokenizer();
    let tokenizer = tokenizer.to_str().unwrap();
    let drawn = "canaries lm --training train.jsonl --design new-token --count 400";
    let mut draw: Vec<&str> = drawn.split(' ').collect();
    draw.extend(["--tokenizer", tokenizer]);
    desk.run(draw).exits(0);
    let ids = Drawn::read(&desk, "canaries").canaries;
    let row = |(place, canary): (usize, &Value)| {
        let noise = (place * 7919 + 13) % 400;
        format!("{},{noise}\n", canary["id"].as_str().unwrap())
    };
    let rows: String = ids.iter().enumerate().map(row).collect();
    fs::write(desk.path("mine.csv"), format!("id,mine\n{rows}")).unwrap();
    let audit = || {
        desk.guestlist(
            "audit mine.csv --kind scores --canaries canaries/manifest.json --bootstrap 0 --out o \
             --threshold 0.7",
        )
    };
    audit().exits(0);
    let said = check(&desk, &["--frozen-embeddings"]).exits(3);
    let words = "violated  frozen-embeddings: ";
    assert!(said.stdout.contains(words), "{}", said.stdout);
    let said = audit().exits(3);
    assert!(
        said.stdout.contains("unseen-canaries") && said.stdout.contains("frozen-embeddings"),
        "{}",
        said.stdout
    );
    check(&desk, &[]).exits(0);
    audit().exits(0);
}

#[test]
fn what_was_found_is_noted_in_the_manifest_and_told_to_programs() {
    let desk = drawn();
    assert_eq!(desk.json("canaries/manifest.json")["check"], Value::Null);
    check(&desk, &["--max-length", "8"]).exits(3);
    let noted = desk.json("canaries/manifest.json");
    assert_eq!(noted["check"]["outcome"], "invisible");
    assert_eq!(noted["check"]["settings"]["max_length"], 8);
    assert!(noted["check"]["tokenizer"]["fingerprint"].is_string());
    let events = check(&desk, &["--max-length", "512", "--json"])
        .exits(0)
        .events();
    let last = events.last().unwrap();
    assert_eq!(
        (&last["event"], &last["outcome"]),
        (&json!("check"), &json!("visible"))
    );
    assert!(
        events
            .iter()
            .any(|event| event["finding"]["trap"] == "truncated")
    );
    // It is still the manifest of the draw.
    desk.guestlist("canaries check").exits(3);
}

#[test]
fn without_a_tokenizer_nothing_is_promised() {
    let desk = drawn();
    let said = desk
        .guestlist("canaries check canaries/manifest.json")
        .exits(3);
    assert!(said.stdout.starts_with("UNKNOWN"), "{}", said.stdout);
}

#[test]
fn answers_are_seen_where_prompts_are_masked() {
    let desk = Desk::new();
    write(
        &desk,
        60,
        |n| json!({"prompt": "What?\n", "completion": text(n)}),
    );
    desk.guestlist("canaries lm --training train.jsonl --count 40")
        .exits(0);
    check(&desk, &["--prompt-masked"]).exits(0);
}

#[test]
fn a_training_file_that_was_changed_is_found_and_changed_canaries_are_refused() {
    let desk = drawn();
    let training = desk.path("canaries/training.jsonl");
    let text = fs::read_to_string(&training).unwrap();
    let first = text.lines().next().unwrap().len() + 1;
    fs::write(&training, &text[first..]).unwrap();
    let said = check(&desk, &[]).exits(3);
    assert!(
        said.stdout.contains("violated  changed-training-file"),
        "{}",
        said.stdout
    );
    fs::remove_file(&training).unwrap();
    let said = check(&desk, &[]).exits(3);
    let verdict = "UNKNOWN: the training file is not there";
    assert!(said.stdout.starts_with(verdict), "{}", said.stdout);
    assert!(
        said.stdout.contains("training.jsonl is not there"),
        "{}",
        said.stdout
    );
    let noted = desk.json("canaries/manifest.json");
    assert_eq!(noted["check"]["outcome"], "unknown");
    let canaries = desk.path("canaries/canaries.jsonl");
    let text = fs::read_to_string(&canaries).unwrap();
    fs::write(&canaries, text.replacen("\"tier\":4", "\"tier\":1", 1)).unwrap();
    let said = check(&desk, &[]).exits(2);
    assert!(
        said.stderr.contains("canaries.jsonl: was changed"),
        "{}",
        said.stderr
    );
}

#[test]
fn a_draw_that_training_would_not_see_says_so_at_once() {
    let desk = Desk::new();
    write(&desk, 60, plain);
    let tokenizer = tokenizer();
    let mut arguments = vec![
        "canaries",
        "lm",
        "--training",
        "train.jsonl",
        "--count",
        "40",
    ];
    arguments.extend([
        "--max-length",
        "6",
        "--tokenizer",
        tokenizer.to_str().unwrap(),
    ]);
    let said = desk.run(arguments).exits(3);
    assert!(said.stdout.starts_with("INVISIBLE"), "{}", said.stdout);
    assert_eq!(
        desk.json("canaries/manifest.json")["check"]["invisible"],
        40
    );
}
