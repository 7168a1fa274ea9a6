//! Gemma 2 and the text model of Gemma 3: layers that see a window between layers that see all,
//! normalisation before and after, scaled embeddings; soft caps in Gemma 2.

use super::{Activation, Architecture, Config, Json, Local, Rope, llama};
use crate::{Error, Result};

/// Bases of Gemma 3's rotary positions where a description says nothing.
const GLOBAL_BASE: f64 = 1e6;
pub(super) const LOCAL_BASE: f64 = 1e4;
/// Of Gemma 3's layers every sixth sees all; of Gemma 2's every second.
pub(super) const GEMMA3_PATTERN: usize = 6;
const GEMMA2_PATTERN: usize = 2;
const WINDOW: usize = 4096;
const SCORE_WIDTH: f64 = 256.0;

pub(super) fn parse(json: &Json, architecture: Architecture) -> Result<Config> {
    if json.flag("use_bidirectional_attention", false)? {
        return Err(Error::unsupported(
            "a model that looks ahead in the text (use_bidirectional_attention) predicts nothing",
        )
        .hint("use a model that generates texts"));
    }
    let mut config = llama::parse(json, architecture)?;
    let third = architecture == Architecture::Gemma3;
    let activation = json.text("hidden_activation")?;
    let score_width = json.optional_number("query_pre_attn_scalar")?;
    let cap = |key: &str, usual: f64| {
        let usual = (!third && !json.mentions(key)).then_some(usual);
        Ok::<_, Error>(json.optional_number(key)?.or(usual).map(|cap| cap as f32))
    };
    config.activation = Activation::parse(activation.as_deref().unwrap_or("gelu_pytorch_tanh"))?;
    config.tied = json.flag("tie_word_embeddings", true)?;
    config.embedding_scale = (config.width as f32).sqrt();
    config.score_width = score_width.unwrap_or(SCORE_WIDTH) as f32;
    // Gemma 3 has a place for caps but does not apply that of attention.
    config.score_cap = cap("attn_logit_softcapping", 50.0)?.filter(|_| !third);
    config.logit_cap = cap("final_logit_softcapping", 30.0)?;
    config.local = local(json, &config)?;
    if third {
        config.rope = Some(rope(json, &config, "full_attention")?);
        let turns = rope(json, &config, "sliding_attention")?;
        config.local = config.local.map(|local| Local {
            rope: Some(turns),
            ..local
        });
    }
    Ok(config)
}

fn local(json: &Json, config: &Config) -> Result<Option<Local>> {
    let usual = (!json.mentions("sliding_window")).then_some(WINDOW);
    let window = json.optional_size("sliding_window")?.or(usual);
    let pattern = match config.architecture {
        Architecture::Gemma3 => json
            .optional_size("sliding_window_pattern")?
            .unwrap_or(GEMMA3_PATTERN),
        _ => GEMMA2_PATTERN,
    };
    Local::new(json, config.layers, window, |layer| {
        !(layer + 1).is_multiple_of(pattern)
    })
}

/// Gemma 3's two paces: by kind of layer in newer descriptions, by keys of their own in older ones.
fn rope(json: &Json, config: &Config, kind: &str) -> Result<Rope> {
    let (head, context) = (config.head_width, config.context);
    let newer = json.object("rope_parameters");
    let local = kind == "sliding_attention";
    let base = if local { LOCAL_BASE } else { GLOBAL_BASE };
    match newer.as_ref().and_then(|newer| newer.object(kind)) {
        Some(parameters) => Rope::scaled(&parameters, base, head, context),
        None if local => {
            let base = json.optional_number("rope_local_base_freq")?;
            Rope::plain(head, base.unwrap_or(LOCAL_BASE))
        }
        None => {
            let base = json.optional_number("rope_theta")?.unwrap_or(base);
            match json.object("rope_scaling") {
                Some(scaling) => Rope::scaled(&scaling, base, head, context),
                None => Rope::plain(head, base),
            }
        }
    }
}
