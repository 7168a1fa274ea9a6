//! Every trap is set deliberately, and must be named; what is sound must not be.

use std::path::Path;

use serde_json::{Map, json};
use tempfile::TempDir;

use super::*;
use crate::Secret;

/// A tokenizer of whole words that lower-cases and knows these.
fn tokenizer(folder: &Path, words: &[&str], lower: bool) -> Tokenizer {
    let mut vocabulary = Map::new();
    for (id, word) in ["[UNK]"].iter().chain(words).enumerate() {
        vocabulary.insert((*word).to_owned(), json!(id));
    }
    let file = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": lower.then(|| json!({"type": "Lowercase"})),
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    });
    let path = folder.join("tokenizer.json");
    std::fs::write(&path, file.to_string()).unwrap();
    Tokenizer::open(&path).unwrap()
}

const WORDS: [&str; 8] = ["the", "code", "is", "ab", "cd", "ef", "gh", "ij"];

/// A text whose drawn part comes last.
fn canary(design: &str, frame: &str, secret: &str) -> Canary {
    let start = frame.chars().count() + 1;
    Canary {
        id: format!("{frame}-{secret}"),
        text: Some(format!("{frame} {secret}")),
        secret: vec![Secret {
            start,
            end: start + secret.chars().count(),
        }],
        tier: 1,
        design: design.to_owned(),
        row: Map::new(),
    }
}

fn pair() -> Vec<Canary> {
    vec![
        canary("random-tokens", "the code is", "ab cd"),
        canary("random-tokens", "the code is", "ef gh"),
    ]
}

fn looked_at(canaries: &[Canary], words: &[&str], settings: &CheckSettings) -> Check {
    let folder: TempDir = tempfile::tempdir().unwrap();
    let tokenizer = tokenizer(folder.path(), words, true);
    texts(canaries, Some(&tokenizer), settings).unwrap()
}

fn status(check: &Check, trap: &str) -> Option<(Status, usize)> {
    let found = check.findings.iter().find(|finding| finding.trap == trap);
    found.map(|finding| (finding.status, finding.canaries))
}

#[test]
fn sound_canaries_are_visible_and_every_finding_has_words() {
    let settings = CheckSettings {
        max_length: Some(512),
        packing: true,
        deduplicate: Some(Deduplication::Exact),
        frozen_embeddings: true,
        ..CheckSettings::default()
    };
    let check = looked_at(&pair(), &WORDS, &settings);
    assert_eq!(
        (check.outcome, check.invisible),
        (Outcome::Visible, 0),
        "{check:?}"
    );
    assert!(
        check
            .findings
            .iter()
            .all(|finding| !finding.detail.is_empty())
    );
    assert!(
        check
            .findings
            .iter()
            .all(|finding| finding.remedy.is_none()),
        "{check:?}"
    );
}

#[test]
fn without_a_tokenizer_nobody_can_tell() {
    let check = texts(&pair(), None, &CheckSettings::default()).unwrap();
    assert_eq!(check.outcome, Outcome::Unknown);
    assert!(check.not_checked.contains(&"truncated"));
}

#[test]
fn a_cut_before_the_drawn_part_is_found_and_one_within_it_is_told() {
    let at = |max_length: usize| {
        let settings = CheckSettings {
            max_length: Some(max_length),
            ..CheckSettings::default()
        };
        looked_at(&pair(), &WORDS, &settings)
    };
    let lost = at(3);
    assert_eq!(status(&lost, "truncated"), Some((Status::Violated, 2)));
    // What is left of both is the frame.
    assert_eq!(
        status(&lost, "duplicate-tokens"),
        Some((Status::Violated, 2))
    );
    assert_eq!((lost.outcome, lost.invisible), (Outcome::Invisible, 2));
    assert_eq!(status(&at(4), "truncated"), Some((Status::Warn, 2)));
    assert_eq!(status(&at(5), "truncated"), Some((Status::Ok, 0)));
}

#[test]
fn words_that_become_unknown_or_alike_are_found() {
    let unknown = looked_at(&pair(), &WORDS[..3], &CheckSettings::default());
    assert_eq!(
        status(&unknown, "unknown-token"),
        Some((Status::Violated, 2))
    );
    assert_eq!(
        status(&unknown, "duplicate-tokens"),
        Some((Status::Violated, 2))
    );
    let capitals = [
        canary("random-tokens", "the code is", "ab cd"),
        canary("random-tokens", "the code is", "AB CD"),
        canary("random-tokens", "the code is", "Ef gh"),
    ];
    let folded = looked_at(&capitals, &WORDS, &CheckSettings::default());
    assert_eq!(
        status(&folded, "duplicate-tokens"),
        Some((Status::Violated, 2))
    );
    assert_eq!(status(&folded, "normalised"), Some((Status::Warn, 2)));
    let partly = [canary("random-tokens", "the code is", "ab cd xx")];
    let partly = looked_at(&partly, &WORDS, &CheckSettings::default());
    assert_eq!(status(&partly, "unknown-token"), Some((Status::Warn, 1)));
}

#[test]
fn blocks_shorter_than_what_was_drawn_cut_it() {
    let packed = |max_length: usize| {
        let settings = CheckSettings {
            max_length: Some(max_length),
            packing: true,
            ..CheckSettings::default()
        };
        looked_at(&pair(), &WORDS, &settings)
    };
    assert_eq!(status(&packed(1), "packing"), Some((Status::Violated, 2)));
    assert_eq!(status(&packed(5), "packing"), Some((Status::Warn, 2)));
    assert_eq!(status(&packed(512), "packing"), Some((Status::Ok, 0)));
}

#[test]
fn prompts_that_are_masked_hide_what_lies_in_them() {
    let masked = CheckSettings {
        prompt_masked: true,
        ..CheckSettings::default()
    };
    let check = looked_at(&pair(), &WORDS, &masked);
    assert_eq!(status(&check, "masked-prompt"), Some((Status::Violated, 2)));
    let mut answered = pair();
    for canary in &mut answered {
        canary.row.insert("prompt".into(), json!("the code is"));
        canary.row.insert("completion".into(), json!("…"));
    }
    let check = looked_at(&answered, &WORDS, &masked);
    assert_eq!(status(&check, "masked-prompt"), Some((Status::Ok, 0)));
    answered[0]
        .row
        .insert("prompt".into(), json!("the code is ab cd"));
    let check = looked_at(&answered, &WORDS, &masked);
    assert_eq!(status(&check, "masked-prompt"), Some((Status::Violated, 1)));
    for (template, struck) in [("code", 0), ("### Response:", 2)] {
        let settings = CheckSettings {
            response_template: Some(template.into()),
            ..CheckSettings::default()
        };
        let check = looked_at(&pair(), &WORDS, &settings);
        assert_eq!(
            status(&check, "masked-prompt").map(|found| found.1),
            Some(struck)
        );
    }
}

#[test]
fn filters_of_copies_drop_repetitions_and_frames() {
    let filter = |deduplicate: Deduplication| CheckSettings {
        deduplicate: Some(deduplicate),
        ..CheckSettings::default()
    };
    let mut repeated = pair();
    repeated[1].tier = 16;
    let check = looked_at(&repeated, &WORDS, &filter(Deduplication::Exact));
    assert_eq!(status(&check, "deduplicated"), Some((Status::Violated, 1)));
    let long = "the code is the code of is the is code the of the code code is of";
    let framed = [
        canary("random-tokens", long, "ab"),
        canary("random-tokens", long, "cd"),
        canary("random-tokens", "quite another sentence", "ef"),
    ];
    let check = looked_at(&framed, &WORDS, &filter(Deduplication::Near));
    assert_eq!(status(&check, "deduplicated"), Some((Status::Violated, 2)));
    let check = looked_at(&framed, &WORDS, &filter(Deduplication::Exact));
    assert_eq!(status(&check, "deduplicated"), Some((Status::Ok, 0)));
}

#[test]
fn new_tokens_must_be_one_token_whose_embedding_is_trained() {
    let canaries = [
        canary("new-token", "the code", "ab"),
        canary("new-token", "is code", "cd ef"),
        canary("rare-tokens", "the code is", "gh ij"),
    ];
    let settings = CheckSettings {
        frozen_embeddings: true,
        ..CheckSettings::default()
    };
    let check = looked_at(&canaries, &WORDS, &settings);
    assert_eq!(status(&check, "split-token"), Some((Status::Violated, 1)));
    assert_eq!(
        status(&check, "frozen-embeddings"),
        Some((Status::Violated, 2))
    );
    assert_eq!(check.invisible, 2);
    let check = looked_at(&canaries[2..], &WORDS, &settings);
    assert_eq!(status(&check, "frozen-embeddings"), Some((Status::Warn, 1)));
    assert_eq!(status(&check, "split-token"), None);
}

#[test]
fn the_tokenizers_own_limit_counts_where_nothing_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let tokenizer = tokenizer(folder.path(), &WORDS, true);
    let limited = |limit: f64| {
        let settings = json!({"model_max_length": limit as u64});
        let path = folder.path().join("tokenizer_config.json");
        std::fs::write(path, settings.to_string()).unwrap();
        texts(&pair(), Some(&tokenizer), &CheckSettings::default()).unwrap()
    };
    assert_eq!(
        status(&limited(3.0), "truncated"),
        Some((Status::Violated, 2))
    );
    assert_eq!(status(&limited(1e18), "truncated"), None);
}
