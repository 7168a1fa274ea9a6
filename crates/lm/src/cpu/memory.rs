//! What a model keeps of a text that it has read: every layer's keys and values.

pub(crate) struct Memory {
    pub(super) tokens: Vec<u32>,
    pub(super) layers: Vec<Layer>,
    /// Numbers a token leaves in each of a layer's two arrays.
    width: usize,
}

/// Rows of all key-value heads, one for each token.
#[derive(Default)]
pub(super) struct Layer {
    pub(super) keys: Vec<f32>,
    pub(super) values: Vec<f32>,
}

impl Layer {
    /// From rows that hold queries, then keys, then values.
    pub(super) fn append(&mut self, fused: &[f32], queries: usize, width: usize) {
        for row in fused.chunks_exact(queries + 2 * width) {
            self.keys.extend_from_slice(&row[queries..queries + width]);
            self.values.extend_from_slice(&row[queries + width..]);
        }
    }
}

impl Memory {
    /// Of a text without tokens.
    pub(crate) fn new(layers: usize, width: usize) -> Self {
        Self {
            tokens: Vec::new(),
            layers: (0..layers).map(|_| Layer::default()).collect(),
            width,
        }
    }

    /// The tokens that were read.
    pub(crate) fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Forget all but the first tokens.
    pub(crate) fn truncate(&mut self, tokens: usize) {
        self.tokens.truncate(tokens);
        for layer in &mut self.layers {
            layer.keys.truncate(tokens * self.width);
            layer.values.truncate(tokens * self.width);
        }
    }

    /// A copy of the first tokens.
    pub(crate) fn beginning(&self, tokens: usize) -> Self {
        let tokens = tokens.min(self.tokens.len());
        let copy = |values: &[f32]| values[..tokens * self.width].to_vec();
        let layers = self.layers.iter().map(|layer| Layer {
            keys: copy(&layer.keys),
            values: copy(&layer.values),
        });
        Self {
            tokens: self.tokens[..tokens].to_vec(),
            layers: layers.collect(),
            width: self.width,
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let layers = self.layers.iter();
        let numbers = layers.map(|layer| layer.keys.capacity() + layer.values.capacity());
        (numbers.sum::<usize>() + self.tokens.capacity()) * size_of::<f32>()
    }
}
