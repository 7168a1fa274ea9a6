//! How llama.cpp's named pre-tokenisers cut a text before pairs are merged. Only names that were
//! verified against the originals stand here: a wrong cut would bias every score silently.

use serde_json::{Value, json};

pub(super) struct Recipe {
    pub(super) normaliser: Value,
    pub(super) pre_tokeniser: Value,
    /// Whole words of the vocabulary are taken without merging.
    pub(super) ignore_merges: bool,
}

pub(super) const VERIFIED: &[&str] = &["smollm", "gpt-2"];

pub(super) fn recipe(name: &str) -> Option<Recipe> {
    let pre_tokeniser = match name {
        "smollm" => sequence(vec![
            json!({"type": "Digits", "individual_digits": true}),
            byte_level(true),
        ]),
        "gpt-2" => byte_level(true),
        _ => return None,
    };
    Some(Recipe {
        normaliser: Value::Null,
        pre_tokeniser,
        ignore_merges: false,
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

fn sequence(steps: Vec<Value>) -> Value {
    json!({"type": "Sequence", "pretokenizers": steps})
}
