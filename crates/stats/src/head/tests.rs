//! The published test vectors, and derivatives against differences.

use super::loss::{cross_entropy, entropy};
use super::*;

const SUPPORT: [f64; 12] = [2.0, -1.0, 0.5, 1.5, 0.2, 0.1, -0.5, 1.8, 0.7, 0.1, 1.2, 0.9];
const POSITIVE: [bool; 4] = [true, true, false, false];
const ASKED: [f64; 9] = [1.8, 0.1, 0.3, 0.2, 1.5, 0.8, 1.0, 0.9, 0.4];

fn body() -> Constant {
    Constant {
        width: 3,
        support: SUPPORT.to_vec(),
        validation: Vec::new(),
        asked: ASKED.to_vec(),
    }
}

fn close(found: &[f64], expected: &[f64], within: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < within, "{found} {expected}");
    }
}

#[test]
fn the_head_starts_at_the_normalised_class_means() {
    let head = Head::initial(&SUPPORT, 3, &POSITIVE, false);
    let weights = [
        0.02939905, 0.88197155, 0.47038483, 0.98406272, 0.05623216, 0.16869647,
    ];
    close(&head.parameters()[..6], &weights, 1e-8);
}

/// Loss on the support, entropy after the first step, and scores after 30 epochs.
fn check_vector(recipe: Recipe, temperature: f64, losses: [f64; 2], scores: [f64; 3]) {
    let head = Head::initial(&SUPPORT, 3, &POSITIVE, recipe.unit_length);
    close(&[head.mean_loss(&SUPPORT, &POSITIVE)], &losses[..1], 1e-9);
    let once = Recipe {
        epochs: 1,
        ..recipe
    };
    // No record to lower the entropy of: only the first step happens.
    let mut first = Constant {
        asked: Vec::new(),
        ..body()
    };
    let head = tune(&mut first, &POSITIVE, &[], temperature, &once);
    let found = head.slopes(
        &ASKED,
        |_, d| entropy(d, temperature),
        &mut [0.0; 8],
        &mut Vec::new(),
    );
    close(&[found], &losses[1..], 1e-9);
    let head = tune(&mut body(), &POSITIVE, &[], temperature, &recipe);
    close(&head.probabilities(&ASKED), &scores, 1e-9);
}

#[test]
fn the_published_style_reproduces_its_vector() {
    check_vector(
        Recipe::PUBLISHED,
        7.0,
        [0.2132718092, 0.6897141527],
        [0.8245974014, 0.2138651597, 0.5214635884],
    );
}

#[test]
fn the_style_of_dhillon_reproduces_its_vector() {
    check_vector(
        Recipe::DHILLON,
        1.0,
        [0.3617813031, 0.6435846133],
        [0.7013008219, 0.3195447972, 0.5168383971],
    );
}

#[test]
fn losses_slope_as_their_differences_do() {
    let step = 1e-5;
    for d in [-30.0, -2.5, -0.1, 0.0, 0.7, 4.0, 25.0] {
        for temperature in [1.0, 7.0, 13.0] {
            let at = |d: f64| entropy(d, temperature).loss;
            let slope = (at(d + step) - at(d - step)) / (2.0 * step);
            assert!((slope - entropy(d, temperature).derivative).abs() < 1e-9);
        }
        for positive in [true, false] {
            let at = |d: f64| cross_entropy(d, positive).loss;
            let slope = (at(d + step) - at(d - step)) / (2.0 * step);
            assert!((slope - cross_entropy(d, positive).derivative).abs() < 1e-9);
        }
    }
}

#[test]
fn the_entropy_is_that_of_its_definition() {
    for (d, temperature) in [(0.3_f64, 1.0_f64), (-4.0, 7.0), (11.0, 2.0)] {
        let weight = (d / temperature).exp();
        let (p, q) = (weight / (1.0 + weight), 1.0 / (1.0 + weight));
        let slow = -p * p.ln() - q * q.ln();
        let found = entropy(d, temperature);
        assert!((found.loss - slow).abs() < 1e-14);
        assert!((found.derivative + p * (p.ln() + slow) / temperature).abs() < 1e-14);
    }
}

#[test]
fn parameters_and_outputs_slope_as_their_differences_do() {
    for unit_length in [false, true] {
        let head = Head::initial(&SUPPORT, 3, &POSITIVE, unit_length);
        let value = |head: &Head, outputs: &[f64]| {
            let (mut gradient, mut back) = ([0.0; 8], Vec::new());
            let loss = |_, d| entropy(d, 2.0);
            let found = head.slopes(outputs, loss, &mut gradient, &mut back);
            (found, gradient, back)
        };
        let (_, gradient, back) = value(&head, &SUPPORT);
        let step = 1e-6;
        for (place, slope) in gradient.iter().enumerate() {
            let moved = |by: f64| value(&head.moved(place, by), &SUPPORT).0;
            let difference = (moved(step) - moved(-step)) / (2.0 * step);
            assert!((difference - slope).abs() < 1e-9);
        }
        for (place, slope) in back.iter().enumerate() {
            let moved = |by: f64| {
                let mut outputs = SUPPORT;
                outputs[place] += by;
                value(&head, &outputs).0
            };
            let difference = (moved(step) - moved(-step)) / (2.0 * step);
            assert!((difference - slope).abs() < 1e-9, "{place} {unit_length}");
        }
    }
}

#[test]
fn empty_and_huge_inputs_give_probabilities() {
    for (value, unit_length) in [(0.0, true), (-1.0, false), (1e100, true), (1e100, false)] {
        let rows = [value; 6];
        let mut body = Constant {
            width: 3,
            support: rows.to_vec(),
            validation: rows.to_vec(),
            asked: rows.to_vec(),
        };
        let recipe = Recipe {
            unit_length,
            ..Recipe::PUBLISHED
        };
        let labels = [true, false];
        let head = tune(&mut body, &labels, &labels, 7.0, &recipe);
        let found = head.probabilities(&rows);
        assert!(found.iter().all(|p| (0.0..=1.0).contains(p)), "{found:?}");
    }
}

#[test]
fn a_validation_loss_that_grows_stops_early() {
    let epochs = |validation: &[bool]| {
        struct Counting(Constant, usize);
        impl Body for Counting {
            fn width(&self) -> usize {
                self.0.width()
            }
            fn outputs(&mut self, set: Set) -> &[f64] {
                self.0.outputs(set)
            }
            fn learn(&mut self, _: &[f64]) {
                self.1 += 1;
            }
        }
        let mut counting = Counting(body(), 0);
        counting.0.validation = SUPPORT.to_vec();
        tune(
            &mut counting,
            &POSITIVE,
            validation,
            7.0,
            &Recipe::PUBLISHED,
        );
        counting.1 / 2
    };
    assert_eq!(epochs(&POSITIVE), 30);
    // With labels the wrong way round every epoch after the first is worse: patience 2.
    assert_eq!(epochs(&POSITIVE.map(|positive| !positive)), 3);
}
