//! The last states of texts laid end to end, without padding.

use super::encoder::{Block, Encoder};
use crate::config::NormKind;
use crate::cpu::{Attention, Shape, Sight, side_by_side};

/// [tokens of all texts, width]. With `alone`, other chunks keep the other threads busy.
pub(super) fn states(encoder: &Encoder, texts: &[Vec<u32>], alone: bool) -> Vec<f32> {
    let mut pass = Pass::new(encoder, texts, !alone);
    for block in &encoder.blocks {
        pass.run(block);
    }
    pass.state
}

/// Buffers that all layers use in turn.
struct Pass<'a> {
    encoder: &'a Encoder,
    texts: &'a [Vec<u32>],
    parallel: bool,
    state: Vec<f32>,
    summed: Vec<f32>,
    fused: Vec<f32>,
    heads: Vec<f32>,
    attended: Vec<f32>,
    lifted: Vec<f32>,
}

impl<'a> Pass<'a> {
    fn new(encoder: &'a Encoder, texts: &'a [Vec<u32>], parallel: bool) -> Self {
        let config = &encoder.config;
        let summed = embed(encoder, texts);
        let tokens = summed.len() / config.width;
        let mut state = vec![0.0; summed.len()];
        encoder
            .first
            .apply(&mut state, &summed, NormKind::Layer, config.epsilon);
        Self {
            encoder,
            texts,
            parallel,
            state,
            fused: vec![0.0; tokens * 3 * config.width],
            heads: vec![0.0; summed.len()],
            attended: vec![0.0; summed.len()],
            lifted: vec![0.0; tokens * config.hidden],
            summed,
        }
    }

    /// Normalised after each of its halves.
    fn run(&mut self, block: &Block) {
        let config = &self.encoder.config;
        let (kind, epsilon) = (NormKind::Layer, config.epsilon);
        block
            .queries_keys_values
            .apply(&mut self.fused, &self.state, false, self.parallel);
        self.attend();
        self.summed.copy_from_slice(&self.state);
        block
            .attention_out
            .apply(&mut self.summed, &self.attended, true, self.parallel);
        block
            .after_attention
            .apply(&mut self.state, &self.summed, kind, epsilon);
        block
            .up
            .apply(&mut self.lifted, &self.state, false, self.parallel);
        config.activation.apply(&mut self.lifted);
        self.summed.copy_from_slice(&self.state);
        block
            .down
            .apply(&mut self.summed, &self.lifted, true, self.parallel);
        block
            .after_feed_forward
            .apply(&mut self.state, &self.summed, kind, epsilon);
    }

    /// Each text for itself.
    fn attend(&mut self) {
        let (width, heads) = (self.encoder.config.width, self.encoder.config.heads);
        let head = width / heads;
        let shape = Shape {
            heads,
            kv_heads: heads,
            width: head,
            scale: 1.0 / (head as f32).sqrt(),
            cap: None,
            window: None,
        };
        let mut begin = 0;
        for text in self.texts {
            let end = begin + text.len();
            let fused = &self.fused[begin * 3 * width..end * 3 * width];
            let rows = begin * width..end * width;
            let heads = &mut self.heads[rows.clone()];
            Attention::fused(shape, fused, Sight::All).attend(heads);
            side_by_side(heads, head, &mut self.attended[rows], width);
            begin = end;
        }
    }
}

fn embed(encoder: &Encoder, texts: &[Vec<u32>]) -> Vec<f32> {
    let mut state = Vec::new();
    for text in texts {
        for (position, &token) in text.iter().enumerate() {
            let word = encoder.words.row(token as usize);
            let place = encoder.positions.row(position);
            state.extend(word.iter().zip(place).map(|(word, place)| word + place));
        }
    }
    state
}
