//! `config.json` of a folder in the layout of Hugging Face.

use std::path::Path;

use super::{Architecture, Config, Json, gemma, gpt2, llama, neox, olmo, phi3};
use crate::{Error, Result};

pub(crate) fn read(folder: &Path) -> Result<Config> {
    let path = folder.join("config.json");
    if !path.exists() {
        return Err(Error::missing("there is no config.json")
            .within_file(folder)
            .hint("name the folder that holds config.json and model.safetensors"));
    }
    let json = Json::read(&path)?;
    parse(&json)
        .and_then(Config::checked)
        .map_err(|error| error.within_file(&path))
}

fn parse(json: &Json) -> Result<Config> {
    if json.get("quantization_config").is_some() {
        return Err(
            Error::unsupported("the weights are quantised (quantization_config)")
                .hint("use the model as it was before, or as a GGUF file"),
        );
    }
    match architecture(json)? {
        Architecture::Gpt2 => gpt2::parse(json),
        Architecture::Llama => llama::parse(json, Architecture::Llama),
        Architecture::Mistral => llama::mistral(json),
        known @ (Architecture::Qwen2 | Architecture::Qwen3) => llama::qwen(json, known),
        Architecture::GptNeox => neox::parse(json),
        known @ (Architecture::Gemma2 | Architecture::Gemma3) => gemma::parse(json, known),
        Architecture::Phi3 => phi3::parse(json),
        known @ (Architecture::Olmo | Architecture::Olmo2) => olmo::parse(json, known),
    }
}

fn architecture(json: &Json) -> Result<Architecture> {
    match json.text("model_type")? {
        Some(name) => Architecture::parse(&name),
        None => Err(Error::malformed("\"model_type\" is missing")
            .hint("it names the architecture, for example \"llama\"")),
    }
}
