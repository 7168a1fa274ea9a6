//! The share of a population that lies strictly below a value, by sorting once.

use rayon::slice::ParallelSliceMut;

use crate::scores::{Abstention, Answer};

/// A sorted population: each question costs O(log Z), never a matrix of all pairs.
pub struct SortedShare {
    sorted: Vec<f64>,
}

impl SortedShare {
    /// Takes the population; what is not a number has no place in an order and is left out.
    pub fn new(values: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
        sorted.par_sort_unstable_by(f64::total_cmp);
        Self { sorted }
    }

    pub fn below(&self, value: f64) -> Answer {
        if self.sorted.is_empty() || value.is_nan() {
            return Err(Abstention::Undefined);
        }
        let count = self.sorted.partition_point(|&other| other < value);
        Ok(count as f64 / self.sorted.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_that_of_a_count_over_all_pairs() {
        let population = [3.0, -1.0, 3.0, 0.0, -0.0, f64::NEG_INFINITY, f64::INFINITY];
        let share = SortedShare::new(population.into_iter());
        for value in [-2.0, -1.0, 0.0, -0.0, 1.0, 3.0, 9.0, f64::INFINITY] {
            let naive = population.iter().filter(|&&z| z < value).count();
            assert_eq!(share.below(value), Ok(naive as f64 / 7.0), "{value}");
        }
        assert!(share.below(f64::NAN).is_err());
        assert!(SortedShare::new(std::iter::empty()).below(1.0).is_err());
    }
}
