//! Boosted trees against slow twins, and what must hold of any fit.

use super::histogram::Histogram;
use super::*;
use crate::special::ln_sigmoid;
use crate::streams::{Seed, shuffle, standard_normal, uniform};

const GROWTH: Growth = Growth {
    trees: 20,
    leaves: 6,
    rate: 0.2,
    leaf_rows: 5,
};

/// Labels that depend on the first two of three features and on their product.
fn noisy(rows: usize, seed: u64) -> (Vec<[f32; 3]>, Vec<bool>) {
    let mut rng = Seed(seed).stream("boosting tests");
    let features: Vec<[f32; 3]> = (0..rows)
        .map(|_| std::array::from_fn(|_| standard_normal(&mut rng) as f32))
        .collect();
    let labels = features
        .iter()
        .map(|[a, b, _]| uniform(&mut rng) < ln_sigmoid(f64::from(2.0 * a - b + a * b)).exp())
        .collect();
    (features, labels)
}

fn fit<const D: usize>(rows: &[[f32; D]], labels: &[bool], growth: Growth) -> Booster<D> {
    Booster::fit(rows, &vec![0.0; rows.len()], labels, growth, |_| true).unwrap()
}

fn margins<const D: usize>(booster: &Booster<D>, rows: &[[f32; D]]) -> Vec<f64> {
    rows.iter().map(|row| booster.margin(row)).collect()
}

fn mean_loss(margins: &[f64], labels: &[bool]) -> f64 {
    let loss = |(&margin, &label): (&f64, &bool)| -ln_sigmoid(if label { margin } else { -margin });
    margins.iter().zip(labels).map(loss).sum::<f64>() / margins.len() as f64
}

/// The best first split by trying every value of every feature in floating point:
/// (feature, last value on the left, both leaves' steps).
fn naive_stump(rows: &[[f32; 3]], labels: &[bool], leaf_rows: usize) -> (usize, f32, [f64; 2]) {
    let mut best = (0, 0.0, [0.0; 2]);
    let mut best_gain = 0.0;
    for feature in 0..3 {
        for edge in rows.iter().map(|row| row[feature]) {
            // At even odds a gradient is ±½ and a hessian ¼.
            let side = |left: bool| {
                let inside = rows.iter().zip(labels);
                let chosen = inside.filter(|(row, _)| (row[feature] <= edge) == left);
                chosen.fold((0.0, 0.0), |(gradient, n), (_, &label)| {
                    (gradient + if label { -0.5 } else { 0.5 }, n + 1.0)
                })
            };
            let sides = [side(true), side(false)];
            if sides.iter().any(|side| side.1 < leaf_rows as f64) {
                continue;
            }
            let gain: f64 = sides.iter().map(|(g, n)| g * g / (0.25 * n + 1.0)).sum();
            if gain > best_gain + 1e-9 {
                best_gain = gain;
                best = (feature, edge, sides.map(|(g, n)| -g / (0.25 * n + 1.0)));
            }
        }
    }
    best
}

#[test]
fn the_first_split_is_the_one_an_exhaustive_search_finds() {
    for seed in 0..10 {
        let (rows, labels) = noisy(120, seed);
        let stump = Growth {
            trees: 1,
            leaves: 2,
            rate: 1.0,
            leaf_rows: 7,
        };
        let booster = fit(&rows, &labels, stump);
        let (feature, edge, steps) = naive_stump(&rows, &labels, 7);
        for row in &rows {
            let slow = steps[usize::from(row[feature] > edge)];
            assert!((booster.margin(row) - slow).abs() < 1e-8, "seed {seed}");
        }
    }
}

#[test]
fn a_child_histogram_by_subtraction_is_the_one_by_counting() {
    let (rows, labels) = noisy(300, 1);
    let bins = Bins::new(&rows);
    let mut slopes = vec![Slope::default(); labels.len()];
    super::slopes(&vec![0.3; labels.len()], &labels, &mut slopes);
    let (some, others): (Vec<u32>, Vec<u32>) = (0..300).partition(|row| row % 3 == 0);
    let all: Vec<u32> = (0..300).collect();
    let counted = Histogram::new(&bins, &slopes, &others);
    let remaining =
        Histogram::new(&bins, &slopes, &all).without(&Histogram::new(&bins, &slopes, &some));
    assert_eq!(counted.0, remaining.0);
}

#[test]
fn the_loss_falls_with_every_tree() {
    let (rows, labels) = noisy(2000, 2);
    let loss = |trees| {
        let booster = fit(&rows, &labels, Growth { trees, ..GROWTH });
        mean_loss(&margins(&booster, &rows), &labels)
    };
    let losses: Vec<f64> = [1, 2, 4, 8, 16, 32].map(loss).to_vec();
    assert!(
        losses.windows(2).all(|pair| pair[1] < pair[0]),
        "{losses:?}"
    );
    assert!(losses[5] < 0.55, "{losses:?}");
}

#[test]
fn threads_and_the_order_of_rows_change_nothing() {
    let (rows, labels) = noisy(3000, 3);
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| fit(&rows, &labels, GROWTH))
    };
    let plain = with_threads(1);
    assert_eq!(plain, with_threads(2));
    assert_eq!(plain, with_threads(7));
    let mut order: Vec<usize> = (0..3000).collect();
    shuffle(&mut Seed(4).stream("order"), &mut order);
    let moved_rows: Vec<_> = order.iter().map(|&row| rows[row]).collect();
    let moved_labels: Vec<_> = order.iter().map(|&row| labels[row]).collect();
    assert_eq!(plain, fit(&moved_rows, &moved_labels, GROWTH));
}

#[test]
fn one_telling_feature_gives_a_rising_score() {
    let rows: Vec<[f32; 1]> = (0..600).map(|i| [i as f32]).collect();
    // The share of members rises by steps: 0, ⅓, ⅔, 1.
    let labels: Vec<bool> = (0..600).map(|i| i % 3 < i / 150).collect();
    let growth = Growth {
        leaf_rows: 50,
        ..GROWTH
    };
    let scores = margins(&fit(&rows, &labels, growth), &rows);
    let steps: Vec<f64> = [75, 225, 375, 525].map(|row: usize| scores[row]).to_vec();
    assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{steps:?}");
}

#[test]
fn no_leaf_is_smaller_than_allowed() {
    let (rows, labels) = noisy(500, 5);
    let growth = Growth {
        trees: 1,
        leaves: 100,
        leaf_rows: 60,
        ..GROWTH
    };
    let mut values = margins(&fit(&rows, &labels, growth), &rows);
    values.sort_unstable_by(f64::total_cmp);
    assert!(values.chunk_by(|a, b| a == b).all(|leaf| leaf.len() >= 60));
}

#[test]
fn constant_features_and_no_rows_are_borne() {
    let constant = fit(&[[1.0f32, f32::NAN]; 50], &[true; 50], GROWTH);
    assert!(constant.margin(&[1.0, 2.0]) > 1.0);
    let empty = fit::<2>(&[], &[], GROWTH);
    assert_eq!(empty.margin(&[0.0, 0.0]), 0.0);
}

#[test]
fn it_stops_when_told() {
    let (rows, labels) = noisy(100, 6);
    assert!(Booster::fit(&rows, &[0.0; 100], &labels, GROWTH, |grown| grown < 3).is_none());
}

#[test]
fn trees_add_up_to_the_margin_and_the_first_are_those_of_fewer() {
    let (rows, labels) = noisy(400, 7);
    let booster = fit(&rows, &labels, GROWTH);
    let fewer = fit(&rows, &labels, Growth { trees: 7, ..GROWTH });
    for row in &rows[..50] {
        let sum =
            |trees: usize| -> f64 { (0..trees).map(|tree| booster.tree_margin(tree, row)).sum() };
        assert_eq!(sum(7), fewer.margin(row));
        assert_eq!(sum(GROWTH.trees), booster.margin(row));
    }
}

/// While trees grow, a row's margin is moved by the leaf that it was counted in.
#[test]
fn rows_end_in_the_leaf_that_their_values_lead_to() {
    let (mut rows, labels) = noisy(900, 9);
    rows[3] = [f32::NAN, f32::INFINITY, 0.0];
    rows[4] = [f32::NEG_INFINITY, 1.0, f32::NAN];
    let bins = Bins::new(&rows);
    let mut slopes = vec![Slope::default(); rows.len()];
    super::slopes(&vec![0.0; rows.len()], &labels, &mut slopes);
    let mut leaf_of = vec![0; rows.len()];
    let tree = Tree::grow(&bins, &slopes, GROWTH, &mut leaf_of);
    for (row, &leaf) in rows.iter().zip(&leaf_of) {
        assert_eq!(tree.value(row), tree.leaf_value(leaf), "{row:?}");
    }
}

#[test]
fn trees_add_only_what_the_starts_do_not_say() {
    let (rows, labels) = noisy(2000, 8);
    let known: Vec<f64> = labels
        .iter()
        .map(|&l| if l { 30.0 } else { -30.0 })
        .collect();
    let booster = Booster::fit(&rows, &known, &labels, GROWTH, |_| true).unwrap();
    assert!(rows.iter().all(|row| booster.margin(row).abs() < 1e-6));
}
