//! Features cut into at most 255 bins at their quantiles.

use rayon::prelude::*;

const MOST_BINS: usize = 255;

/// Every feature of every row as the number of its bin, feature by feature.
pub(super) struct Bins {
    pub columns: Vec<Column>,
    pub rows: usize,
}

/// One feature.
pub(super) struct Column {
    /// Bin b holds the values above edge b−1 and not above edge b; the last bin the rest.
    pub edges: Vec<f32>,
    pub bins: Vec<u8>,
}

impl Bins {
    pub fn new<const D: usize>(rows: &[[f32; D]]) -> Self {
        let columns = (0..D)
            .into_par_iter()
            .map(|feature| Column::new(rows.iter().map(|row| row[feature])))
            .collect();
        Self {
            columns,
            rows: rows.len(),
        }
    }
}

impl Column {
    fn new(values: impl Iterator<Item = f32> + Clone) -> Self {
        let mut sorted: Vec<f32> = values.clone().filter(|value| value.is_finite()).collect();
        sorted.sort_unstable_by(f32::total_cmp);
        let edges = edges(&sorted);
        let bin = |value: f32| edges.partition_point(|&edge| is_above(value, edge)) as u8;
        Self {
            bins: values.map(bin).collect(),
            edges,
        }
    }
}

/// On which side of an edge a value falls, here and in a grown tree: NaN is above every edge.
#[inline]
pub(super) fn is_above(value: f32, edge: f32) -> bool {
    value > edge || value.is_nan()
}

/// Midway between neighbouring values at the quantiles, so that a last digit moves nothing.
fn edges(sorted: &[f32]) -> Vec<f32> {
    let mut edges: Vec<f32> = (1..MOST_BINS)
        .filter_map(|cut| {
            let place = cut * sorted.len() / MOST_BINS;
            let below = *sorted.get(place.checked_sub(1)?)?;
            let above = *sorted.get(sorted.partition_point(|&value| value <= below))?;
            Some(midway(below, above))
        })
        .collect();
    edges.dedup();
    edges
}

/// At least `below` and less than `above`, whatever the rounding.
fn midway(below: f32, above: f32) -> f32 {
    let middle = (f64::from(below) + f64::from(above)) / 2.0;
    let middle = middle as f32;
    if middle < above { middle } else { below }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_have_a_bin_each_and_many_share() {
        let column = Column::new([3.0, 1.0, 2.0, 1.0].into_iter());
        assert_eq!(column.edges, [1.5, 2.5]);
        assert_eq!(column.bins, [2, 0, 1, 0]);
        let many = Column::new((0..10_000).map(|i| (i * 37 % 10_000) as f32));
        assert_eq!(many.edges.len(), MOST_BINS - 1);
        let mut sizes = [0; MOST_BINS];
        many.bins.iter().for_each(|&bin| sizes[bin as usize] += 1);
        assert!(sizes.iter().all(|&size| (39..=40).contains(&size)));
    }

    #[test]
    fn odd_values_fall_somewhere() {
        let column =
            Column::new([f32::NAN, 1.0, f32::INFINITY, f32::NEG_INFINITY, 2.0].into_iter());
        assert_eq!(column.bins, [1, 0, 1, 0, 1]);
        assert_eq!(Column::new([5.0; 9].into_iter()).edges, [0f32; 0]);
        let next = 1f32.next_up();
        assert_eq!(midway(1.0, next), 1.0);
        assert_eq!(midway(f32::MIN, f32::MAX), 0.0);
    }
}
