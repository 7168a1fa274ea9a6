//! Count, mean and scatter of a set of φ.

/// n, mean and S = Σ(φ − mean)². A robust estimator may stand in for mean and S/n.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    pub n: f64,
    pub mean: f64,
    pub scatter: f64,
}

impl Moments {
    /// The variance with denominator n, never below the floor.
    pub fn variance(&self, floor: f64) -> f64 {
        (self.scatter / self.n).max(floor)
    }

    /// The moments of both sets together (Chan, Golub and LeVeque 1983).
    pub fn merge(self, other: Self) -> Self {
        if other.n == 0.0 {
            return self;
        }
        if self.n == 0.0 {
            return other;
        }
        let n = self.n + other.n;
        let apart = other.mean - self.mean;
        Moments {
            n,
            mean: self.mean + apart * (other.n / n),
            scatter: self.scatter + other.scatter + apart * apart * (self.n * other.n / n),
        }
    }

    /// By the definition; those of no value at all take part with weight 0.
    pub fn from_values(values: &[f64]) -> Self {
        if values.is_empty() {
            return Moments::default();
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let scatter = values.iter().map(|x| (x - mean).powi(2)).sum();
        Moments { n, mean, scatter }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_moments_equal_those_of_the_union() {
        let (left, right) = ([1.0, 4.0, -2.5], [7.25, 0.5]);
        let merged = Moments::from_values(&left).merge(Moments::from_values(&right));
        let union = Moments::from_values(&[1.0, 4.0, -2.5, 7.25, 0.5]);
        assert!((merged.mean - union.mean).abs() < 1e-14);
        assert!((merged.scatter - union.scatter).abs() < 1e-12);
        assert_eq!(Moments::default().merge(union), union);
        assert_eq!(union.merge(Moments::default()), union);
    }
}
