//! Gradient-boosted trees for two classes: logistic loss, second-order gains (Friedman 2001;
//! Chen and Guestrin 2016), histograms of at most 255 bins and best-first growth (Ke et al. 2017).
//!
//! Gradients are summed as integers, so every sum is exact: neither the order of the rows nor
//! the number of threads can change a bit of the fitted trees.

mod bins;
mod histogram;
mod tree;

use rayon::prelude::*;

use self::bins::Bins;
use self::histogram::{Slope, slopes};
use self::tree::Tree;

/// Rows that one thread takes at a time.
const ROWS_AT_ONCE: usize = 1 << 13;

/// How trees are grown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    pub trees: usize,
    /// Most leaves of a tree.
    pub leaves: usize,
    /// Share of each tree's step that is taken.
    pub rate: f64,
    /// Fewest rows of a leaf.
    pub leaf_rows: usize,
}

/// A fitted sum of trees.
#[derive(Clone, Debug, PartialEq)]
pub struct Booster<const D: usize> {
    trees: Vec<Tree>,
}

impl<const D: usize> Booster<D> {
    /// Grows trees on rows of features, on top of the log-odds that each row starts from.
    /// `proceed` is asked before each tree, with the number of trees grown so far; `None` when it
    /// says no.
    ///
    /// # Panics
    /// When rows, starts and labels differ in number: a mistake of the caller, not of the data.
    pub fn fit(
        rows: &[[f32; D]],
        starts: &[f64],
        labels: &[bool],
        growth: Growth,
        proceed: impl Fn(usize) -> bool,
    ) -> Option<Self> {
        assert_eq!(rows.len(), labels.len());
        assert_eq!(rows.len(), starts.len());
        let bins = Bins::new(rows);
        let mut margins = starts.to_vec();
        let mut sloped = vec![Slope::default(); rows.len()];
        let mut leaf_of = vec![0; rows.len()];
        let mut trees = Vec::with_capacity(growth.trees);
        for grown in 0..growth.trees {
            if !proceed(grown) {
                return None;
            }
            (sloped.par_chunks_mut(ROWS_AT_ONCE))
                .zip(margins.par_chunks(ROWS_AT_ONCE))
                .zip(labels.par_chunks(ROWS_AT_ONCE))
                .for_each(|((out, margins), labels)| slopes(margins, labels, out));
            let tree = Tree::grow(&bins, &sloped, growth, &mut leaf_of);
            margins
                .par_iter_mut()
                .zip(&leaf_of)
                .for_each(|(margin, &leaf)| *margin += tree.leaf_value(leaf));
            trees.push(tree);
        }
        Some(Self { trees })
    }

    /// How many trees were grown.
    pub fn trees(&self) -> usize {
        self.trees.len()
    }

    /// What all trees add to a row's log-odds.
    pub fn margin(&self, row: &[f32; D]) -> f64 {
        self.trees.iter().map(|tree| tree.value(row)).sum()
    }

    /// What the tree of this number adds to a row's log-odds.
    pub fn tree_margin(&self, tree: usize, row: &[f32; D]) -> f64 {
        self.trees[tree].value(row)
    }
}

#[cfg(test)]
mod tests;
