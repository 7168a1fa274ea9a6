//! Hidden states of a chunk of texts at the positions that predict something.

use super::attention::attend;
use super::rotate::Tables;
use crate::config::Config;
use crate::decoder::{Block, Decoder};
use crate::scores::Piece;

/// [predicting positions, width], after the last normalisation. With `alone`, other chunks keep
/// the other threads busy, and matrix products stay on this one.
pub(super) fn hidden(decoder: &Decoder, pieces: &[Piece], alone: bool) -> Vec<f32> {
    let config = &decoder.config;
    let longest = pieces.iter().map(|piece| piece.inputs().len()).max();
    let tokens: usize = pieces.iter().map(|piece| piece.inputs().len()).sum();
    let mut pass = Pass {
        config,
        tables: Tables::new(config, longest.unwrap_or(0)),
        lengths: pieces.iter().map(|piece| piece.inputs().len()).collect(),
        state: embed(decoder, pieces),
        normed: vec![0.0; tokens * config.width],
        fused: vec![0.0; tokens * (config.query_width() + 2 * config.kv_width())],
        heads: vec![0.0; tokens * config.query_width()],
        attended: vec![0.0; tokens * config.query_width()],
        lifted: vec![0.0; tokens * lifted_width(decoder)],
        bent: vec![0.0; tokens * config.hidden],
        parallel: !alone,
    };
    for (layer, block) in decoder.blocks.iter().enumerate() {
        pass.run(block, config.attention_scale(layer));
    }
    finish(decoder, pieces, &pass.state)
}

fn lifted_width(decoder: &Decoder) -> usize {
    decoder
        .blocks
        .first()
        .map_or(0, |block| block.up.out_width())
}

fn embed(decoder: &Decoder, pieces: &[Piece]) -> Vec<f32> {
    let mut state = Vec::new();
    for piece in pieces {
        for (position, &token) in piece.inputs().iter().enumerate() {
            let begin = state.len();
            state.extend_from_slice(decoder.embedding.row(token as usize));
            if let Some(positions) = &decoder.positions {
                let learned = positions.row(position);
                for (value, added) in state[begin..].iter_mut().zip(learned) {
                    *value += added;
                }
            }
        }
    }
    state
}

fn finish(decoder: &Decoder, pieces: &[Piece], state: &[f32]) -> Vec<f32> {
    let config = &decoder.config;
    let mut picked = Vec::new();
    let mut begin = 0;
    for piece in pieces {
        let end = begin + piece.inputs().len();
        picked.extend_from_slice(&state[(begin + piece.skip) * config.width..end * config.width]);
        begin = end;
    }
    let mut out = vec![0.0; picked.len()];
    decoder
        .last
        .apply(&mut out, &picked, config.norm, config.epsilon);
    out
}

/// Buffers that all layers of a chunk use in turn.
struct Pass<'a> {
    config: &'a Config,
    tables: Option<Tables>,
    lengths: Vec<usize>,
    state: Vec<f32>,
    normed: Vec<f32>,
    fused: Vec<f32>,
    heads: Vec<f32>,
    attended: Vec<f32>,
    lifted: Vec<f32>,
    bent: Vec<f32>,
    parallel: bool,
}

impl Pass<'_> {
    fn run(&mut self, block: &Block, scale: f32) {
        let (kind, epsilon) = (self.config.norm, self.config.epsilon);
        block
            .before_attention
            .apply(&mut self.normed, &self.state, kind, epsilon);
        block
            .queries_keys_values
            .apply(&mut self.fused, &self.normed, false, self.parallel);
        self.attend(scale);
        if self.config.parallel {
            // The feed-forward layer, too, must see the state before attention.
            block
                .before_feed_forward
                .apply(&mut self.normed, &self.state, kind, epsilon);
        }
        block
            .attention_out
            .apply(&mut self.state, &self.attended, true, self.parallel);
        if !self.config.parallel {
            block
                .before_feed_forward
                .apply(&mut self.normed, &self.state, kind, epsilon);
        }
        self.feed_forward(block);
    }

    fn attend(&mut self, scale: f32) {
        let config = self.config;
        let (head, width) = (config.head_width, config.query_width());
        let stride = width + 2 * config.kv_width();
        let mut begin = 0;
        for &length in &self.lengths {
            let end = begin + length;
            let fused = &mut self.fused[begin * stride..end * stride];
            if let Some(tables) = &self.tables {
                tables.rotate(fused, stride, config.heads + config.kv_heads, head);
            }
            let heads = &mut self.heads[begin * width..end * width];
            attend(config, fused, scale, heads);
            let attended = &mut self.attended[begin * width..end * width];
            for (index, rows) in heads.chunks_exact(length * head).enumerate() {
                for (position, row) in rows.chunks_exact(head).enumerate() {
                    let place = position * width + index * head;
                    attended[place..place + head].copy_from_slice(row);
                }
            }
            begin = end;
        }
    }

    fn feed_forward(&mut self, block: &Block) {
        let activation = self.config.activation;
        let input = if Decoder::gated(self.config) {
            block
                .up
                .apply(&mut self.lifted, &self.normed, false, self.parallel);
            activation.apply_gated(&mut self.bent, &self.lifted, self.config.hidden);
            &self.bent
        } else {
            block
                .up
                .apply(&mut self.bent, &self.normed, false, self.parallel);
            activation.apply(&mut self.bent);
            &self.bent
        };
        block
            .down
            .apply(&mut self.state, input, true, self.parallel);
    }
}
