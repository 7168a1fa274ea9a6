//! OLMo, whose normalisation has no weights, and OLMo 2, which normalises queries, keys and what
//! layers add.

use super::{Architecture, Config, Json, NormKind, llama};
use crate::Result;

pub(super) fn parse(json: &Json, architecture: Architecture) -> Result<Config> {
    let mut config = llama::parse(json, architecture)?;
    if architecture == Architecture::Olmo {
        config.norm = NormKind::Layer;
        config.epsilon = 1e-5;
        config.clip = json.optional_number("clip_qkv")?.map(|clip| clip as f32);
    } else {
        config.epsilon = json.optional_number("rms_norm_eps")?.unwrap_or(1e-5) as f32;
    }
    Ok(config)
}
