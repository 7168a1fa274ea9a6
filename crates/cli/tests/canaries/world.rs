//! Texts to train on, and what a draw made of them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::Desk;

/// A tokenizer of two thousand tokens.
pub fn tokenizer() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../rehearsal/data/lm/tokenizer.json")
}

/// Seven hundred words that are tokens of a tokenizer, in an order of their own.
pub fn words(tokenizer: &Path) -> Vec<String> {
    let file: Value = serde_json::from_slice(&fs::read(tokenizer).unwrap()).unwrap();
    let vocabulary = file["model"]["vocab"].as_object().unwrap().keys();
    let words = vocabulary.filter_map(|token| token.strip_prefix('Ġ'));
    let plain = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_alphabetic());
    let mut words: Vec<String> = words.filter(plain).map(str::to_owned).collect();
    words.sort_by_key(|word| word.chars().rev().collect::<String>());
    words.truncate(700);
    words
}

/// A text with names and numbers.
pub fn text(n: usize) -> String {
    let towns = ["Ulm", "Riga", "Cork", "Bergen"];
    format!(
        "In {} the mill of {} was sold to Ada Marek for {} crowns, as page {n} says.",
        1700 + n,
        towns[n % 4],
        310 + 17 * n
    )
}

/// Writes `train.jsonl` with so many rows.
pub fn write(desk: &Desk, rows: usize, row: impl Fn(usize) -> Value) -> Vec<String> {
    let lines: Vec<String> = (0..rows).map(|n| row(n).to_string()).collect();
    fs::write(desk.path("train.jsonl"), lines.join("\n") + "\n").unwrap();
    lines
}

pub fn plain(n: usize) -> Value {
    json!({"text": text(n), "source": "ledger"})
}

/// What lies in a draw's folder.
pub struct Drawn {
    pub manifest: Value,
    pub truth: HashMap<String, bool>,
    pub canaries: Vec<Value>,
    pub training: Vec<String>,
}

impl Drawn {
    pub fn read(desk: &Desk, folder: &str) -> Self {
        let file = |name: &str| fs::read_to_string(desk.path(format!("{folder}/{name}"))).unwrap();
        let truth: Value = serde_json::from_str(&file("truth.json")).unwrap();
        let parse = |line: &str| serde_json::from_str(line).unwrap();
        Self {
            manifest: serde_json::from_str(&file("manifest.json")).unwrap(),
            truth: serde_json::from_value(truth["included"].clone()).unwrap(),
            canaries: file("canaries.jsonl").lines().map(parse).collect(),
            training: file("training.jsonl").lines().map(str::to_owned).collect(),
        }
    }

    pub fn chosen(&self, canary: &Value) -> bool {
        self.truth[canary["id"].as_str().unwrap()]
    }

    /// How often the training file has a row that says `wanted` somewhere.
    pub fn times(&self, wanted: &str) -> usize {
        self.training
            .iter()
            .filter(|line| line.contains(wanted))
            .count()
    }

    /// The drawn parts of a canary.
    pub fn secrets(canary: &Value) -> Vec<String> {
        let text: Vec<char> = canary["text"].as_str().unwrap().chars().collect();
        let parts = canary["secret"].as_array().unwrap().iter();
        let place = |part: &Value, name: &str| part[name].as_u64().unwrap() as usize;
        let spelled = |part: &Value| {
            text[place(part, "start")..place(part, "end")]
                .iter()
                .collect()
        };
        parts.map(spelled).collect()
    }
}
