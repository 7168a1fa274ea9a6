//! Mechanisms of known ε: the bound stays below, and is not far below.

use rayon::prelude::*;
use stats::streams::{standard_normal, uniform};

use super::*;
use crate::epsilon::gaussian::epsilon_of;

const CLAIM: Claim = Claim {
    confidence: 0.95,
    delta: 1e-5,
};

const PURE: Claim = Claim {
    delta: 0.0,
    ..CLAIM
};

/// Coins, and what a mechanism says of each of them.
fn run(records: usize, number: u64, says: impl Fn(bool, &mut dyn Draw) -> f64) -> CoinGuesses {
    let mut rng = Seed(11).numbered("mechanism", number);
    let scored: Vec<(f64, bool)> = (0..records)
        .map(|_| {
            let included = uniform(&mut rng) < 0.5;
            (says(included, &mut rng), included)
        })
        .collect();
    CoinGuesses::new(&scored, &[], 1, Seed(number))
}

trait Draw {
    fn uniform(&mut self) -> f64;
    fn normal(&mut self) -> f64;
}

impl<R: Rng> Draw for R {
    fn uniform(&mut self) -> f64 {
        uniform(self)
    }
    fn normal(&mut self) -> f64 {
        standard_normal(self)
    }
}

/// Randomised response is exactly (ε, 0)-DP.
fn response(epsilon: f64) -> impl Fn(bool, &mut dyn Draw) -> f64 {
    let honest = 1.0 / (1.0 + (-epsilon).exp());
    move |included, draw| f64::from(u8::from(included == (draw.uniform() < honest)))
}

/// Gaussian noise of deviation one on a record that counts μ.
fn noisy(mu: f64) -> impl Fn(bool, &mut dyn Draw) -> f64 {
    move |included, draw| mu * f64::from(u8::from(included)) + draw.normal()
}

fn bounds(
    records: usize,
    claim: &Claim,
    says: impl Fn(bool, &mut dyn Draw) -> f64 + Sync,
) -> Vec<f64> {
    let one = |number| run(records, number, &says).bound(claim).0;
    (0..200_u64).into_par_iter().map(one).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// At most as many as 95% confidence leaves: 18 of 200 is beyond chance at 1%.
fn above(values: &[f64], epsilon: f64) -> usize {
    values.iter().filter(|value| **value > epsilon).count()
}

#[test]
fn the_bound_stays_below_what_a_mechanism_has_and_reaches_a_third_of_it() {
    for epsilon in [0.5, 1.0, 4.0] {
        let found = bounds(1000, &PURE, response(epsilon));
        assert!(above(&found, epsilon) <= 10, "{epsilon}");
        assert!(mean(&found) > epsilon / 3.0, "{epsilon}: {}", mean(&found));
    }
    for mu in [0.5, 1.0, 1.5] {
        let epsilon = epsilon_of(mu, CLAIM.delta);
        let found = bounds(1000, &CLAIM, noisy(mu));
        assert_eq!(above(&found, epsilon), 0, "{mu}");
        // A Gaussian mechanism spends its ε in rare events, which so few records hardly show.
        let part = if mu < 1.0 { 0.25 } else { 1.0 / 3.0 };
        assert!(mean(&found) > part * epsilon, "{epsilon}: {}", mean(&found));
    }
}

#[test]
fn a_mechanism_that_says_nothing_has_a_bound_of_zero() {
    let found = bounds(400, &PURE, |_, draw| draw.uniform());
    assert!(above(&found, 0.0) <= 10, "{}", above(&found, 0.0));
}

/// What fails with chance δ and tells everything then is granted that much.
#[test]
fn a_mechanism_that_fails_with_chance_delta_is_not_called_worse() {
    let (epsilon, delta) = (1.0, 0.005);
    let says = |included: bool, draw: &mut dyn Draw| match draw.uniform() < delta {
        true => 3.0 * f64::from(u8::from(included)) - 1.0,
        false => response(epsilon)(included, draw),
    };
    let claim = Claim { delta, ..CLAIM };
    let found = bounds(1000, &claim, says);
    assert!(above(&found, epsilon) <= 10);
}

/// A record that counts r times what one does has no larger a bound for one.
#[test]
fn repeated_records_are_judged_as_groups() {
    let (epsilon, times) = (0.8, 4);
    let found: Vec<f64> = (0..200)
        .map(|number| {
            let together = run(1000, number, response(epsilon * times as f64));
            let apart = CoinGuesses {
                repetitions: times,
                ..together.clone()
            };
            let (whole, one) = (together.bound(&PURE).0, apart.bound(&PURE).0);
            assert!((whole - times as f64 * one).abs() < 1e-6 * whole.max(1.0));
            assert!(apart.bound(&CLAIM).0 <= one);
            one
        })
        .collect();
    assert!(above(&found, epsilon) <= 10);
    assert!(group(1.0, 1e-5, 3).1 > 1e-4 && group(8.0, 1e-5, 4).1 == 1.0);
    assert_eq!(group(2.0, 1e-5, 1), (2.0, 1e-5));
}

#[test]
fn cuts_and_shares_follow_the_number_of_records() {
    for records in [0, 5, 6, 40, 100, 1000, 100_000] {
        let cuts = grid(records);
        let shares: f64 = cuts.iter().map(|(_, _, share)| share).sum();
        assert!(
            cuts.is_empty() == (records < FEWEST)
                && (cuts.is_empty() || (shares - 1.0).abs() < 1e-12)
        );
        assert!(
            cuts.iter()
                .all(|(above, below, _)| above + below <= records)
        );
    }
    assert_eq!(largest(5, 1, &PURE), 0.0);
    let growing: Vec<f64> = [10, 100, 1000, 10_000]
        .map(|records| largest(records, 1, &PURE))
        .to_vec();
    assert!(growing.is_sorted_by(|a, b| a < b), "{growing:?}");
    assert!((5.0..5.5).contains(&growing[2]), "{growing:?}");
}

/// By hand: the same guesses counted one by one.
#[test]
fn guesses_are_counted_from_both_ends() {
    let naive = |order: &[bool], above: usize, below: usize| {
        let guess = |place: usize| match place {
            place if place < above => Some(true),
            place if place >= order.len() - below => Some(false),
            _ => None,
        };
        let right = |place: &usize| guess(*place) == Some(order[*place]);
        (0..order.len()).filter(right).count() as u64
    };
    let order: Vec<bool> = (0..50).map(|place| place * 7 % 11 < 6).collect();
    for (above, below) in [(0, 0), (3, 5), (25, 25), (50, 0), (0, 50)] {
        assert_eq!(right(&order, above, below), naive(&order, above, below));
    }
    // More guesses than records: each side has its half, and the whole is charged all the same.
    assert_eq!(right(&order, 40, 40), naive(&order, 25, 25));
    assert_eq!(right(&[], 4, 4), 0);
}

#[test]
fn what_was_not_scored_is_charged() {
    let scored: Vec<(f64, bool)> = (0..400)
        .map(|place| (f64::from(place), place >= 200))
        .collect();
    let all = CoinGuesses::new(&scored, &[], 1, Seed(1));
    let fewer = CoinGuesses::new(&scored, &[true; 100], 1, Seed(1));
    assert_eq!((fewer.records, fewer.included), (500, 300));
    assert!(fewer.cuts[0].above + fewer.cuts[0].below == 500 && fewer.cuts[0].correct == 400);
    assert!(fewer.bound(&PURE).0 < all.bound(&PURE).0);
    assert_eq!(all.bound(&PURE).0, all.largest(&PURE));
}

#[test]
fn equal_scores_are_told_apart_by_lots_and_not_by_truth() {
    let tied: Vec<(f64, bool)> = (0..2000).map(|place| (0.0, place % 2 == 0)).collect();
    let reversed: Vec<(f64, bool)> = tied.iter().rev().copied().collect();
    let found = CoinGuesses::new(&tied, &[], 1, Seed(3));
    assert_eq!(found, CoinGuesses::new(&reversed, &[], 1, Seed(3)));
    let right = found.cuts[0].correct as f64 / 2000.0;
    assert!((right - 0.5).abs() < 0.05, "{right}");
    assert!(found.bound(&PURE).0 < 0.2);
}
