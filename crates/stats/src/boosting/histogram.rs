//! Sums of gradients by bin, in integers.

use rayon::prelude::*;

use super::bins::{Bins, Column};
use crate::special::ln_sigmoid;

/// Gradients are counted in units of 2⁻³⁰: finer than any split can tell, and sums of 2³³ rows
/// still fit 64 bits.
const UNITS: f64 = (1u64 << 30) as f64;

/// First and second derivative of one row's loss by its margin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Slope {
    gradient: i32,
    hessian: i32,
}

impl Slope {
    pub fn new(margin: f64, label: bool) -> Self {
        let (p, q) = (ln_sigmoid(margin).exp(), ln_sigmoid(-margin).exp());
        let units = |value: f64| (value * UNITS).round() as i32;
        Self {
            gradient: units(if label { -q } else { p }),
            hessian: units(p * q),
        }
    }
}

/// Sums over rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    gradient: i64,
    hessian: i64,
    pub rows: i64,
}

impl Sums {
    fn add(&mut self, slope: Slope) {
        self.gradient += i64::from(slope.gradient);
        self.hessian += i64::from(slope.hessian);
        self.rows += 1;
    }

    pub fn plus(self, other: Self) -> Self {
        Self {
            gradient: self.gradient + other.gradient,
            hessian: self.hessian + other.hessian,
            rows: self.rows + other.rows,
        }
    }

    pub fn minus(self, other: Self) -> Self {
        Self {
            gradient: self.gradient - other.gradient,
            hessian: self.hessian - other.hessian,
            rows: self.rows - other.rows,
        }
    }

    /// Newton's step −G/(H + 1), one unit of ridge against leaves of certainties.
    pub fn step(self) -> f64 {
        -(self.gradient as f64 / UNITS) / (self.hessian as f64 / UNITS + 1.0)
    }

    /// How much the loss falls by that step, twice: G²/(H + 1).
    pub fn gain(self) -> f64 {
        -self.step() * (self.gradient as f64 / UNITS)
    }
}

/// The sums of a node's rows by bin, for every feature.
pub(super) struct Histogram(pub Vec<Vec<Sums>>);

impl Histogram {
    /// Goes over the rows once per feature.
    pub fn new(bins: &Bins, slopes: &[Slope], rows: &[u32]) -> Self {
        let gathered: Vec<Slope> = rows.iter().map(|&row| slopes[row as usize]).collect();
        let sum = |column: &Column| {
            let mut sums = vec![Sums::default(); column.edges.len() + 1];
            for (&row, &slope) in rows.iter().zip(&gathered) {
                sums[usize::from(column.bins[row as usize])].add(slope);
            }
            sums
        };
        Self(bins.columns.par_iter().map(sum).collect())
    }

    /// What remains of a parent without one child: exact, because integers.
    pub fn without(mut self, child: &Histogram) -> Self {
        for (sums, others) in self.0.iter_mut().zip(&child.0) {
            for (sum, other) in sums.iter_mut().zip(others) {
                *sum = sum.minus(*other);
            }
        }
        self
    }
}
