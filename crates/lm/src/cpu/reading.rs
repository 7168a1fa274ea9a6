//! Reading on: tokens that follow a remembered text, and what the model expects after them.

use super::CpuEngine;
use super::attention::Shape;
use super::memory::Memory;
use super::pass::{Pass, embed, finish};
use super::rotate::LayerTables;
use super::soften::soften;
use super::vector::dot_rows;

/// Tokens that pass through all layers together, so that their activations stay in cache.
const CHUNK: usize = 256;

impl CpuEngine {
    /// Of a text without tokens.
    pub(crate) fn memory(&self) -> Memory {
        let config = &self.decoder.config;
        Memory::new(config.layers, config.kv_width())
    }

    /// Read tokens after those remembered; logits of the token that follows the last. Without
    /// tokens there is nothing to say.
    pub(crate) fn read(&self, memory: &mut Memory, tokens: &[u32]) -> Vec<f32> {
        // Inside the pool, so that the many small products need not be handed over to it.
        rayon::scope(|_| {
            let mut last = Vec::new();
            for chunk in tokens.chunks(CHUNK) {
                last = self.read_chunk(memory, chunk);
            }
            self.logits(&last)
        })
    }

    /// The state of the last token.
    fn read_chunk(&self, memory: &mut Memory, tokens: &[u32]) -> Vec<f32> {
        let config = &self.decoder.config;
        let past = memory.tokens.len();
        let tables = LayerTables::new(config, past..past + tokens.len());
        let mut state = Vec::with_capacity(tokens.len() * config.width);
        embed(&self.decoder, tokens, past, &mut state);
        let mut pass = Pass::new(&self.decoder, state, true);
        let layers = self.decoder.blocks.iter().zip(&mut memory.layers);
        for (index, (block, layer)) in layers.enumerate() {
            let shape = Shape::new(config, index);
            pass.run(block, |buffers| {
                buffers.remember(config, shape, tables.of(config, index), layer);
            });
        }
        memory.tokens.extend_from_slice(tokens);
        pass.state.split_off(pass.state.len() - config.width)
    }

    fn logits(&self, state: &[f32]) -> Vec<f32> {
        if state.is_empty() {
            return Vec::new();
        }
        let head = self.decoder.head.as_ref();
        let head = head.unwrap_or(&self.decoder.embedding);
        let mut logits = dot_rows(&head.data, &finish(&self.decoder, state));
        if let Some(cap) = self.decoder.config.logit_cap {
            soften(&mut logits, cap);
        }
        logits
    }
}
