//! Tiers of mechanisms whose ε is known: what any of them proves stays below it as often as it must.

use attacks::scores::Scores;
use rayon::prelude::*;
use stats::streams::{Seed, uniform};

use super::*;
use crate::gate::Measure;
use crate::{Options, Truth, measure};

const CLAIM: Claim = Claim {
    confidence: 0.95,
    delta: 1e-5,
};

/// Randomised response about canaries that were trained on so often: what a mechanism of ε for one record may
/// tell of a group at the most.
fn tier(canaries: usize, repetitions: u64, epsilon: f64, run: u64) -> CoinGuesses {
    let mut rng = Seed(run).numbered("tier", repetitions);
    let honest = 1.0 / (1.0 + (-epsilon * repetitions as f64).exp());
    let scored: Vec<(f64, bool)> = (0..canaries)
        .map(|_| {
            let included = uniform(&mut rng) < 0.5;
            let said = included == (uniform(&mut rng) < honest);
            (f64::from(u8::from(said)), included)
        })
        .collect();
    CoinGuesses::new(&scored, &[], repetitions, Seed(run))
}

fn attack(mut tiers: Vec<CoinGuesses>) -> AttackMeasures {
    let scores: Scores = (0..40).map(|record| Ok(f64::from(record % 7))).collect();
    let truth = Truth::new((0..40).map(|record| record % 2 == 0)).unwrap();
    let options = Options {
        bootstrap_replicates: 0,
        ..Options::default()
    };
    AttackMeasures {
        coins: Some(tiers.remove(0)),
        repeated: tiers,
        ..measure("response", &scores, &truth, &options).unwrap()
    }
}

/// One by one, with the share of the error written out.
#[test]
fn the_largest_bound_of_a_tier_counts_and_the_error_is_shared() {
    let tiers = vec![
        tier(600, 1, 0.0, 1),
        tier(600, 4, 0.7, 1),
        tier(600, 8, 0.1, 1),
    ];
    let slow = |bound: &dyn Fn(&CoinGuesses, &Claim) -> f64| {
        let claim = Claim {
            confidence: 1.0 - 0.05 / 3.0,
            ..CLAIM
        };
        let bounds: Vec<f64> = tiers.iter().map(|tier| bound(tier, &claim)).collect();
        let best = (0..3).max_by(|a, b| bounds[*a].total_cmp(&bounds[*b]));
        (bounds[best.unwrap()], best.unwrap())
    };
    let found = attack(tiers.clone());
    let (proved, by) = found.proved_by_coins(&CLAIM).unwrap();
    let (expected, place) = slow(&|tier, claim| tier.bound(claim).0);
    assert!((proved - expected).abs() < 1e-9 && place == 1);
    assert_eq!(by, &tiers[1]);
    assert!(proved > 0.3, "{proved}");
    let read = Measure::Epsilon(1e-5).read(&found, 0.95).unwrap();
    assert_eq!(read.value, proved);
    let (showable, by) = found.showable_by_coins(&CLAIM).unwrap();
    let (expected, place) = slow(&CoinGuesses::largest);
    assert!((showable - expected).abs() < 1e-9 && place == 0);
    assert_eq!(by, &tiers[0]);
    // A tier alone pays for no other.
    let alone = attack(tiers[..1].to_vec());
    assert_eq!(
        alone.showable_by_coins(&CLAIM).unwrap().0,
        tiers[0].largest(&CLAIM)
    );
}

/// With every tier telling as much as a group may, the largest of the bounds exceeds ε in no more runs than the
/// confidence grants.
#[test]
fn a_true_epsilon_is_seldom_exceeded_by_any_tier() {
    let runs = 200;
    for epsilon in [0.25, 0.5] {
        let wrong = (0..runs).into_par_iter().filter(|&run| {
            let tiers = [1, 2, 4].map(|times| tier(300, times, epsilon, run));
            let found = attack(tiers.to_vec());
            found.proved_by_coins(&CLAIM).unwrap().0 > epsilon
        });
        let wrong = wrong.count();
        assert!(wrong <= 10, "{wrong} of {runs} at {epsilon}");
    }
}
