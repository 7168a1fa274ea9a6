//! The few best of many scores.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

/// A chunk with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub chunk: usize,
    pub score: f32,
}

/// Hits in the order of their worth; equal scores in the order of the store.
struct Worth(Hit);

impl Ord for Worth {
    fn cmp(&self, other: &Self) -> Ordering {
        let score = self.0.score.total_cmp(&other.0.score);
        score.then(other.0.chunk.cmp(&self.0.chunk))
    }
}

impl PartialOrd for Worth {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Worth {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Worth {}

/// The `count` best chunks, best first, whose score is above zero. Chunks in `hidden` do not count.
pub fn best(scores: &[f32], count: usize, hidden: &Range<usize>) -> Vec<Hit> {
    let mut heap = BinaryHeap::with_capacity(count.min(scores.len()) + 1);
    for (chunk, &score) in scores.iter().enumerate() {
        if score <= 0.0 || hidden.contains(&chunk) {
            continue;
        }
        heap.push(Reverse(Worth(Hit { chunk, score })));
        if heap.len() > count {
            heap.pop();
        }
    }
    heap.into_sorted_vec()
        .into_iter()
        .map(|Reverse(Worth(hit))| hit)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_sorting_everything() {
        let scores: Vec<f32> = (0..500)
            .map(|n: u32| ((n * n * 31) % 97) as f32 - 10.0)
            .collect();
        for (count, hidden) in [(1, 0..0), (10, 40..90), (1000, 0..0), (0, 0..0)] {
            let mut slow: Vec<Hit> = scores
                .iter()
                .enumerate()
                .map(|(chunk, &score)| Hit { chunk, score })
                .filter(|hit| hit.score > 0.0 && !hidden.contains(&hit.chunk))
                .collect();
            slow.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk)));
            slow.truncate(count);
            assert_eq!(best(&scores, count, &hidden), slow);
        }
    }
}
