//! Several texts that grow together on a device: keys and values of what was read are kept there, and
//! every step reads one more token of each.
//!
//! Texts are padded on the left, so that all of them end in the same column and grow into the next.

use candle_core::{D, DType, Result, Tensor};
use candle_nn::ops;
use candle_nn::rotary_emb::rope;

use super::complaint;
use super::upload::Block;
use super::{BATCH_DOES_NOT_FIT, TensorEngine};
use crate::{Error, ErrorKind};

/// Hides padding. A row of padding sees nothing else, and −∞ everywhere would make it no number.
const HIDDEN: f32 = -1e30;

/// What was read of some texts.
pub(crate) struct Growing {
    layers: Vec<Kept>,
    /// Columns of padding before each text.
    padding: Vec<usize>,
    /// Columns that were read.
    read: usize,
    /// [vocabulary, width] in f32.
    head: Tensor,
}

/// Keys and values of a layer: [texts · key heads, columns, head width].
struct Kept {
    keys: Tensor,
    values: Tensor,
}

/// The likeliest next token of every text, and their logits where somebody draws.
pub(crate) struct Following {
    pub likeliest: Vec<u32>,
    pub logits: Option<Vec<Vec<f32>>>,
}

impl TensorEngine {
    /// Reads the beginnings of texts, each of which may grow by `room` tokens.
    pub(crate) fn begin(
        &self,
        texts: &[&[u32]],
        room: usize,
        drawn: bool,
    ) -> crate::Result<(Growing, Following)> {
        let _alone = self.alone();
        let begun = self.begun(texts, room, drawn);
        let (growing, following) =
            begun.map_err(|error| complaint::failed(&error, BATCH_DOES_NOT_FIT))?;
        Ok((growing, sound(following)?))
    }

    /// Reads one more token of every text.
    pub(crate) fn grow(
        &self,
        growing: &mut Growing,
        tokens: &[u32],
        drawn: bool,
    ) -> crate::Result<Following> {
        let _alone = self.alone();
        let rows: Vec<&[u32]> = tokens.chunks(1).collect();
        let following = self.read_on(growing, &rows, drawn);
        sound(following.map_err(|error| complaint::failed(&error, BATCH_DOES_NOT_FIT))?)
    }

    fn begun(
        &self,
        texts: &[&[u32]],
        room: usize,
        drawn: bool,
    ) -> Result<(Growing, (Following, Vec<f32>))> {
        let length = texts.iter().map(|text| text.len()).max().unwrap_or(0);
        let config = &self.config;
        let shape = (
            texts.len() * config.kv_heads,
            length + room,
            config.head_width,
        );
        let kept = |_: &Block| {
            Ok(Kept {
                keys: Tensor::zeros(shape, DType::F32, &self.device)?,
                values: Tensor::zeros(shape, self.kind, &self.device)?,
            })
        };
        let mut growing = Growing {
            layers: self.blocks.iter().map(kept).collect::<Result<_>>()?,
            padding: texts.iter().map(|text| length - text.len()).collect(),
            read: 0,
            head: self.head.to_dtype(DType::F32)?,
        };
        let padded: Vec<Vec<u32>> = texts
            .iter()
            .map(|text| [vec![0; length - text.len()], text.to_vec()].concat())
            .collect();
        let rows: Vec<&[u32]> = padded.iter().map(Vec::as_slice).collect();
        let following = self.read_on(&mut growing, &rows, drawn)?;
        Ok((growing, following))
    }

    /// Reads further columns of every text; what follows them, with its largest logits.
    fn read_on(
        &self,
        growing: &mut Growing,
        rows: &[&[u32]],
        drawn: bool,
    ) -> Result<(Following, Vec<f32>)> {
        let config = &self.config;
        let (texts, length) = (rows.len(), rows.first().map_or(0, |row| row.len()));
        let columns = Columns::new(self, growing, texts, length)?;
        let ids = Tensor::from_vec(rows.concat(), texts * length, &self.device)?;
        let mut state = self.embedding.index_select(&ids, 0)?;
        if let Some(positions) = &self.positions {
            let places = Tensor::from_vec(columns.places.clone(), texts * length, &self.device)?;
            state = (state + positions.index_select(&places, 0)?)?;
        }
        for (layer, block) in self.blocks.iter().enumerate() {
            let normed = self.normed(&block.before_attention, &state)?;
            let scale = f64::from(config.attention_scale(layer));
            let attended =
                self.attend_kept(block, &normed, &growing.layers[layer], &columns, scale)?;
            state = if config.parallel {
                let normed = self.normed(&block.before_feed_forward, &state)?;
                ((&state + attended)? + self.feed_forward(block, &normed)?)?
            } else {
                let state = (&state + attended)?;
                let normed = self.normed(&block.before_feed_forward, &state)?;
                (&state + self.feed_forward(block, &normed)?)?
            };
        }
        growing.read += length;
        let last = state.reshape((texts, length, config.width))?;
        let last = last.narrow(1, length - 1, 1)?.contiguous()?;
        let last = self.exactly_normed(&self.last, &last.reshape((texts, config.width))?)?;
        let logits = last.matmul(&growing.head.t()?)?;
        let largest: Vec<f32> = logits.max(D::Minus1)?.to_vec1()?;
        let following = Following {
            likeliest: logits.argmax(D::Minus1)?.to_vec1()?,
            logits: drawn.then(|| logits.to_vec2()).transpose()?,
        };
        Ok((following, largest))
    }

    /// Attention of new columns over everything that was read.
    fn attend_kept(
        &self,
        block: &Block,
        normed: &Tensor,
        kept: &Kept,
        columns: &Columns,
        scale: f64,
    ) -> Result<Tensor> {
        let config = &self.config;
        let (texts, length) = (columns.texts, columns.length);
        let (width, group) = (config.head_width, config.heads / config.kv_heads);
        let units = texts * config.kv_heads;
        let fused = block.queries_keys_values.apply(normed)?;
        let part = |first: usize, heads: usize| {
            fused
                .narrow(1, first, heads * width)?
                .reshape((texts, length, heads, width))?
                .transpose(1, 2)?
                .contiguous()
        };
        let (queries, keys) = (config.query_width(), config.kv_width());
        let exact = |heads: &Tensor| columns.rotated(heads)?.to_dtype(DType::F32);
        let q = (exact(&part(0, config.heads)?)? * scale)?;
        let q = q.reshape((units, group * length, width))?;
        let k = exact(&part(queries, config.kv_heads)?)?;
        let v = part(queries + keys, config.kv_heads)?;
        let row = (units, length, width);
        kept.keys
            .slice_set(&k.reshape(row)?.contiguous()?, 1, columns.before)?;
        kept.values
            .slice_set(&v.reshape(row)?.contiguous()?, 1, columns.before)?;
        let seen = columns.before + length;
        let at_once = (self.limits.scores / (group * length * seen)).clamp(1, units);
        let mut out = Vec::new();
        for first in (0..units).step_by(at_once) {
            let count = at_once.min(units - first);
            let k = kept.keys.narrow(0, first, count)?.narrow(1, 0, seen)?;
            let v = kept.values.narrow(0, first, count)?.narrow(1, 0, seen)?;
            let scores = q
                .narrow(0, first, count)?
                .matmul(&k.transpose(1, 2)?)?
                .reshape((count, group, length, seen))?
                .broadcast_add(&columns.hidden.narrow(0, first, count)?)?;
            let scores = match &columns.ahead {
                Some(ahead) => scores.broadcast_add(ahead)?,
                None => scores,
            };
            let found = ops::softmax_last_dim(&scores)?
                .to_dtype(self.kind)?
                .reshape((count, group * length, seen))?
                .matmul(&v)?;
            out.push(found);
        }
        let out = Tensor::cat(&out, 0)?
            .reshape((texts, config.heads, length, width))?
            .transpose(1, 2)?
            .reshape((texts * length, queries))?;
        block.attention_out.apply(&out)
    }
}

/// The columns that are read now: the same for all layers.
struct Columns {
    texts: usize,
    length: usize,
    /// Columns that were read before.
    before: usize,
    /// Where in its own text each column is.
    places: Vec<u32>,
    /// Rotary tables [texts, length, pairs].
    rotation: Option<(Tensor, Tensor)>,
    /// [texts · key heads, 1, 1, columns]: padding.
    hidden: Tensor,
    /// [length, columns]: what comes later than a row; none where there is one row.
    ahead: Option<Tensor>,
}

impl Columns {
    fn new(engine: &TensorEngine, growing: &Growing, texts: usize, length: usize) -> Result<Self> {
        let (before, device) = (growing.read, &engine.device);
        let seen = before + length;
        let place = |padding: &usize, column: usize| column.saturating_sub(*padding);
        let padding = growing.padding.iter();
        let places: Vec<usize> = padding
            .clone()
            .flat_map(|padding| (before..seen).map(move |column| place(padding, column)))
            .collect();
        let rotation = match &engine.config.rope {
            None => None,
            Some(rope) => {
                let pairs = rope.width / 2;
                let (cosines, sines) = rope.tables(0..seen);
                let gathered = |table: &[f32]| {
                    let rows = places.iter();
                    let rows = rows.flat_map(|place| &table[place * pairs..(place + 1) * pairs]);
                    let rows: Vec<f32> = rows.copied().collect();
                    Tensor::from_vec(rows, (texts, length, pairs), device)?.to_dtype(engine.kind)
                };
                Some((gathered(&cosines)?, gathered(&sines)?))
            }
        };
        let heads = engine.config.kv_heads;
        let units = padding.flat_map(|padding| std::iter::repeat_n(*padding, heads));
        let hidden: Vec<f32> = units
            .flat_map(|padding| {
                (0..seen).map(move |column| if column < padding { HIDDEN } else { 0.0 })
            })
            .collect();
        let ahead = |row: usize, column: usize| match column > before + row {
            true => f32::NEG_INFINITY,
            false => 0.0,
        };
        let ahead = (length > 1).then(|| {
            let rows = (0..length).flat_map(|row| (0..seen).map(move |column| ahead(row, column)));
            Tensor::from_vec(rows.collect::<Vec<f32>>(), (length, seen), device)
        });
        Ok(Self {
            texts,
            length,
            before,
            places: places.into_iter().map(|place| place as u32).collect(),
            rotation,
            hidden: Tensor::from_vec(hidden, (texts * heads, 1, 1, seen), device)?,
            ahead: ahead.transpose()?,
        })
    }

    /// The first dimensions of each head turned; the rest as they are.
    fn rotated(&self, heads: &Tensor) -> Result<Tensor> {
        let Some((cosines, sines)) = &self.rotation else {
            return Ok(heads.clone());
        };
        let (turned, width) = (2 * cosines.dim(2)?, heads.dim(3)?);
        if turned == width {
            return rope(heads, cosines, sines);
        }
        let first = rope(&heads.narrow(3, 0, turned)?.contiguous()?, cosines, sines)?;
        Tensor::cat(&[first, heads.narrow(3, turned, width - turned)?], 3)
    }
}

impl TensorEngine {
    /// Goes on with these texts alone.
    pub(crate) fn keep(&self, growing: &mut Growing, texts: &[usize]) -> crate::Result<()> {
        let _alone = self.alone();
        let heads = self.config.kv_heads;
        let units = texts
            .iter()
            .flat_map(|text| (text * heads..(text + 1) * heads).map(|unit| unit as u32));
        let units: Vec<u32> = units.collect();
        let mut select = || -> Result<()> {
            let units = Tensor::from_slice(&units, units.len(), &self.device)?;
            for kept in &mut growing.layers {
                kept.keys = kept.keys.index_select(&units, 0)?;
                kept.values = kept.values.index_select(&units, 0)?;
            }
            Ok(())
        };
        select().map_err(|error| complaint::failed(&error, BATCH_DOES_NOT_FIT))?;
        growing.padding = texts.iter().map(|text| growing.padding[*text]).collect();
        Ok(())
    }
}

/// Nothing, where the computation left the range of its numbers.
fn sound((following, largest): (Following, Vec<f32>)) -> crate::Result<Following> {
    match largest.iter().all(|value| value.is_finite()) {
        true => Ok(following),
        false => Err(
            Error::new(ErrorKind::Device, "the model's logits are not numbers")
                .hint("choose precision bf16 or f32"),
        ),
    }
}
