//! A tokenizer rebuilt from the metadata of a GGUF file, as the `tokenizer.json` it came from.

use serde_json::{Map, Value, json};

use super::{Tokenizer, pre};
use crate::gguf::Value as Field;
use crate::weights::GgufFile;
use crate::{Error, Result};

const REMEDY: &str = "name the model's tokenizer.json beside the GGUF file";

/// llama.cpp's kinds of tokens that are matched in a text before anything else.
const CONTROL: u64 = 3;
const USER_DEFINED: u64 = 4;

pub(crate) fn from_gguf(file: &GgufFile) -> Result<Tokenizer> {
    description(file)
        .and_then(|json| Tokenizer::from_json(json.to_string().as_bytes(), &file.path))
        .map_err(|error| error.within_file(&file.path))
}

fn description(file: &GgufFile) -> Result<Value> {
    let fields = Fields { file };
    let model = fields.text("model")?;
    if model != "gpt2" {
        return Err(Error::unsupported(format!(
            "the tokenizer of kind {model:?} inside this GGUF file is not supported"
        ))
        .hint(REMEDY));
    }
    let name = fields.text("pre")?;
    let recipe = pre::recipe(name).ok_or_else(|| {
        Error::unsupported(format!(
            "the pre-tokeniser {name:?} of this GGUF file was not verified (verified are {})",
            pre::VERIFIED.join(", ")
        ))
        .hint(REMEDY)
    })?;
    let tokens = fields.strings("tokens")?;
    let vocabulary: Map<String, Value> = tokens
        .iter()
        .enumerate()
        .map(|(id, token)| (token.to_string(), json!(id)))
        .collect();
    Ok(json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": added(&fields, &tokens)?,
        "normalizer": recipe.normaliser,
        "pre_tokenizer": recipe.pre_tokeniser,
        "post_processor": around(&fields, &tokens, recipe.begins)?,
        "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
        "model": {
            "type": "BPE",
            "dropout": null,
            "unk_token": null,
            "continuing_subword_prefix": null,
            "end_of_word_suffix": null,
            "fuse_unk": false,
            "byte_fallback": false,
            "ignore_merges": recipe.ignore_merges,
            "vocab": vocabulary,
            "merges": fields.strings("merges")?,
        },
    }))
}

/// Tokens that are split out of a text before it is cut further.
fn added(fields: &Fields, tokens: &[&str]) -> Result<Vec<Value>> {
    let kinds = fields.array("token_type")?;
    let mut added = Vec::new();
    for (id, (token, kind)) in tokens.iter().zip(kinds).enumerate() {
        let kind = whole(kind).unwrap_or(0);
        // Rows without a token are filled up under such names.
        let filler = *token == format!("[PAD{id}]");
        if (kind == CONTROL || kind == USER_DEFINED) && !filler {
            added.push(json!({
                "id": id,
                "content": token,
                "single_word": false,
                "lstrip": false,
                "rstrip": false,
                "normalized": false,
                "special": kind == CONTROL,
            }));
        }
    }
    Ok(added)
}

/// What stands before and after every text.
fn around(fields: &Fields, tokens: &[&str], begins: bool) -> Result<Value> {
    let mut single = vec![json!({"Sequence": {"id": "A", "type_id": 0}})];
    let mut special = Map::new();
    for (flag, key, first) in [
        ("add_bos_token", "bos_token_id", true),
        ("add_eos_token", "eos_token_id", false),
    ] {
        let default = first && begins;
        let wanted = match fields.get(flag) {
            Some(Field::Bool(wanted)) => *wanted,
            _ => default,
        };
        if !wanted {
            continue;
        }
        let id = fields.get(key).and_then(whole);
        let token = id.and_then(|id| tokens.get(id as usize)).ok_or_else(|| {
            Error::malformed(format!("{flag} is set but {key} names no token")).hint(REMEDY)
        })?;
        let place = if first { 0 } else { single.len() };
        single.insert(place, json!({"SpecialToken": {"id": token, "type_id": 0}}));
        special.insert(
            token.to_string(),
            json!({"id": token, "ids": [id], "tokens": [token]}),
        );
    }
    if special.is_empty() {
        return Ok(Value::Null);
    }
    Ok(json!({
        "type": "TemplateProcessing",
        "single": single,
        "pair": [
            {"Sequence": {"id": "A", "type_id": 0}},
            {"Sequence": {"id": "B", "type_id": 1}},
        ],
        "special_tokens": special,
    }))
}

fn whole(field: &Field) -> Option<u64> {
    match *field {
        Field::I32(value) => u64::try_from(value).ok(),
        Field::I64(value) => u64::try_from(value).ok(),
        Field::I8(value) => u64::try_from(value).ok(),
        Field::I16(value) => u64::try_from(value).ok(),
        ref other => other.to_u64(),
    }
}

/// The fields below `tokenizer.ggml.`.
struct Fields<'a> {
    file: &'a GgufFile,
}

impl<'a> Fields<'a> {
    fn get(&self, key: &str) -> Option<&'a Field> {
        let key = format!("tokenizer.ggml.{key}");
        self.file.content.metadata.get(&key)
    }

    fn text(&self, key: &str) -> Result<&'a str> {
        match self.get(key) {
            Some(Field::String(text)) => Ok(text),
            _ => Err(absent(key)),
        }
    }

    fn array(&self, key: &str) -> Result<&'a [Field]> {
        match self.get(key) {
            Some(Field::Array(values)) => Ok(values),
            _ => Err(absent(key)),
        }
    }

    fn strings(&self, key: &str) -> Result<Vec<&'a str>> {
        let text = |value: &'a Field| match value {
            Field::String(text) => Ok(text.as_str()),
            _ => Err(absent(key)),
        };
        self.array(key)?.iter().map(text).collect()
    }
}

fn absent(key: &str) -> Error {
    Error::unsupported(format!(
        "this GGUF file says nothing usable about its tokenizer: tokenizer.ggml.{key}"
    ))
    .hint(REMEDY)
}
