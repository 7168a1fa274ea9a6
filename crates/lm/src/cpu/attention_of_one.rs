//! Attention of a single query, as a text grows token by token: every key and value is read once,
//! where it lies.

use super::attention::{Parts, softmax_row};
use super::soften::soften;
use super::vector::{accumulate, dot};
use super::vectorised;

/// The query stands behind `seen` keys, its own among them; `out` is one head wide.
pub(super) fn attend_one(parts: &Parts<'_>, seen: usize, out: &mut [f32]) {
    let head = parts.shape.width;
    let query = &parts.queries.data[..head];
    let first = parts.first_seen(seen - 1);
    let (keys, values) = (parts.keys.from(first), parts.values.from(first));
    let mut scores = vec![0.0; seen - first];
    vectorised(
        #[inline(always)]
        || {
            let keys = keys.data.chunks(keys.stride);
            for (score, key) in scores.iter_mut().zip(keys) {
                *score = parts.shape.scale * dot(query, &key[..head]);
            }
        },
    );
    if let Some(cap) = parts.shape.cap {
        soften(&mut scores, cap);
    }
    vectorised(
        #[inline(always)]
        || {
            softmax_row(&mut scores);
            out.fill(0.0);
            let values = values.data.chunks(values.stride);
            for (weight, value) in scores.iter().zip(values) {
                accumulate(out, *weight, &value[..head]);
            }
        },
    );
}
