//! Attention of a single query, as a text grows token by token: every key and value is read once,
//! where it lies.

use super::attention::{Parts, softmax_row};
use super::vector::{accumulate, dot};
use super::vectorised;

/// The query sees `seen` keys; `out` is one head wide.
pub(super) fn attend_one(parts: &Parts<'_>, seen: usize, out: &mut [f32]) {
    let head = parts.head;
    let query = &parts.queries.data[..head];
    let mut scores = vec![0.0; seen];
    vectorised(|| {
        let keys = parts.keys.data.chunks(parts.keys.stride);
        for (score, key) in scores.iter_mut().zip(keys) {
            *score = parts.scale * dot(query, &key[..head]);
        }
        softmax_row(&mut scores);
        out.fill(0.0);
        let values = parts.values.data.chunks(parts.values.stride);
        for (weight, value) in scores.iter().zip(values) {
            accumulate(out, *weight, &value[..head]);
        }
    });
}
