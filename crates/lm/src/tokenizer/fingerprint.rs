//! One line that two tokenizers share when they cut every text alike.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// `description` is the tokenizer's JSON: vocabulary, merges, normaliser, pre-tokeniser and the
/// special tokens put around a text enter; training leftovers and offsets do not.
pub(super) fn fingerprint(tokenizer: &tokenizers::Tokenizer, description: &Value) -> String {
    let mut digest = Sha256::new();
    let vocabulary: BTreeMap<u32, String> = tokenizer
        .get_vocab(true)
        .into_iter()
        .map(|(token, id)| (id, token))
        .collect();
    for (id, token) in vocabulary {
        digest.update(format!("{id}\t{token}\n"));
    }
    for merge in description["model"]["merges"]
        .as_array()
        .into_iter()
        .flatten()
    {
        digest.update(spelled(merge));
        digest.update("\n");
    }
    for part in ["normalizer", "pre_tokenizer", "post_processor"] {
        digest.update(part);
        digest.update(canonical(&description[part]));
    }
    digest
        .finalize()
        .iter()
        .fold(String::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Merges are written as one string or as two.
fn spelled(merge: &Value) -> String {
    match merge {
        Value::String(merge) => merge.clone(),
        Value::Array(parts) => {
            let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
            parts.join(" ")
        }
        other => other.to_string(),
    }
}

/// Keys in order, without what bears on offsets only; a post-processor that does nothing else is
/// as good as none.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let offsets_only = ["trim_offsets"];
            let kind = map.get("type").and_then(Value::as_str);
            if kind == Some("ByteLevel") && !map.contains_key("use_regex") {
                return "null".into();
            }
            let sorted: BTreeMap<&String, String> = map
                .iter()
                .filter(|(key, _)| !offsets_only.contains(&key.as_str()))
                .map(|(key, value)| (key, canonical(value)))
                .collect();
            format!("{sorted:?}")
        }
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(canonical).collect();
            format!("{values:?}")
        }
        other => other.to_string(),
    }
}
