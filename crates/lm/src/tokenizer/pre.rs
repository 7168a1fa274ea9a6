//! How llama.cpp's named pre-tokenisers cut a text before pairs are merged. Only names that were
//! verified against the originals stand here: a wrong cut would bias every score silently.

use serde_json::{Value, json};

pub(super) struct Recipe {
    pub(super) normaliser: Value,
    pub(super) pre_tokeniser: Value,
    /// Whole words of the vocabulary are taken without merging.
    pub(super) ignore_merges: bool,
    /// A beginning token stands before every text unless the file says otherwise.
    pub(super) begins: bool,
}

pub(super) const VERIFIED: &[&str] = &["smollm", "gpt-2", "qwen2", "llama-bpe"];

/// Digits one by one.
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// Digits by threes.
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

pub(super) fn recipe(name: &str) -> Option<Recipe> {
    let pre_tokeniser = match name {
        "smollm" => sequence(vec![
            json!({"type": "Digits", "individual_digits": true}),
            byte_level(true),
        ]),
        "gpt-2" => byte_level(true),
        "qwen2" => sequence(vec![split(QWEN2), byte_level(false)]),
        "llama-bpe" => sequence(vec![split(LLAMA3), byte_level(false)]),
        _ => return None,
    };
    Some(Recipe {
        normaliser: match name {
            "qwen2" => json!({"type": "NFC"}),
            _ => Value::Null,
        },
        pre_tokeniser,
        ignore_merges: name == "llama-bpe",
        begins: name == "llama-bpe",
    })
}

fn byte_level(with_regex: bool) -> Value {
    json!({
        "type": "ByteLevel",
        "add_prefix_space": false,
        "trim_offsets": true,
        "use_regex": with_regex,
    })
}

fn split(regex: &str) -> Value {
    json!({
        "type": "Split",
        "pattern": {"Regex": regex},
        "behavior": "Isolated",
        "invert": false,
    })
}

fn sequence(steps: Vec<Value>) -> Value {
    json!({"type": "Sequence", "pretokenizers": steps})
}
