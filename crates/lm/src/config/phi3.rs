//! Phi-3 and the small Phi-4: Llama with weights stored together and, for long contexts, LongRoPE.

use super::{Architecture, Config, Json, Local, Rope, llama};
use crate::Result;

pub(super) fn parse(json: &Json) -> Result<Config> {
    let head_width = llama::head_width(json, Architecture::Phi3)?;
    let context = json.size("max_position_embeddings")?;
    let mut config = match Rope::long(json, head_width, context)? {
        None => llama::parse(json, Architecture::Phi3)?,
        Some((rope, first_context)) => Config {
            // Beyond the context of its first training the model turns positions otherwise. Windows
            // of that length keep every text in the part that is exact.
            context: context.min(first_context),
            ..llama::with_rope(json, Architecture::Phi3, rope)?
        },
    };
    config.epsilon = json.optional_number("rms_norm_eps")?.unwrap_or(1e-5) as f32;
    let window = json.optional_size("sliding_window")?;
    config.local = window.map(|window| Local::everywhere(config.layers, window));
    Ok(config)
}
