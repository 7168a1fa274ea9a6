//! One tree, grown best split first.

use rayon::prelude::*;

use super::Growth;
use super::bins::{Bins, is_above};
use super::histogram::{Histogram, Slope, Sums};

/// A split must lower the loss by more than rounding could.
const LEAST_GAIN: f64 = 1e-6;

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Leaf(f64),
    /// Values not above the edge go to the first of two neighbouring children.
    Split {
        feature: usize,
        edge: f32,
        children: usize,
    },
}

/// Nodes, the root first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// Where a node could be cut, and how much that gains.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cut {
    feature: usize,
    bin: usize,
    gain: f64,
}

/// A leaf that may still be split.
struct Growing {
    node: usize,
    rows: Vec<u32>,
    histogram: Histogram,
    cut: Option<Cut>,
}

impl Tree {
    /// Leaves in `leaf_of` which node each row ended in.
    pub fn grow(bins: &Bins, slopes: &[Slope], growth: Growth, leaf_of: &mut [u32]) -> Self {
        let rows: Vec<u32> = (0..bins.rows as u32).collect();
        let histogram = Histogram::new(bins, slopes, &rows);
        let mut tree = Tree { nodes: Vec::new() };
        let found = Found::new(&histogram, growth);
        let mut leaves = vec![tree.leaf(rows, histogram, found)];
        while leaves.len() < growth.leaves {
            let Some(best) = best_leaf(&leaves) else {
                break;
            };
            let leaf = leaves.swap_remove(best);
            leaves.extend(tree.split(leaf, bins, slopes, growth));
        }
        for leaf in &leaves {
            for &row in &leaf.rows {
                leaf_of[row as usize] = leaf.node as u32;
            }
        }
        tree
    }

    /// The value of a leaf by its node.
    pub fn leaf_value(&self, node: u32) -> f64 {
        match self.nodes[node as usize] {
            Node::Leaf(value) => value,
            // Rows end in leaves.
            Node::Split { .. } => 0.0,
        }
    }

    /// The value of the leaf a row falls into.
    pub fn value<const D: usize>(&self, row: &[f32; D]) -> f64 {
        let mut node = 0;
        loop {
            match self.nodes[node] {
                Node::Leaf(value) => return value,
                Node::Split {
                    feature,
                    edge,
                    children,
                } => node = children + usize::from(is_above(row[feature], edge)),
            }
        }
    }

    fn leaf(&mut self, rows: Vec<u32>, histogram: Histogram, found: Found) -> Growing {
        self.nodes.push(Node::Leaf(found.value));
        Growing {
            node: self.nodes.len() - 1,
            rows,
            cut: found.cut,
            histogram,
        }
    }

    /// Splits a leaf at its best cut. Only the smaller child's rows are summed.
    fn split(
        &mut self,
        leaf: Growing,
        bins: &Bins,
        slopes: &[Slope],
        growth: Growth,
    ) -> Vec<Growing> {
        let Some(cut) = leaf.cut else {
            return vec![leaf];
        };
        let column = &bins.columns[cut.feature];
        let (left, right) = parted(&leaf.rows, &column.bins, cut.bin as u8);
        self.nodes[leaf.node] = Node::Split {
            feature: cut.feature,
            edge: column.edges[cut.bin],
            children: self.nodes.len(),
        };
        let left_is_smaller = left.len() <= right.len();
        let smaller = if left_is_smaller { &left } else { &right };
        let summed = Histogram::new(bins, slopes, smaller);
        let rest = leaf.histogram.without(&summed);
        let (of_left, of_right) = if left_is_smaller {
            (summed, rest)
        } else {
            (rest, summed)
        };
        let (in_left, in_right) = rayon::join(
            || Found::new(&of_left, growth),
            || Found::new(&of_right, growth),
        );
        vec![
            self.leaf(left, of_left, in_left),
            self.leaf(right, of_right, in_right),
        ]
    }
}

/// What the sums of a leaf's rows tell.
struct Found {
    value: f64,
    cut: Option<Cut>,
}

impl Found {
    fn new(histogram: &Histogram, growth: Growth) -> Self {
        let first = histogram.0.first();
        let total = first.map_or(Sums::default(), |sums| sum(sums));
        Self {
            value: growth.rate * total.step(),
            cut: best_cut(histogram, total, growth.leaf_rows as i64),
        }
    }
}

/// Rows that one thread parts.
const ROWS_AT_ONCE: usize = 1 << 15;

/// The rows whose bin is not above the cut, and the others, in the order that they had.
fn parted(rows: &[u32], bins: &[u8], cut: u8) -> (Vec<u32>, Vec<u32>) {
    let parts: Vec<(Vec<u32>, Vec<u32>)> = rows
        .par_chunks(ROWS_AT_ONCE)
        .map(|rows| part(rows, bins, cut))
        .collect();
    match <[_; 1]>::try_from(parts) {
        Ok([whole]) => whole,
        Err(parts) => {
            let (left, right): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
            (left.concat(), right.concat())
        }
    }
}

/// Without a branch that half of the rows would mispredict: each row is written to both sides, and the side that
/// it belongs to moves on.
fn part(rows: &[u32], bins: &[u8], cut: u8) -> (Vec<u32>, Vec<u32>) {
    let (mut left, mut right) = (vec![0; rows.len()], vec![0; rows.len()]);
    let (mut lefts, mut rights) = (0, 0);
    for &row in rows {
        left[lefts] = row;
        right[rights] = row;
        let above = usize::from(bins[row as usize] > cut);
        lefts += 1 - above;
        rights += above;
    }
    left.truncate(lefts);
    right.truncate(rights);
    (left, right)
}

fn sum(sums: &[Sums]) -> Sums {
    sums.iter()
        .fold(Sums::default(), |total, &bin| total.plus(bin))
}

/// The leaf whose cut gains most; of equals the oldest.
fn best_leaf(leaves: &[Growing]) -> Option<usize> {
    let cuts = leaves.iter().enumerate();
    cuts.filter_map(|(place, leaf)| leaf.cut.map(|cut| (place, leaf.node, cut.gain)))
        .max_by(|a, b| a.2.total_cmp(&b.2).then(b.1.cmp(&a.1)))
        .map(|(place, ..)| place)
}

/// The cut that gains most; of equals the first feature's lowest.
fn best_cut(histogram: &Histogram, total: Sums, leaf_rows: i64) -> Option<Cut> {
    let mut best: Option<Cut> = None;
    for (feature, sums) in histogram.0.iter().enumerate() {
        let mut left = Sums::default();
        for (bin, &sum) in sums[..sums.len() - 1].iter().enumerate() {
            left = left.plus(sum);
            let right = total.minus(left);
            if left.rows < leaf_rows || right.rows < leaf_rows {
                continue;
            }
            let gain = left.gain() + right.gain() - total.gain();
            if gain > best.map_or(LEAST_GAIN, |best| best.gain) {
                best = Some(Cut { feature, bin, gain });
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::{Seed, below};

    #[test]
    fn rows_are_parted_as_one_by_one_and_keep_their_order() {
        let mut rng = Seed(1).stream("parting");
        let bins: Vec<u8> = (0..200_000).map(|_| below(&mut rng, 256) as u8).collect();
        for count in [0, 1, 5, ROWS_AT_ONCE, ROWS_AT_ONCE + 1, 150_000] {
            let rows: Vec<u32> = (0..count as u32).map(|row| row + row / 4).collect();
            for cut in [0, 100, 255] {
                let slow = rows.iter().partition(|&&row| bins[row as usize] <= cut);
                assert_eq!(parted(&rows, &bins, cut), slow, "{count} {cut}");
            }
        }
    }
}
