//! Hidden states of a chunk of texts at the positions that predict something.

use super::attending::Attending;
use super::attention::Shape;
use super::rotate::LayerTables;
use crate::config::Config;
use crate::decoder::{Block, Decoder, Linear, Norm};
use crate::scores::Piece;

/// [predicting positions, width], after the last normalisation. With `alone`, other chunks keep
/// the other threads busy, and matrix products stay on this one.
pub(super) fn hidden(decoder: &Decoder, pieces: &[Piece], alone: bool) -> Vec<f32> {
    let config = &decoder.config;
    let longest = pieces.iter().map(|piece| piece.inputs().len()).max();
    let tables = LayerTables::new(config, 0..longest.unwrap_or(0));
    let mut state = Vec::new();
    for piece in pieces {
        embed(decoder, piece.inputs(), 0, &mut state);
    }
    let mut pass = Pass::new(decoder, state, !alone);
    for (layer, block) in decoder.blocks.iter().enumerate() {
        let shape = Shape::new(config, layer);
        pass.run(block, |buffers| {
            let mut rest = buffers;
            for piece in pieces {
                let now;
                (now, rest) = rest.split(config, piece.inputs().len());
                now.look_back(config, shape, tables.of(config, layer));
            }
        });
    }
    finish(decoder, &predicting(config, pieces, &pass.state))
}

fn lifted_width(decoder: &Decoder) -> usize {
    decoder
        .blocks
        .first()
        .map_or(0, |block| block.up.out_width())
}

/// Append what stands for these tokens, the first of which is at position `first`.
pub(super) fn embed(decoder: &Decoder, tokens: &[u32], first: usize, state: &mut Vec<f32>) {
    for (position, &token) in (first..).zip(tokens) {
        let begin = state.len();
        let scale = decoder.config.embedding_scale;
        let row = decoder.embedding.row(token as usize);
        state.extend(row.iter().map(|value| value * scale));
        if let Some(positions) = &decoder.positions {
            let learned = positions.row(position);
            for (value, added) in state[begin..].iter_mut().zip(learned) {
                *value += added;
            }
        }
    }
}

fn predicting(config: &Config, pieces: &[Piece], state: &[f32]) -> Vec<f32> {
    let mut picked = Vec::new();
    let mut begin = 0;
    for piece in pieces {
        let end = begin + piece.inputs().len();
        picked.extend_from_slice(&state[(begin + piece.skip) * config.width..end * config.width]);
        begin = end;
    }
    picked
}

/// The last normalisation.
pub(super) fn finish(decoder: &Decoder, state: &[f32]) -> Vec<f32> {
    let config = &decoder.config;
    let mut out = vec![0.0; state.len()];
    decoder
        .last
        .apply(&mut out, state, config.norm, config.epsilon);
    out
}

/// Buffers that all layers of a chunk use in turn.
pub(super) struct Pass<'a> {
    config: &'a Config,
    pub(super) state: Vec<f32>,
    normed: Vec<f32>,
    fused: Vec<f32>,
    heads: Vec<f32>,
    attended: Vec<f32>,
    lifted: Vec<f32>,
    bent: Vec<f32>,
    parallel: bool,
}

impl<'a> Pass<'a> {
    pub(super) fn new(decoder: &'a Decoder, state: Vec<f32>, parallel: bool) -> Self {
        let config = &decoder.config;
        let tokens = state.len() / config.width;
        Self {
            config,
            normed: vec![0.0; tokens * config.width],
            fused: vec![0.0; tokens * (config.query_width() + 2 * config.kv_width())],
            heads: vec![0.0; tokens * config.query_width()],
            attended: vec![0.0; tokens * config.query_width()],
            lifted: vec![0.0; tokens * lifted_width(decoder)],
            bent: vec![0.0; tokens * config.hidden],
            state,
            parallel,
        }
    }

    /// One layer; `attend` turns queries, keys and values into what was attended to.
    pub(super) fn run(&mut self, block: &Block, attend: impl FnOnce(Attending<'_>)) {
        self.normalise(block.before_attention.as_ref());
        block
            .queries_keys_values
            .apply(&mut self.fused, &self.normed, false, self.parallel);
        self.prepare_heads(block);
        attend(Attending {
            fused: &mut self.fused,
            heads: &mut self.heads,
            attended: &mut self.attended,
        });
        if self.config.parallel {
            // The feed-forward layer, too, must see the state before attention.
            self.normalise(block.before_feed_forward.as_ref());
        }
        let attended = std::mem::take(&mut self.attended);
        self.add(
            &block.attention_out,
            &attended,
            block.after_attention.as_ref(),
        );
        self.attended = attended;
        if !self.config.parallel {
            self.normalise(block.before_feed_forward.as_ref());
        }
        self.feed_forward(block);
    }

    /// The state as a layer reads it.
    fn normalise(&mut self, norm: Option<&Norm>) {
        match norm {
            Some(norm) => norm.apply(
                &mut self.normed,
                &self.state,
                self.config.norm,
                self.config.epsilon,
            ),
            None => self.normed.copy_from_slice(&self.state),
        }
    }

    /// What becomes of queries, keys and values before positions are turned.
    fn prepare_heads(&mut self, block: &Block) {
        if let Some(clip) = self.config.clip {
            for value in &mut self.fused {
                *value = value.clamp(-clip, clip);
            }
        }
        let Some(norms) = &block.of_heads else {
            return;
        };
        let (queries, keys) = (self.config.query_width(), self.config.kv_width());
        for row in self.fused.chunks_exact_mut(queries + 2 * keys) {
            let (own, rest) = row.split_at_mut(queries);
            norms.queries.apply_in_place(own, self.config.epsilon);
            norms
                .keys
                .apply_in_place(&mut rest[..keys], self.config.epsilon);
        }
    }

    /// Add what a map makes of its input to the state, normalised where the block says so.
    fn add(&mut self, map: &Linear, input: &[f32], after: Option<&Norm>) {
        let Some(after) = after else {
            map.apply(&mut self.state, input, true, self.parallel);
            return;
        };
        map.apply(&mut self.normed, input, false, self.parallel);
        after.apply_in_place(&mut self.normed, self.config.epsilon);
        for (state, added) in self.state.iter_mut().zip(&self.normed) {
            *state += added;
        }
    }

    fn feed_forward(&mut self, block: &Block) {
        let activation = self.config.activation;
        if Decoder::gated(self.config) {
            block
                .up
                .apply(&mut self.lifted, &self.normed, false, self.parallel);
            activation.apply_gated(&mut self.bent, &self.lifted, self.config.hidden);
        } else {
            block
                .up
                .apply(&mut self.bent, &self.normed, false, self.parallel);
            activation.apply(&mut self.bent);
        }
        let bent = std::mem::take(&mut self.bent);
        self.add(&block.down, &bent, block.after_feed_forward.as_ref());
        self.bent = bent;
    }
}
