//! The buffers between a layer's queries, keys and values and what attention makes of them.

use super::attention::{Attention, Rows, Shape, Sight, side_by_side};
use super::memory::Layer;
use super::rotate::Tables;
use crate::config::Config;

pub(super) struct Attending<'a> {
    /// All heads' queries, then keys, then values, a row for each token.
    pub(super) fused: &'a mut [f32],
    /// [head, position, width].
    pub(super) heads: &'a mut [f32],
    /// A row for each token.
    pub(super) attended: &'a mut [f32],
}

impl<'a> Attending<'a> {
    /// The first tokens, and the rest.
    pub(super) fn split(self, config: &Config, tokens: usize) -> (Self, Self) {
        let (width, stride) = (config.query_width(), row_width(config));
        let (fused, other_fused) = self.fused.split_at_mut(tokens * stride);
        let (heads, other_heads) = self.heads.split_at_mut(tokens * width);
        let (attended, other_attended) = self.attended.split_at_mut(tokens * width);
        let first = Self {
            fused,
            heads,
            attended,
        };
        let rest = Self {
            fused: other_fused,
            heads: other_heads,
            attended: other_attended,
        };
        (first, rest)
    }

    /// A whole text, in which each position looks back.
    pub(super) fn look_back(self, config: &Config, shape: Shape, tables: Option<&Tables>) {
        rotate(self.fused, config, tables);
        Attention::fused(shape, self.fused, Sight::Back { past: 0 }).attend(self.heads);
        side_by_side(self.heads, shape.width, self.attended, config.query_width());
    }

    /// The continuation of a text whose keys and values are remembered; its own are added to them.
    pub(super) fn remember(
        self,
        config: &Config,
        shape: Shape,
        tables: Option<&Tables>,
        layer: &mut Layer,
    ) {
        let width = config.kv_width();
        let past = layer.keys.len() / width;
        rotate(self.fused, config, tables);
        layer.append(self.fused, config.query_width(), width);
        let rows = |data| Rows {
            data,
            stride: width,
        };
        let attention = Attention {
            shape,
            queries: Rows {
                data: self.fused,
                stride: row_width(config),
            },
            keys: rows(&layer.keys),
            values: rows(&layer.values),
            sight: Sight::Back { past },
        };
        attention.attend(self.heads);
        side_by_side(self.heads, shape.width, self.attended, config.query_width());
    }
}

fn row_width(config: &Config) -> usize {
    config.query_width() + 2 * config.kv_width()
}

fn rotate(fused: &mut [f32], config: &Config, tables: Option<&Tables>) {
    if let Some(tables) = tables {
        let heads = config.heads + config.kv_heads;
        tables.rotate(fused, row_width(config), heads, config.head_width);
    }
}
