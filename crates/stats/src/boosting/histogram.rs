//! Sums of gradients by bin, in integers.

use rayon::prelude::*;

use super::bins::{Bins, Column};
use crate::vectors::exp_of_nonpositive;
use crate::widest;

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
    #[inline(always)]
    fn at(margin: f64, label: bool) -> Self {
        let small = exp_of_nonpositive(-margin.abs());
        let large = 1.0 / (1.0 + small);
        let small = small * large;
        // The chance of being wrong: q of a member, p of any other row.
        let wrong = if (margin >= 0.0) == label {
            small
        } else {
            large
        };
        Self {
            gradient: units(if label { -wrong } else { wrong }),
            hessian: units(small * large),
        }
    }
}

/// To the nearest whole number; halves go outward.
#[inline(always)]
fn units(value: f64) -> i32 {
    let scaled = value * UNITS;
    (scaled + 0.5f64.copysign(scaled)) as i32
}

widest! {
    /// The derivatives at every row's margin.
    pub(super) fn slopes(margins: &[f64], labels: &[bool], out: &mut [Slope]) -> () {
        for ((slope, &margin), &label) in out.iter_mut().zip(margins).zip(labels) {
            *slope = Slope::at(margin, label);
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

/// So many rows at most are counted in a narrow cell before it is emptied into a wide sum.
const NARROW_ROWS: usize = (1 << COUNT_BITS) - 1;
const COUNT_BITS: u32 = 16;

/// A row's gradient, and its hessian above a one in the low bits: two words, which one instruction adds. A
/// hessian has at most 2²⁸ units, so that sums of [`NARROW_ROWS`] stay apart.
type Narrow = [u64; 2];

fn narrow(slope: Slope) -> Narrow {
    let hessian = (slope.hessian as u64) << COUNT_BITS;
    [i64::from(slope.gradient) as u64, hessian | 1]
}

fn widened([gradient, both]: Narrow) -> Sums {
    Sums {
        gradient: gradient as i64,
        hessian: (both >> COUNT_BITS) as i64,
        rows: (both & NARROW_ROWS as u64) as i64,
    }
}

impl Histogram {
    /// Goes over the rows once for every two features.
    pub fn new(bins: &Bins, slopes: &[Slope], rows: &[u32]) -> Self {
        // All rows, in order: nothing to look up.
        let some = (rows.len() != bins.rows).then_some(rows);
        let gathered: Vec<Narrow> = match some {
            None => slopes.par_iter().map(|&slope| narrow(slope)).collect(),
            Some(rows) => (rows.par_iter().with_min_len(1 << 14))
                .map(|&row| narrow(slopes[row as usize]))
                .collect(),
        };
        let sum = |columns: &[Column]| match columns {
            [one, other] => summed([one, other], &gathered, some).into(),
            columns => (columns.iter())
                .flat_map(|one| summed([one], &gathered, some))
                .collect::<Vec<_>>(),
        };
        Self(bins.columns.par_chunks(2).flat_map_iter(sum).collect())
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

/// The sums of some features by bin, over some of the rows or all: a row's slopes are fetched once for all of them.
fn summed<const N: usize>(
    columns: [&Column; N],
    gathered: &[Narrow],
    rows: Option<&[u32]>,
) -> [Vec<Sums>; N] {
    let mut sums = columns.map(|column| vec![Sums::default(); column.edges.len() + 1]);
    let parts = gathered.chunks(NARROW_ROWS);
    for (part, first) in parts.zip((0..).step_by(NARROW_ROWS)) {
        let mut cells = [[Narrow::default(); 256]; N];
        let places = first..first + part.len();
        match rows {
            None => {
                let bins = columns.map(|column| &column.bins[places.clone()]);
                let bin = |place: usize| bins.map(|bins| bins[place]);
                count(part, (0..part.len()).map(bin), &mut cells);
            }
            Some(rows) => {
                let bin = |&row: &u32| columns.map(|column| column.bins[row as usize]);
                count(part, rows[places].iter().map(bin), &mut cells);
            }
        }
        for (sums, cells) in sums.iter_mut().zip(cells) {
            for (sum, cell) in sums.iter_mut().zip(cells) {
                *sum = sum.plus(widened(cell));
            }
        }
    }
    sums
}

fn count<const N: usize>(
    slopes: &[Narrow],
    bins: impl Iterator<Item = [u8; N]>,
    cells: &mut [[Narrow; 256]; N],
) {
    for (slope, bins) in slopes.iter().zip(bins) {
        for (cells, bin) in cells.iter_mut().zip(bins) {
            let cell = &mut cells[usize::from(bin)];
            cell[0] = cell[0].wrapping_add(slope[0]);
            cell[1] = cell[1].wrapping_add(slope[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::ln_sigmoid;
    use crate::streams::{Seed, below, standard_normal, uniform};

    /// One by one, with the library's functions.
    fn slow(margin: f64, label: bool) -> (f64, f64) {
        let (p, q) = (ln_sigmoid(margin).exp(), ln_sigmoid(-margin).exp());
        (if label { -q } else { p }, p * q)
    }

    #[test]
    fn slopes_are_the_derivatives_of_the_loss() {
        let mut rng = Seed(1).stream("slopes");
        let mut margins: Vec<f64> = (0..5000).map(|_| 9.0 * standard_normal(&mut rng)).collect();
        margins.extend([0.0, -0.0, 800.0, -800.0, 1e-9, 36.7, -36.7]);
        let labels: Vec<bool> = margins.iter().map(|_| uniform(&mut rng) < 0.5).collect();
        let mut found = vec![Slope::default(); margins.len()];
        slopes(&margins, &labels, &mut found);
        for ((slope, &margin), &label) in found.iter().zip(&margins).zip(&labels) {
            let (gradient, hessian) = slow(margin, label);
            // A last digit may fall on the other side of a half.
            assert!((f64::from(slope.gradient) - gradient * UNITS).abs() < 0.500_01);
            assert!((f64::from(slope.hessian) - hessian * UNITS).abs() < 0.500_01);
        }
        let widths = crate::vectors::at_every_width(|| {
            let mut found = vec![Slope::default(); margins.len()];
            slopes(&margins, &labels, &mut found);
            found
        });
        assert!(widths.iter().all(|other| *other == found));
    }

    /// More rows than a narrow cell holds, most of them in one bin, at the largest slopes there are.
    #[test]
    fn narrow_cells_lose_nothing() {
        let mut rng = Seed(2).stream("narrow");
        let rows = 2 * NARROW_ROWS + 77;
        let mut value = |most: u32| below(&mut rng, most).saturating_sub(most - 4) as f32;
        let values: Vec<[f32; 3]> = (0..rows).map(|_| [40, 9, 300].map(&mut value)).collect();
        let bins = Bins::new(&values);
        let margins: Vec<f64> = (0..rows).map(|row| [0.0, -30.0, 30.0][row % 3]).collect();
        let labels = vec![true; rows];
        let mut found = vec![Slope::default(); rows];
        slopes(&margins, &labels, &mut found);
        let some: Vec<u32> = (0..rows as u32).filter(|row| row % 97 != 5).collect();
        for chosen in [(0..rows as u32).collect(), some] {
            let slow = |column: &Column| {
                let mut sums = vec![Sums::default(); column.edges.len() + 1];
                for &row in &chosen {
                    let sum = &mut sums[usize::from(column.bins[row as usize])];
                    sum.gradient += i64::from(found[row as usize].gradient);
                    sum.hessian += i64::from(found[row as usize].hessian);
                    sum.rows += 1;
                }
                sums
            };
            let slow: Vec<Vec<Sums>> = bins.columns.iter().map(slow).collect();
            assert_eq!(Histogram::new(&bins, &found, &chosen).0, slow);
        }
    }
}
