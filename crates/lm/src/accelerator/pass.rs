//! Hidden states of a padded batch.

use candle_core::{D, DType, Device, Result, Tensor};
use candle_nn::ops;
use candle_nn::rotary_emb::rope;

use super::TensorEngine;
use super::upload::{Block, Linear, Norm};
use crate::config::{Activation, NormKind};
use crate::scores::Piece;

/// What all layers share. A head of keys and the heads of queries that share it are a unit.
struct Shared {
    texts: usize,
    length: usize,
    /// Rotary tables [length, pairs].
    rotation: Option<(Tensor, Tensor)>,
    /// How many units look back at once, and how many of their positions.
    units: usize,
    rows: usize,
    /// [units, queries of a unit, rows, columns]: one for every score where all rows look back at
    /// once, so that adding it is fast; else row i sees up to column length + i.
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
                let (cosines, sines) = rope.tables(0..length);
                let table = |values: Vec<f32>| {
                    Tensor::from_vec(values, (length, rope.width / 2), &self.device)?
                        .to_dtype(self.kind)
                };
                Some((table(cosines)?, table(sines)?))
            }
        };
        let group = self.config.heads / self.config.kv_heads;
        let row = group * length.max(1);
        let units = (self.limits.scores / (row * length.max(1))).max(1);
        let units = units.min(texts * self.config.kv_heads);
        let rows = (self.limits.scores / row).clamp(1, length.max(1));
        let mask = mask(rows, length, &self.device)?;
        let mask = if rows == length {
            let all = (units, group, length, length);
            mask.narrow(1, length, length)?
                .broadcast_as(all)?
                .contiguous()?
        } else {
            mask.broadcast_as((units, group, rows, length + rows))?
        };
        Ok(Shared {
            texts,
            length,
            rotation,
            units,
            rows,
            mask,
        })
    }

    pub(super) fn normed(&self, norm: &Norm, input: &Tensor) -> Result<Tensor> {
        self.exactly_normed(norm, input)?.to_dtype(self.kind)
    }

    pub(super) fn exactly_normed(&self, norm: &Norm, input: &Tensor) -> Result<Tensor> {
        let mut x = input.to_dtype(DType::F32)?;
        if self.config.norm == NormKind::Layer {
            x = x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)?;
        }
        let out = ops::rms_norm(&x, &norm.weight, self.config.epsilon)?;
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
        // In f32, so that their products, and with them the scores, are.
        let exact = |heads: &Tensor| rotated(heads, shared)?.to_dtype(DType::F32);
        let q = (exact(&part(0, config.heads)?)? * scale)?;
        let k = exact(&part(queries, config.kv_heads)?)?;
        let v = part(queries + keys, config.kv_heads)?;
        let all = texts * config.kv_heads;
        let q = q.reshape((
            all,
            config.heads / config.kv_heads,
            length,
            config.head_width,
        ))?;
        let k = k.reshape((all, length, config.head_width))?;
        let v = v.reshape((all, length, config.head_width))?;
        let mut out = Vec::new();
        for first in (0..all).step_by(shared.units) {
            let units = shared.units.min(all - first);
            let q = q.narrow(0, first, units)?;
            let k = k.narrow(0, first, units)?;
            let v = v.narrow(0, first, units)?;
            let rows = (0..length).step_by(shared.rows);
            let rows: Vec<Tensor> = rows
                .map(|begin| self.look_back(&q, &k, &v, begin, shared))
                .collect::<Result<_>>()?;
            out.push(Tensor::cat(&rows, 2)?);
        }
        let out = Tensor::cat(&out, 0)?
            .reshape((texts, config.heads, length, config.head_width))?
            .transpose(1, 2)?
            .reshape((texts * length, queries))?;
        block.attention_out.apply(&out)
    }

    /// What the positions from `begin` on find: [units, queries of a unit, rows, head width].
    fn look_back(
        &self,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        begin: usize,
        shared: &Shared,
    ) -> Result<Tensor> {
        let (units, group, _, width) = q.dims4()?;
        let rows = shared.rows.min(shared.length - begin);
        let seen = begin + rows;
        let past = shared.mask.dim(3)? - shared.rows - begin;
        let mask = shared.mask.narrow(0, 0, units)?;
        let mask = mask.narrow(2, 0, rows)?.narrow(3, past, seen)?;
        // The queries of a unit are stacked along the rows of one product.
        let q = q.narrow(2, begin, rows)?.contiguous()?;
        let scores = q
            .reshape((units, group * rows, width))?
            .matmul(&k.narrow(1, 0, seen)?.transpose(1, 2)?)?
            .reshape((units, group, rows, seen))?
            .broadcast_add(&mask)?;
        ops::softmax_last_dim(&scores)?
            .to_dtype(self.kind)?
            .reshape((units, group * rows, seen))?
            .matmul(&v.narrow(1, 0, seen)?)?
            .reshape((units, group, rows, width))
    }

    pub(super) fn feed_forward(&self, block: &Block, normed: &Tensor) -> Result<Tensor> {
        let mut bent = bend(&block.up.apply(normed)?, self.config.activation)?;
        if let Some(gated) = &block.gated {
            bent = (bent * gated.apply(normed)?)?;
        }
        block.down.apply(&bent)
    }
}

impl Linear {
    pub(super) fn apply(&self, input: &Tensor) -> Result<Tensor> {
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
    let (turned, width) = (2 * cosines.dim(1)?, heads.dim(3)?);
    if turned == width {
        return rope(heads, cosines, sines);
    }
    let first = rope(&heads.narrow(3, 0, turned)?.contiguous()?, cosines, sines)?;
    Tensor::cat(&[first, heads.narrow(3, turned, width - turned)?], 3)
}

/// [rows, length + rows]: row i sees up to column length + i.
fn mask(rows: usize, length: usize, device: &Device) -> Result<Tensor> {
    let (begin, end) = (length as u32, (length + rows) as u32);
    let columns = Tensor::arange(0, end, device)?.unsqueeze(0)?;
    let last_seen = Tensor::arange(begin, end, device)?.unsqueeze(1)?;
    let ahead = columns.broadcast_gt(&last_seen)?;
    let hide = Tensor::full(f32::NEG_INFINITY, ahead.shape(), device)?;
    ahead.where_cond(&hide, &hide.zeros_like()?)
}

fn bend(values: &Tensor, activation: Activation) -> Result<Tensor> {
    match activation {
        Activation::Gelu => values.gelu_erf(),
        Activation::GeluTanh => values.gelu(),
        Activation::Relu => values.relu(),
        Activation::Silu => values.silu(),
    }
}
