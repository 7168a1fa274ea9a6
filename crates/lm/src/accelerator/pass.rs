//! Hidden states of a padded batch.

use candle_core::{D, DType, Device, Result, Tensor};

use super::TensorEngine;
use super::upload::{Block, Linear, Norm};
use crate::config::{Activation, NormKind};
use crate::decoder::Decoder;
use crate::scores::Piece;

/// What all layers share.
struct Shared {
    texts: usize,
    length: usize,
    /// Rotary tables [length, pairs].
    rotation: Option<(Tensor, Tensor)>,
    /// How many positions look back at once.
    rows: usize,
    /// [rows, length + rows]: row i sees up to column length + i.
    mask: Tensor,
}

impl TensorEngine {
    /// [texts · length, width] in f32, after the last normalisation.
    pub(super) fn hidden(&self, pieces: &[Piece]) -> Result<Tensor> {
        let texts = pieces.len();
        let length = pieces.iter().map(|piece| piece.inputs().len()).max();
        let length = length.unwrap_or(0);
        let mut state = self.embed(pieces, length)?;
        let shared = self.shared(texts, length)?;
        for (layer, block) in self.blocks.iter().enumerate() {
            let normed = self.normed(&block.before_attention, &state)?;
            let scale = f64::from(self.config.attention_scale(layer));
            let attended = self.attend(block, &normed, &shared, scale)?;
            state = if self.config.parallel {
                let normed = self.normed(&block.before_feed_forward, &state)?;
                ((&state + attended)? + self.feed_forward(block, &normed)?)?
            } else {
                let state = (&state + attended)?;
                let normed = self.normed(&block.before_feed_forward, &state)?;
                (&state + self.feed_forward(block, &normed)?)?
            };
        }
        self.exactly_normed(&self.last, &state)
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

    fn shared(&self, texts: usize, length: usize) -> Result<Shared> {
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
        let scores_of_a_row = texts * self.config.heads * length;
        let rows = (self.limits.scores / scores_of_a_row.max(1)).clamp(1, length.max(1));
        Ok(Shared {
            texts,
            length,
            rotation,
            rows,
            mask: mask(rows, length, &self.device)?,
        })
    }

    fn normed(&self, norm: &Norm, input: &Tensor) -> Result<Tensor> {
        self.exactly_normed(norm, input)?.to_dtype(self.kind)
    }

    fn exactly_normed(&self, norm: &Norm, input: &Tensor) -> Result<Tensor> {
        let mut x = input.to_dtype(DType::F32)?;
        if self.config.norm == NormKind::Layer {
            x = x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)?;
        }
        let variance = x.sqr()?.mean_keepdim(D::Minus1)?;
        let deviation = (variance + f64::from(self.config.epsilon))?.sqrt()?;
        let out = x.broadcast_div(&deviation)?.broadcast_mul(&norm.weight)?;
        match &norm.bias {
            Some(bias) => out.broadcast_add(bias),
            None => Ok(out),
        }
    }

    fn attend(
        &self,
        block: &Block,
        normed: &Tensor,
        shared: &Shared,
        scale: f64,
    ) -> Result<Tensor> {
        let config = &self.config;
        let (texts, length) = (shared.texts, shared.length);
        let fused = block.queries_keys_values.apply(normed)?;
        let part = |first: usize, heads: usize| {
            fused
                .narrow(1, first, heads * config.head_width)?
                .reshape((texts, length, heads, config.head_width))?
                .transpose(1, 2)?
                .contiguous()
        };
        let (queries, keys) = (config.query_width(), config.kv_width());
        // Scaled before the product, which could leave the range of f16 otherwise.
        let q = (rotated(&part(0, config.heads)?, shared)? * scale)?;
        let k = rotated(&part(queries, config.kv_heads)?, shared)?;
        let v = part(queries + keys, config.kv_heads)?;
        let mut out = Vec::new();
        for begin in (0..length).step_by(shared.rows) {
            out.push(self.look_back(&q, &k, &v, begin, shared)?);
        }
        let out = Tensor::cat(&out, 2)?
            .transpose(1, 2)?
            .reshape((texts * length, queries))?;
        block.attention_out.apply(&out)
    }

    /// What the positions from `begin` on find: [texts, heads, rows, head width].
    fn look_back(
        &self,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        begin: usize,
        shared: &Shared,
    ) -> Result<Tensor> {
        let config = &self.config;
        let texts = shared.texts;
        let rows = shared.rows.min(shared.length - begin);
        let seen = begin + rows;
        // Heads that share keys are stacked along the rows of one product.
        let stacked = config.heads / config.kv_heads * rows;
        let q = q.narrow(2, begin, rows)?.contiguous()?;
        let q = q.reshape((texts, config.kv_heads, stacked, config.head_width))?;
        let mask = shared.mask.narrow(0, 0, rows)?;
        let mask = mask.narrow(1, shared.length - begin, seen)?;
        let scores = q
            .matmul(&k.narrow(2, 0, seen)?.transpose(2, 3)?)?
            .to_dtype(DType::F32)?
            .reshape((texts, config.heads, rows, seen))?
            .broadcast_add(&mask)?;
        let weights = softmax(&scores)?.to_dtype(self.kind)?;
        weights
            .reshape((texts, config.kv_heads, stacked, seen))?
            .matmul(&v.narrow(2, 0, seen)?)?
            .reshape((texts, config.heads, rows, config.head_width))
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

fn mask(rows: usize, length: usize, device: &Device) -> Result<Tensor> {
    let (begin, end) = (length as u32, (length + rows) as u32);
    let columns = Tensor::arange(0, end, device)?.unsqueeze(0)?;
    let last_seen = Tensor::arange(begin, end, device)?.unsqueeze(1)?;
    let ahead = columns.broadcast_gt(&last_seen)?;
    let hide = Tensor::full(f32::NEG_INFINITY, ahead.shape(), device)?;
    ahead.where_cond(&hide, &hide.zeros_like()?)
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
