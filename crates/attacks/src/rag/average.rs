//! The rank average: training-free, and deaf to the scale of its signals.

use super::signals::Column;
use crate::scores::{Abstention, Answer};

/// For each document the mean of its ranks over the columns that have a value for it; a rank is
/// the share of documents below, ties counted half.
pub fn rank_average(columns: &[Column], documents: usize) -> Vec<Answer> {
    let mut sums = vec![(0.0, 0.0); documents];
    for column in columns {
        for (document, rank) in ranks(&column.values) {
            sums[document].0 += rank;
            sums[document].1 += 1.0;
        }
    }
    let mean = |(sum, count): (f64, f64)| match count > 0.0 {
        true => Ok(sum / count),
        false => Err(Abstention::NoAnswer),
    };
    sums.into_iter().map(mean).collect()
}

fn ranks(values: &[Option<f64>]) -> Vec<(usize, f64)> {
    let mut order: Vec<(usize, f64)> = values
        .iter()
        .enumerate()
        .filter_map(|(place, value)| Some((place, (*value)?)))
        .collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let all = order.len() as f64;
    let mut ranks = Vec::with_capacity(order.len());
    let mut start = 0;
    while start < order.len() {
        let value = order[start].1;
        let end = start
            + order[start..]
                .iter()
                .take_while(|(_, other)| *other == value)
                .count();
        let rank = (start + end) as f64 / 2.0 / all;
        ranks.extend(order[start..end].iter().map(|(place, _)| (*place, rank)));
        start = end;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rag::signals::Signal;
    use proptest::prelude::*;

    fn column(values: Vec<Option<f64>>) -> Column {
        Column {
            strategy: "content".into(),
            signal: Signal::Length,
            values,
        }
    }

    /// The definition, pair by pair.
    fn naive(values: &[Option<f64>], place: usize) -> Option<f64> {
        let own = values[place]?;
        let others: Vec<f64> = values.iter().flatten().copied().collect();
        let below: f64 = others
            .iter()
            .map(|other| {
                f64::from(u8::from(*other < own)) + 0.5 * f64::from(u8::from(*other == own))
            })
            .sum();
        Some(below / others.len() as f64)
    }

    proptest! {
        #[test]
        fn the_fast_ranks_are_the_naive_ones(
            values in prop::collection::vec(prop::option::of(0_i32..6), 1..30)
        ) {
            let values: Vec<Option<f64>> = values.into_iter().map(|v| v.map(f64::from)).collect();
            let found = rank_average(&[column(values.clone())], values.len());
            for (place, answer) in found.iter().enumerate() {
                match naive(&values, place) {
                    Some(rank) => prop_assert!((answer.unwrap() - rank).abs() < 1e-12),
                    None => prop_assert!(answer.is_err()),
                }
            }
        }
    }
}
