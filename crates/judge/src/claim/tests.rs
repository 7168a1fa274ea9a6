//! Claims that hold and claims that do not.

use attacks::scores::Scores;
use stats::streams::{Seed, uniform};

use super::*;
use crate::gate::Measure;
use crate::guardrails::Blocks;
use crate::{Options, Truth, measure};

fn claimed(epsilon: f64) -> Claimed {
    Claimed {
        epsilon,
        delta: 1e-5,
        by: "a test".into(),
    }
}

/// Randomised response: the truth with probability 1/(1 + e^−ε), which is (ε, 0)-DP and no better.
fn responses(records: usize, epsilon: f64, run: u64) -> AttackMeasures {
    let mut rng = Seed(7).numbered("responses", run);
    let honest = 1.0 / (1.0 + (-epsilon).exp());
    let answer = |record: usize| {
        let member = record.is_multiple_of(2);
        let said = member == (uniform(&mut rng) < honest);
        Ok(f64::from(u8::from(said)))
    };
    let scores: Scores = (0..records).map(answer).collect();
    let truth = Truth::new((0..records).map(|record| record.is_multiple_of(2))).unwrap();
    let options = Options {
        bootstrap_replicates: 0,
        ..Options::default()
    };
    measure("response", &scores, &truth, &options).unwrap()
}

fn held(epsilon: f64, attacks: &[AttackMeasures]) -> ClaimFinding {
    ClaimFinding::new(&claimed(epsilon), attacks, 0.95, Choice::Best).unwrap()
}

fn passing() -> Verdict {
    Verdict {
        outcome: Outcome::Pass,
        reasons: vec!["the gate holds".into()],
        gate: None,
        forced: false,
        attacker: None,
        detectable: None,
    }
}

#[test]
fn a_mechanism_of_more_than_it_claims_is_found_out() {
    let attacks = [responses(4000, 3.0, 0)];
    let found = held(1.0, &attacks);
    assert_eq!(found.outcome, ClaimOutcome::Refuted);
    assert!(found.bound > 1.0 && found.bound < 3.0, "{found:?}");
    let mut verdict = passing();
    verdict.hold(&found, &[], false);
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert!(verdict.reasons[0].contains("does not hold: response proves"));
}

/// The bound exceeds the ε that a mechanism has no more often than its confidence says.
#[test]
fn a_true_claim_stands() {
    let runs = 200;
    for epsilon in [0.5, 2.0] {
        let wrong = (0..runs).filter(|&run| {
            let attacks = [responses(1000, epsilon, run)];
            held(epsilon, &attacks).outcome == ClaimOutcome::Refuted
        });
        let wrong = wrong.count();
        assert!(
            wrong as f64 <= 0.05 * runs as f64,
            "{wrong} of {runs} at {epsilon}"
        );
    }
    let mut verdict = passing();
    verdict.hold(&held(2.0, &[responses(1000, 2.0, 0)]), &[], false);
    assert_eq!(verdict.outcome, Outcome::Pass);
    assert!(verdict.reasons.last().unwrap().contains("no proof"));
}

#[test]
fn few_records_test_nothing_and_say_so() {
    let found = held(6.0, &[responses(100, 5.0, 0)]);
    assert_eq!(found.outcome, ClaimOutcome::Untested);
    assert!(found.largest < 6.0 && found.to_string().contains("was not tested"));
}

#[test]
fn the_delta_is_the_claims_and_attacks_are_paid_for() {
    let attacks = [responses(4000, 3.0, 0)];
    let loose = Claimed {
        delta: 0.3,
        ..claimed(1.0)
    };
    let found = ClaimFinding::new(&loose, &attacks, 0.95, Choice::Best).unwrap();
    assert!(found.bound < held(1.0, &attacks).bound);
    let several: Vec<AttackMeasures> = (0..10).map(|run| responses(4000, 3.0, run)).collect();
    let one = held(1.0, &several[..1]);
    assert!((held(1.0, &several).confidence - 0.995).abs() < 1e-12);
    let reading = Measure::Epsilon(1e-5).read(&several[0], 0.95).unwrap();
    assert_eq!(reading.value, one.bound);
}

/// What may be feigned refutes nothing, and yet nothing passes beside it.
#[test]
fn a_feigned_leak_refutes_no_claim() {
    let finding = |id: &str, blocks| Finding {
        detectable: None,
        id: id.into(),
        status: Status::Violated,
        blocks,
        detail: "so".into(),
        criteria: Vec::new(),
    };
    let found = held(1.0, &[responses(4000, 3.0, 0)]);
    for (id, blocks, expected) in [
        ("blind-baseline", Blocks::Fail, Outcome::Inconclusive),
        ("tied-scores", Blocks::Pass, Outcome::Fail),
        ("policy-sizes", Blocks::Both, Outcome::Fail),
    ] {
        let mut verdict = passing();
        verdict.hold(&found, &[finding(id, blocks)], false);
        assert_eq!(verdict.outcome, expected, "{id}");
        let mut forced = passing();
        forced.hold(&found, &[finding(id, blocks)], true);
        assert_eq!(forced.outcome, Outcome::Fail, "{id}");
        assert_eq!(forced.forced, id == "blind-baseline");
    }
}

#[test]
fn what_is_no_claim_is_refused() {
    for (epsilon, delta) in [
        (0.0, 1e-5),
        (f64::NAN, 1e-5),
        (f64::INFINITY, 0.0),
        (1.0, 1.0),
    ] {
        let wrong = Claimed {
            epsilon,
            delta,
            by: "a test".into(),
        };
        assert!(
            wrong.check("claim.epsilon", "claim.delta").is_err(),
            "{epsilon} {delta}"
        );
    }
    assert!(claimed(1.0).check("claim.epsilon", "claim.delta").is_ok());
}

/// Coins of their own, guessed by randomised response.
fn canaries(count: usize, epsilon: f64, repetitions: u64) -> AttackMeasures {
    use crate::epsilon::coins::CoinGuesses;
    let mut rng = Seed(9).stream("canaries");
    let honest = 1.0 / (1.0 + (-epsilon).exp());
    let scored: Vec<(f64, bool)> = (0..count)
        .map(|_| {
            let included = uniform(&mut rng) < 0.5;
            let said = included == (uniform(&mut rng) < honest);
            (f64::from(u8::from(said)), included)
        })
        .collect();
    AttackMeasures {
        coins: Some(CoinGuesses::new(&scored, &[], repetitions, Seed(1))),
        ..responses(100, 0.0, 0)
    }
}

/// Canaries are drawn to test a claim: where they could not, nothing passes.
#[test]
fn claims_are_held_against_canaries() {
    let refuted = held(1.0, &[canaries(1000, 3.0, 1)]);
    assert_eq!(refuted.outcome, ClaimOutcome::Refuted);
    assert!(refuted.method.contains("both sides"), "{refuted:?}");
    let stands = held(3.0, &[canaries(1000, 1.0, 1)]);
    assert_eq!(stands.outcome, ClaimOutcome::NotRefuted);
    assert!(stands.to_string().contains("canaries (1000)"), "{stands}");
    let few = held(4.0, &[canaries(100, 4.0, 1)]);
    assert_eq!(few.outcome, ClaimOutcome::Untested);
    assert!(few.canaries.unwrap().needed.unwrap() > 100);
    // As a group of four, the same guesses say a fourth as much of one record.
    let group = held(1.0, &[canaries(1000, 3.0, 4)]);
    assert!(group.bound < refuted.bound / 3.9 && group.outcome != ClaimOutcome::Refuted);
    for (found, force, expected) in [
        (&stands, false, Outcome::Pass),
        (&few, false, Outcome::Inconclusive),
        (&few, true, Outcome::Pass),
        (&refuted, false, Outcome::Fail),
    ] {
        let mut verdict = passing();
        verdict.hold(found, &[], force);
        assert_eq!(verdict.outcome, expected, "{found}");
    }
}

/// What is remembered only where it was repeated refutes the claim, too.
#[test]
fn a_tier_alone_refutes_a_claim() {
    let tiers = |epsilon: f64| AttackMeasures {
        repeated: canaries(600, epsilon, 4).coins.into_iter().collect(),
        ..canaries(600, 0.0, 1)
    };
    let stands = held(0.3, &[tiers(0.0)]);
    assert_eq!(stands.outcome, ClaimOutcome::NotRefuted);
    assert_eq!(stands.canaries.unwrap().repetitions, 1);
    let refuted = held(0.3, &[tiers(4.0)]);
    assert_eq!(refuted.outcome, ClaimOutcome::Refuted);
    assert_eq!(refuted.canaries.unwrap().repetitions, 4);
    assert!((refuted.confidence - 0.95).abs() < 1e-12);
    let words = "of one record, by canaries that were trained on 4 times";
    assert!(refuted.to_string().contains(words), "{refuted}");
    let mut verdict = passing();
    verdict.hold(&refuted, &[], false);
    assert_eq!(verdict.outcome, Outcome::Fail);
    // A threshold on ε asks the same of every tier.
    let gate = Gate {
        measure: Measure::Epsilon(1e-5),
        threshold: 0.3,
        rule: Rule::Point,
        confidence: 0.95,
    };
    let found = decide(&[tiers(4.0)], &gate, Choice::Best).unwrap();
    assert_eq!(
        (found.value, found.repetitions),
        (refuted.bound, Some(4)),
        "{found:?}"
    );
    let verdict = crate::verdict::verdict(Ok(found), None, &[], false);
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert!(verdict.reasons[0].contains(words), "{verdict:?}");
}
