//! Normal variables that go together.

use rand::Rng;

use crate::cholesky::factor;
use crate::streams::standard_normal;

/// Taken from every correlation, so that variables which are nearly the same still have a factor.
const SHRINK: f64 = 1e-3;

/// Standard normal variables with given correlations.
pub struct CorrelatedNormals {
    factor: Vec<f64>,
    plain: Vec<f64>,
    drawn: Vec<f64>,
}

impl CorrelatedNormals {
    /// From a row-major square of correlations, of which the lower triangle is read. `None` when it is
    /// none of correlations.
    pub fn new(mut correlations: Vec<f64>, size: usize) -> Option<Self> {
        if correlations.len() != size * size {
            return None;
        }
        for row in 0..size {
            for column in 0..row {
                correlations[row * size + column] *= 1.0 - SHRINK;
            }
        }
        factor(&mut correlations, size).then(|| Self {
            factor: correlations,
            plain: vec![0.0; size],
            drawn: vec![0.0; size],
        })
    }

    /// One draw of all of them.
    pub fn draw<R: Rng + ?Sized>(&mut self, rng: &mut R) -> &[f64] {
        let size = self.plain.len();
        for value in &mut self.plain {
            *value = standard_normal(rng);
        }
        for (row, value) in self.drawn.iter_mut().enumerate() {
            let weights = &self.factor[row * size..=row * size + row];
            *value = weights.iter().zip(&self.plain).map(|(w, x)| w * x).sum();
        }
        &self.drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::Seed;

    #[test]
    fn draws_have_the_correlations_they_were_made_for() {
        let wanted = [[1.0, 0.0, 0.0], [0.8, 1.0, 0.0], [-0.3, 0.1, 1.0]];
        let mut normals = CorrelatedNormals::new(wanted.concat(), 3).unwrap();
        let mut rng = Seed(3).stream("correlated");
        let mut products = [[0.0; 3]; 3];
        for _ in 0..40_000 {
            let drawn = normals.draw(&mut rng);
            for (row, products) in products.iter_mut().enumerate() {
                for (column, product) in products.iter_mut().enumerate() {
                    *product += drawn[row] * drawn[column] / 40_000.0;
                }
            }
        }
        for row in 0..3 {
            for column in 0..=row {
                let found = products[row][column];
                assert!((found - wanted[row][column]).abs() < 0.03, "{products:?}");
            }
        }
    }

    #[test]
    fn the_same_variable_twice_is_fine_and_nonsense_is_none() {
        assert!(CorrelatedNormals::new(vec![1.0, 0.0, 1.0, 1.0], 2).is_some());
        assert!(CorrelatedNormals::new(vec![1.0, 0.0, 3.0, 1.0], 2).is_none());
        assert!(CorrelatedNormals::new(vec![1.0], 2).is_none());
    }
}
