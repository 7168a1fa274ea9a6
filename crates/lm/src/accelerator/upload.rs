//! A decoder's weights as tensors on a device.

use candle_core::{DType, Device, Result, Tensor};

use super::fused::Fused;
use super::{Limits, TensorEngine};
use crate::decoder::{self, Decoder};
use crate::weights::Array;

pub(super) struct Linear {
    /// [in, out].
    pub(super) weight: Tensor,
    pub(super) bias: Option<Tensor>,
}

/// In f32, whatever the precision of the rest.
pub(super) struct Norm {
    pub(super) weight: Tensor,
    pub(super) bias: Option<Tensor>,
}

pub(super) struct Block {
    pub(super) before_attention: Norm,
    pub(super) queries_keys_values: Linear,
    pub(super) attention_out: Linear,
    pub(super) before_feed_forward: Norm,
    /// The gates, where there are any.
    pub(super) up: Linear,
    /// What the gates let through.
    pub(super) gated: Option<Linear>,
    pub(super) down: Linear,
}

pub(super) fn engine(decoder: &Decoder, device: &Device, kind: DType) -> Result<TensorEngine> {
    let upload = Upload {
        device,
        kind,
        gated: Decoder::gated(&decoder.config).then_some(decoder.config.hidden),
    };
    let covered = Fused::covers(&decoder.config, device, kind)?;
    let embedding = upload.array(&decoder.embedding, kind)?;
    let head_kind = if covered { kind } else { DType::F32 };
    let head = match &decoder.head {
        None if kind == head_kind => embedding.clone(),
        head => upload.array(head.as_ref().unwrap_or(&decoder.embedding), head_kind)?,
    };
    let blocks = decoder.blocks.iter().map(|block| upload.block(block));
    let blocks: Vec<Block> = blocks.collect::<Result<_>>()?;
    let fused = covered.then(|| Fused::new(&decoder.config, device, kind, &blocks));
    Ok(TensorEngine {
        config: decoder.config.clone(),
        device: device.clone(),
        kind,
        positions: decoder
            .positions
            .as_ref()
            .map(|positions| upload.array(positions, kind))
            .transpose()?,
        blocks,
        fused: fused.transpose()?,
        last: upload.norm(&decoder.last)?,
        embedding,
        head,
        limits: Limits::default(),
    })
}

struct Upload<'a> {
    device: &'a Device,
    kind: DType,
    /// The width of the gates, which lie beside what they let through.
    gated: Option<usize>,
}

impl Upload<'_> {
    fn array(&self, array: &Array, kind: DType) -> Result<Tensor> {
        Tensor::from_slice(&array.data, array.shape.as_slice(), self.device)?.to_dtype(kind)
    }

    fn vector(&self, vector: &[f32], kind: DType) -> Result<Tensor> {
        Tensor::from_slice(vector, vector.len(), self.device)?.to_dtype(kind)
    }

    fn optional(&self, vector: Option<&Vec<f32>>, kind: DType) -> Result<Option<Tensor>> {
        vector.map(|vector| self.vector(vector, kind)).transpose()
    }

    fn linear(&self, map: &decoder::Linear) -> Result<Linear> {
        Ok(Linear {
            weight: self.array(&map.weight, self.kind)?,
            bias: self.optional(map.bias.as_ref(), self.kind)?,
        })
    }

    fn norm(&self, norm: &decoder::Norm) -> Result<Norm> {
        Ok(Norm {
            weight: self.vector(&norm.weight, DType::F32)?,
            bias: self.optional(norm.bias.as_ref(), DType::F32)?,
        })
    }

    fn block(&self, block: &decoder::Block) -> Result<Block> {
        let up = self.linear(&block.up)?;
        let (up, gated) = match self.gated {
            Some(width) => (up.columns(0, width)?, Some(up.columns(width, width)?)),
            None => (up, None),
        };
        Ok(Block {
            before_attention: self.norm(known(block.before_attention.as_ref())?)?,
            queries_keys_values: self.linear(&block.queries_keys_values)?,
            attention_out: self.linear(&block.attention_out)?,
            before_feed_forward: self.norm(known(block.before_feed_forward.as_ref())?)?,
            up,
            gated,
            down: self.linear(&block.down)?,
        })
    }
}

/// Blocks without it were refused before.
fn known(norm: Option<&decoder::Norm>) -> Result<&decoder::Norm> {
    norm.ok_or_else(|| candle_core::Error::Msg("a block lacks its normalisation".into()))
}

impl Linear {
    fn columns(&self, first: usize, count: usize) -> Result<Self> {
        let bias = self.bias.as_ref();
        Ok(Self {
            weight: self.weight.narrow(1, first, count)?.contiguous()?,
            bias: bias.map(|bias| bias.narrow(0, first, count)).transpose()?,
        })
    }
}
