//! Rotary positions: how fast each pair of a head's dimensions turns.
//!
//! Dimension i is paired with i + width / 2 ("half" pairing, as Hugging Face stores it).

use std::f64::consts::PI;
use std::ops::Range;

use super::Json;
use crate::{Error, Result};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rope {
    /// How many of a head's dimensions turn.
    pub(crate) width: usize,
    /// Radians per position, one per pair.
    pub(crate) frequencies: Vec<f32>,
    /// What sines and cosines are multiplied by (YaRN's attention factor).
    pub(crate) amplitude: f32,
}

/// More dimensions than any head has.
const WIDEST: usize = 1 << 16;

impl Rope {
    /// Without scaling: theta^(-2i / width).
    pub(crate) fn plain(width: usize, theta: f64) -> Result<Self> {
        if width > WIDEST {
            return Err(Error::malformed(format!(
                "rotary positions over {width} dimensions make no sense"
            )));
        }
        let frequencies = (0..width / 2)
            .map(|pair| theta.powf(-((2 * pair) as f64) / width as f64) as f32)
            .collect();
        Ok(Self {
            width,
            frequencies,
            amplitude: 1.0,
        })
    }

    /// From `rope_parameters` of newer descriptions, or `rope_theta` and `rope_scaling`.
    pub(super) fn parse(json: &Json, head: usize, part: f64, context: usize) -> Result<Self> {
        let newer = json.object("rope_parameters");
        let scaling = newer.clone().or_else(|| json.object("rope_scaling"));
        let number = |key: &str| match newer.as_ref().map(|newer| newer.optional_number(key)) {
            Some(Ok(None)) | None => json.optional_number(key),
            Some(found) => found,
        };
        let theta = match number("rope_theta")? {
            Some(theta) => theta,
            None => number("rotary_emb_base")?.unwrap_or(10_000.0),
        };
        let part = number("partial_rotary_factor")?.unwrap_or(part);
        let mut rope = Self::plain((head as f64 * part) as usize, theta)?;
        if let Some(scaling) = scaling {
            rope.scale(&scaling, theta, context)?;
        }
        Ok(rope)
    }

    /// With a base and scaling from one object; the usual base where it names none.
    pub(super) fn scaled(scaling: &Json, base: f64, head: usize, context: usize) -> Result<Self> {
        let theta = scaling.optional_number("rope_theta")?.unwrap_or(base);
        let mut rope = Self::plain(head, theta)?;
        rope.scale(scaling, theta, context)?;
        Ok(rope)
    }

    /// LongRoPE (Ding et al. 2024) as Phi-3 has it, within the context of its first training, which
    /// comes back beside it; nothing where positions are not scaled so.
    pub(super) fn long(json: &Json, head: usize, context: usize) -> Result<Option<(Self, usize)>> {
        let Some(scaling) = long_scaling(json)? else {
            return Ok(None);
        };
        let either = |key: &str| match scaling.optional_number(key)? {
            Some(number) => Ok::<_, Error>(Some(number)),
            None => json.optional_number(key),
        };
        let theta = either("rope_theta")?.unwrap_or(10_000.0);
        let part = either("partial_rotary_factor")?.unwrap_or(1.0);
        let original = either("original_max_position_embeddings")?.unwrap_or(4096.0);
        let mut rope = Self::plain((head as f64 * part) as usize, theta)?;
        let factors = scaling.numbers("short_factor")?.ok_or_else(|| {
            Error::malformed("rotary scaling \"longrope\" has no \"short_factor\"")
        })?;
        if factors.len() != rope.frequencies.len() || !factors.iter().all(|factor| *factor > 0.0) {
            return Err(Error::malformed(format!(
                "\"short_factor\" must have {} numbers above 0",
                rope.frequencies.len()
            )));
        }
        let factors: Vec<f32> = factors.into_iter().map(|factor| factor as f32).collect();
        rope.slow_down_each(&factors);
        let factor = scaling.optional_number("factor")?;
        let factor = factor.unwrap_or(context as f64 / original);
        let amplitude = scaling.optional_number("attention_factor")?;
        rope.amplitude = amplitude.unwrap_or(if factor > 1.0 {
            (1.0 + factor.ln() / original.ln()).sqrt()
        } else {
            1.0
        }) as f32;
        Ok(Some((rope, original as usize)))
    }

    fn scale(&mut self, scaling: &Json, theta: f64, context: usize) -> Result<()> {
        let kind = kind(scaling)?;
        match kind.as_deref().unwrap_or("default") {
            "default" => Ok(()),
            "linear" => {
                self.slow_down(scaling.number("factor")?);
                Ok(())
            }
            "llama3" => self.llama3(scaling),
            "yarn" => self.yarn(scaling, theta, context),
            other => Err(
                Error::unsupported(format!("rotary scaling {other:?} is not supported"))
                    .hint("supported are default, linear, llama3 and yarn"),
            ),
        }
    }

    /// Linear scaling: every position counts for a part of one.
    pub(crate) fn slow_down(&mut self, factor: f64) {
        for frequency in &mut self.frequencies {
            *frequency = (f64::from(*frequency) / factor) as f32;
        }
    }

    /// Each pair slowed by its own factor, as GGUF files list them.
    pub(crate) fn slow_down_each(&mut self, factors: &[f32]) {
        for (frequency, factor) in self.frequencies.iter_mut().zip(factors) {
            *frequency /= factor;
        }
    }

    /// Llama 3.1: slow pairs are slowed further, fast ones kept, those between blended.
    fn llama3(&mut self, scaling: &Json) -> Result<()> {
        let factor = scaling.number("factor")?;
        let low = scaling.number("low_freq_factor")?;
        let high = scaling.number("high_freq_factor")?;
        let original = scaling.number("original_max_position_embeddings")?;
        for frequency in &mut self.frequencies {
            let plain = f64::from(*frequency);
            let turns = original * plain / (2.0 * PI);
            *frequency = if turns < low {
                plain / factor
            } else if turns > high {
                plain
            } else {
                let blend = (turns - low) / (high - low);
                (1.0 - blend) * plain / factor + blend * plain
            } as f32;
        }
        Ok(())
    }

    /// YaRN (Peng et al. 2023, equations 22 to 25).
    fn yarn(&mut self, scaling: &Json, theta: f64, context: usize) -> Result<()> {
        let original = scaling
            .optional_number("original_max_position_embeddings")?
            .unwrap_or(context as f64);
        let factor = scaling.number("factor")?;
        if scaling.get("mscale").is_some() || scaling.get("mscale_all_dim").is_some() {
            return Err(Error::unsupported("yarn with mscale is not supported"));
        }
        let width = self.width as f64;
        let dimension =
            |turns: f64| width * (original / (turns * 2.0 * PI)).ln() / (2.0 * theta.ln());
        let mut first = dimension(scaling.optional_number("beta_fast")?.unwrap_or(32.0));
        let mut last = dimension(scaling.optional_number("beta_slow")?.unwrap_or(1.0));
        if scaling.flag("truncate", true)? {
            (first, last) = (first.floor(), last.ceil());
        }
        let (first, mut last) = (first.max(0.0), last.min(width - 1.0));
        if first == last {
            last += 0.001;
        }
        for (pair, frequency) in self.frequencies.iter_mut().enumerate() {
            let plain = f64::from(*frequency);
            let slow = ((pair as f64 - first) / (last - first)).clamp(0.0, 1.0);
            *frequency = (plain / factor * slow + plain * (1.0 - slow)) as f32;
        }
        let amplitude = scaling.optional_number("attention_factor")?;
        self.amplitude = amplitude.unwrap_or(if factor > 1.0 {
            0.1 * factor.ln() + 1.0
        } else {
            1.0
        }) as f32;
        Ok(())
    }

    pub(super) fn check(&self, head: usize) -> Result<()> {
        let sound = self.width >= 2
            && self.width.is_multiple_of(2)
            && self.width <= head
            && self.frequencies.iter().all(|f| f.is_finite() && *f >= 0.0);
        if sound {
            Ok(())
        } else {
            Err(Error::malformed(format!(
                "rotary positions over {} of {head} dimensions make no sense",
                self.width
            )))
        }
    }

    /// Cosines and sines of these positions, [positions, pairs] each.
    pub(crate) fn tables(&self, positions: Range<usize>) -> (Vec<f32>, Vec<f32>) {
        positions
            .flat_map(|position| {
                let amplitude = self.amplitude;
                self.frequencies.iter().map(move |frequency| {
                    let (sine, cosine) = (position as f32 * frequency).sin_cos();
                    (cosine * amplitude, sine * amplitude)
                })
            })
            .unzip()
    }
}

fn kind(scaling: &Json) -> Result<Option<String>> {
    match scaling.text("rope_type")? {
        Some(kind) => Ok(Some(kind)),
        None => scaling.text("type"),
    }
}

/// Phi-3 called it "su", and for a while "yarn", which it is not.
fn long_scaling(json: &Json) -> Result<Option<Json>> {
    let scaling = json.object("rope_parameters");
    let Some(scaling) = scaling.or_else(|| json.object("rope_scaling")) else {
        return Ok(None);
    };
    let long = matches!(kind(&scaling)?.as_deref(), Some("longrope" | "su" | "yarn"));
    Ok(long.then_some(scaling))
}
