//! Hidden states of a padded batch.

use candle_core::{D, DType, Result, Tensor};

use super::TensorEngine;
use super::upload::{Block, Linear, Norm};
use crate::config::{Activation, NormKind};
use crate::decoder::Decoder;
use crate::scores::Piece;

/// What all layers share: rotary tables [length, pairs] and the causal mask.
struct Shared {
    rotation: Option<(Tensor, Tensor)>,
    mask: Tensor,
}

impl TensorEngine {
    /// [texts · length, width], after the last normalisation.
    pub(super) fn hidden(&self, pieces: &[Piece]) -> Result<Tensor> {
        let texts = pieces.len();
        let length = pieces.iter().map(|piece| piece.inputs().len()).max();
        let length = length.unwrap_or(0);
        let mut state = self.embed(pieces, length)?;
        let shared = self.shared(length)?;
        for (layer, block) in self.blocks.iter().enumerate() {
            let normed = self.normed(&block.before_attention, &state)?;
            let scale = f64::from(self.config.attention_scale(layer));
            let attended = self.attend(block, &normed, (texts, length), &shared, scale)?;
            state = if self.config.parallel {
                let normed = self.normed(&block.before_feed_forward, &state)?;
                ((&state + attended)? + self.feed_forward(block, &normed)?)?
            } else {
                let state = (&state + attended)?;
                let normed = self.normed(&block.before_feed_forward, &state)?;
                (&state + self.feed_forward(block, &normed)?)?
            };
        }
        self.normed(&self.last, &state)
    }

    fn embed(&self, pieces: &[Piece], length: usize) -> Result<Tensor> {
        let mut ids = Vec::with_capacity(pieces.len() * length);
        for piece in pieces {
            ids.extend_from_slice(piece.inputs());
            ids.resize(ids.len() + length - piece.inputs().len(), 0u32);
        }
        let count = ids.len();
        let ids = Tensor::from_vec(ids, count, &self.device)?;
        let state = self.embedding.index_select(&ids, 0)?;
        let Some(positions) = &self.positions else {
            return Ok(state);
        };
        let positions = positions.narrow(0, 0, length)?;
        state
            .reshape((pieces.len(), length, self.config.width))?
            .broadcast_add(&positions)?
            .reshape((count, self.config.width))
    }

    fn shared(&self, length: usize) -> Result<Shared> {
        let rotation = match &self.config.rope {
            None => None,
            Some(rope) => {
                let (cosines, sines) = rope.tables(length);
                let table = |values: Vec<f32>| {
                    Tensor::from_vec(values, (length, rope.width / 2), &self.device)?
                        .to_dtype(self.kind)
                };
                Some((table(cosines)?, table(sines)?))
            }
        };
        let mask: Vec<f32> = (0..length)
            .flat_map(|row| {
                (0..length).map(move |column| if column > row { f32::NEG_INFINITY } else { 0.0 })
            })
            .collect();
        Ok(Shared {
            rotation,
            mask: Tensor::from_vec(mask, (length, length), &self.device)?,
        })
    }

    fn normed(&self, norm: &Norm, input: &Tensor) -> Result<Tensor> {
        let mut x = input.to_dtype(DType::F32)?;
        if self.config.norm == NormKind::Layer {
            x = x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)?;
        }
        let variance = x.sqr()?.mean_keepdim(D::Minus1)?;
        let deviation = (variance + f64::from(self.config.epsilon))?.sqrt()?;
        let mut out = x.broadcast_div(&deviation)?.broadcast_mul(&norm.weight)?;
        if let Some(bias) = &norm.bias {
            out = out.broadcast_add(bias)?;
        }
        out.to_dtype(self.kind)
    }

    fn attend(
        &self,
        block: &Block,
        normed: &Tensor,
        (texts, length): (usize, usize),
        shared: &Shared,
        scale: f64,
    ) -> Result<Tensor> {
        let config = &self.config;
        let fused = block.queries_keys_values.apply(normed)?;
        let part = |first: usize, heads: usize| {
            fused
                .narrow(1, first, heads * config.head_width)?
                .reshape((texts, length, heads, config.head_width))?
                .transpose(1, 2)?
                .contiguous()
        };
        let (queries, keys) = (config.query_width(), config.kv_width());
        let q = rotated(&part(0, config.heads)?, shared)?;
        let k = rotated(&part(queries, config.kv_heads)?, shared)?;
        let v = part(queries + keys, config.kv_heads)?;
        let group = config.heads / config.kv_heads;
        // Heads that share keys are stacked along the rows of one product.
        let rows = group * length;
        let q = q.reshape((texts, config.kv_heads, rows, config.head_width))?;
        let scores = (q.matmul(&k.transpose(2, 3)?.contiguous()?)? * scale)?
            .to_dtype(DType::F32)?
            .reshape((texts, config.heads, length, length))?
            .broadcast_add(&shared.mask)?;
        let weights = softmax(&scores)?.to_dtype(self.kind)?.reshape((
            texts,
            config.kv_heads,
            rows,
            length,
        ))?;
        let out = weights
            .matmul(&v)?
            .reshape((texts, config.heads, length, config.head_width))?
            .transpose(1, 2)?
            .reshape((texts * length, queries))?;
        block.attention_out.apply(&out)
    }

    fn feed_forward(&self, block: &Block, normed: &Tensor) -> Result<Tensor> {
        let lifted = block.up.apply(normed)?;
        let bent = if Decoder::gated(&self.config) {
            let hidden = self.config.hidden;
            let gates = lifted.narrow(1, 0, hidden)?.contiguous()?;
            let values = lifted.narrow(1, hidden, hidden)?.contiguous()?;
            (bend(&gates, self.config.activation)? * values)?
        } else {
            bend(&lifted, self.config.activation)?
        };
        block.down.apply(&bent)
    }
}

impl Linear {
    fn apply(&self, input: &Tensor) -> Result<Tensor> {
        let out = input.matmul(&self.weight)?;
        match &self.bias {
            Some(bias) => out.broadcast_add(bias),
            None => Ok(out),
        }
    }
}

/// The first dimensions of each head turned; the rest as they are.
fn rotated(heads: &Tensor, shared: &Shared) -> Result<Tensor> {
    let Some((cosines, sines)) = &shared.rotation else {
        return Ok(heads.clone());
    };
    let half = cosines.dim(1)?;
    let width = heads.dim(3)?;
    let a = heads.narrow(3, 0, half)?;
    let b = heads.narrow(3, half, half)?;
    let first = (a.broadcast_mul(cosines)? - b.broadcast_mul(sines)?)?;
    let second = (b.broadcast_mul(cosines)? + a.broadcast_mul(sines)?)?;
    if 2 * half == width {
        return Tensor::cat(&[first, second], 3);
    }
    let rest = heads.narrow(3, 2 * half, width - 2 * half)?;
    Tensor::cat(&[first, second, rest], 3)
}

fn softmax(scores: &Tensor) -> Result<Tensor> {
    let shifted = scores.broadcast_sub(&scores.max_keepdim(D::Minus1)?)?;
    let weights = shifted.exp()?;
    weights.broadcast_div(&weights.sum_keepdim(D::Minus1)?)
}

fn bend(values: &Tensor, activation: Activation) -> Result<Tensor> {
    match activation {
        Activation::Gelu => values.gelu_erf(),
        Activation::GeluTanh => values.gelu(),
        Activation::Relu => values.relu(),
        Activation::Silu => values.silu(),
    }
}
