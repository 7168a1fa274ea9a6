//! Chat templates and ending tokens, where a model's files keep them.

use std::path::Path;

use serde_json::Value;

use super::Conversation;
use crate::config::Json;
use crate::gguf::Value as Field;
use crate::weights::GgufFile;
use crate::{Error, Result};

const SETTINGS: &str = "tokenizer_config.json";
const TEMPLATE: &str = "chat_template.jinja";

/// From a folder in the layout of Hugging Face.
pub(crate) fn from_folder(folder: &Path) -> Result<Conversation> {
    let mut found = Conversation::default();
    if let Some(settings) = optional_json(&folder.join(SETTINGS))? {
        found.template = template(settings.get("chat_template"));
        found.begin = spelling(settings.get("bos_token"));
        found.end = spelling(settings.get("eos_token"));
    }
    let own = folder.join(TEMPLATE);
    if own.exists() {
        let text = std::fs::read_to_string(&own).map_err(|error| Error::reading(&own, &error))?;
        found.template = Some(text);
    }
    for name in ["generation_config.json", "config.json"] {
        if let Some(json) = optional_json(&folder.join(name))? {
            found.stops.extend(ids(json.get("eos_token_id")));
        }
    }
    Ok(found)
}

fn optional_json(path: &Path) -> Result<Option<Json>> {
    path.exists().then(|| Json::read(path)).transpose()
}

/// One template, or several by name, of which `default` is for conversations.
fn template(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(template) => Some(template.clone()),
        Value::Array(several) => several
            .iter()
            .find(|one| one["name"] == "default")
            .and_then(|one| one["template"].as_str())
            .map(str::to_owned),
        _ => None,
    }
}

/// A token is written as a string, or as an object around it.
fn spelling(value: Option<&Value>) -> String {
    let text = value.and_then(|value| value.as_str().or_else(|| value["content"].as_str()));
    text.unwrap_or_default().to_owned()
}

/// One id or several.
fn ids(value: Option<&Value>) -> Vec<u32> {
    let id = |value: &Value| value.as_u64().and_then(|id| u32::try_from(id).ok());
    match value {
        Some(Value::Array(several)) => several.iter().filter_map(id).collect(),
        Some(one) => id(one).into_iter().collect(),
        None => Vec::new(),
    }
}

/// From the metadata of a GGUF file.
pub(crate) fn from_gguf(file: &GgufFile) -> Conversation {
    let metadata = &file.content.metadata;
    let id = |key: &str| {
        let id = metadata.get(&format!("tokenizer.ggml.{key}_token_id"))?;
        match *id {
            Field::U32(id) => Some(id),
            _ => None,
        }
    };
    let spelled = |key: &str| {
        let tokens = match metadata.get("tokenizer.ggml.tokens")? {
            Field::Array(tokens) => tokens,
            _ => return None,
        };
        tokens.get(id(key)? as usize)?.as_str().map(str::to_owned)
    };
    let template = metadata.get("tokenizer.chat_template");
    Conversation {
        template: template.and_then(|template| template.as_str().map(str::to_owned)),
        begin: spelled("bos").unwrap_or_default(),
        end: spelled("eos").unwrap_or_default(),
        stops: ["eos", "eot", "eom"].into_iter().filter_map(id).collect(),
    }
}
