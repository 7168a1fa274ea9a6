//! Canaries of two tiers, of which one was remembered.

use attacks::scores::Abstention;
use stats::streams::{standard_normal, uniform};

use super::finding::Shown;
use super::*;
use crate::epsilon::{Claim, Inclusion};
use crate::measure;

const OPTIONS: fn() -> Options = || Options {
    bootstrap_replicates: 0,
    inclusion: Inclusion::IndependentCoins,
    ..Options::default()
};

/// So many canaries in turns of one and of eight repetitions; those of eight are remembered.
fn drawn(records: usize) -> (Canaries, Vec<(String, Scores)>, Truth) {
    let mut rng = Seed(5).stream("drawn");
    let tier = |row: usize| if row.is_multiple_of(2) { 1 } else { 8 };
    let coins: Vec<bool> = (0..records).map(|_| uniform(&mut rng) < 0.5).collect();
    let score = |row: usize, rng: &mut _| {
        let lift = if tier(row) == 8 && coins[row] {
            9.0
        } else {
            0.0
        };
        Ok(lift + standard_normal(rng))
    };
    let scores: Scores = (0..records).map(|row| score(row, &mut rng)).collect();
    let canary = |row: usize| Canary {
        repetitions: tier(row),
        design: row / 2 % 2,
    };
    let canaries = Canaries {
        rows: (0..records).map(|row| Some(canary(row))).collect(),
        missing: Vec::new(),
        designs: vec!["random-tokens".into(), "names".into()],
        draw: Draw::default(),
    };
    let truth = Truth::new(coins).unwrap();
    (canaries, vec![("loss".into(), scores)], truth)
}

fn measured(canaries: &Canaries, scores: &[(String, Scores)], truth: &Truth) -> AttackMeasures {
    let mut found = [measure(&scores[0].0, &scores[0].1, truth, &OPTIONS()).unwrap()];
    let rows: Vec<usize> = (0..truth.len()).collect();
    canaries.bind(&mut found, scores, truth, &rows, &OPTIONS());
    let [found] = found;
    found
}

/// What eight repetitions show is no proof about one record.
#[test]
fn bounds_rest_on_the_least_repeated() {
    let (canaries, scores, truth) = drawn(2000);
    let found = measured(&canaries, &scores, &truth);
    let coins = found.coins.clone().unwrap();
    assert_eq!((coins.records, coins.repetitions), (1000, 1));
    let tiers: Vec<(u64, u64)> = (found.repeated.iter())
        .map(|tier| (tier.records, tier.repetitions))
        .collect();
    assert_eq!(tiers, [(1000, 8)]);
    assert_eq!(found.epsilon_lower_bound.value, 0.0);
    assert!(!found.epsilon_lower_bound.note.contains("not a proof"));
    assert!(found.epsilon_bounds.iter().all(|bound| bound.value < 0.5));
    assert!(found.auc.value > 0.7);
}

#[test]
fn every_tier_and_design_has_its_part() {
    let (canaries, scores, truth) = drawn(2000);
    let rows: Vec<usize> = (0..2000).collect();
    let options = OPTIONS();
    let found = canaries.finding(&Shown {
        scores: &scores,
        truth: &truth,
        records: &rows,
        gated: Some("loss"),
        confidence: 0.95,
        options: &options,
    });
    let names: Vec<&str> = found.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "all",
            "trained on 1×",
            "trained on 8×",
            "random-tokens",
            "names"
        ]
    );
    let [all, once, often, ..] = found.parts.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(
        (all.canaries, once.canaries, often.canaries),
        (2000, 1000, 1000)
    );
    assert_eq!((all.epsilon, once.epsilon), (0.0, 0.0));
    assert!(often.epsilon_together > 4.0, "{often:?}");
    assert!(often.epsilon > 0.0 && often.epsilon <= often.epsilon_together / 8.0);
    assert!(often.auc.as_ref().unwrap().value > 0.99);
    assert!((once.auc.as_ref().unwrap().value - 0.5).abs() < 0.06);
    assert_eq!((found.canaries, found.missing, found.foreign), (2000, 0, 0));
}

/// Canaries without a score count as guesses that were not made.
#[test]
fn missing_and_abstained_canaries_weaken_a_bound() {
    let records = 600;
    let coins: Vec<bool> = (0..records).map(|row| row % 2 == 0).collect();
    let one = Canary {
        repetitions: 1,
        design: 0,
    };
    let answer = |row: usize, left_out: usize| match row < left_out {
        true => Err(Abstention::NotGiven),
        false => Ok(f64::from(u8::from(coins[row]))),
    };
    let bound = |left_out: usize, missing: usize| {
        let scores: Scores = (0..records).map(|row| answer(row, left_out)).collect();
        let canaries = Canaries {
            rows: vec![Some(one); records],
            missing: vec![(one, true); missing],
            designs: vec!["random-tokens".into()],
            draw: Draw::default(),
        };
        let truth = Truth::new(coins.iter().copied()).unwrap();
        let found = measured(&canaries, &[("loss".into(), scores)], &truth);
        let coins = found.coins.unwrap();
        assert_eq!(coins.records as usize, records + missing);
        let claim = Claim {
            confidence: 0.95,
            delta: 0.0,
        };
        coins.bound(&claim).0
    };
    assert!(bound(0, 0) > bound(200, 0) && bound(0, 0) > bound(0, 200));
}
