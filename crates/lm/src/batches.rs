//! How texts are put together for one pass.

use std::cmp::Reverse;

/// Indices of texts, longest first, cut so that no batch holds more than `tokens_per_batch` tokens
/// when its texts are padded to its longest (texts longer than the context count as a context
/// each), but always at least one text. A function of its arguments alone: a run that was killed
/// and goes on forms the same batches.
pub fn batches(lengths: &[usize], context: usize, tokens_per_batch: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&index| (Reverse(lengths[index]), index));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for index in order {
        let width = lengths[index].clamp(1, context.max(1));
        match batches.last_mut() {
            Some(batch) if room > 0 => {
                batch.push(index);
                room -= 1;
            }
            _ => {
                batches.push(vec![index]);
                room = (tokens_per_batch / width).max(1) - 1;
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_by_length_and_cuts() {
        let lengths = [3, 10, 10, 1, 5];
        assert_eq!(batches(&lengths, 100, 20), vec![vec![1, 2], vec![4, 0, 3]]);
        assert_eq!(batches(&[50, 60], 10, 20), vec![vec![1, 0]]);
        assert_eq!(batches(&[50], 100, 20), vec![vec![0]]);
        assert!(batches(&[], 100, 20).is_empty());
    }
}
