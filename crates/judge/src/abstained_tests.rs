use attacks::scores::Abstention;
use stats::roc::Roc;
use stats::streams::{Seed, standard_normal};

use super::*;
use crate::{AttackMeasures, Options, Truth, measure};

fn measured(scores: &Scores, truth: &Truth) -> AttackMeasures {
    let options = Options {
        bootstrap_replicates: 20,
        calibrate: true,
        ..Options::default()
    };
    measure("attack", scores, truth, &options).unwrap()
}

/// Scores of 400 records, every other one a member, with abstentions where told.
fn drawn(seed: u64, lead: f64, left_out: impl Fn(usize) -> bool) -> (Scores, Truth) {
    let mut rng = Seed(seed).stream("abstained");
    let member = |record: usize| record.is_multiple_of(2);
    let mut answer = |record: usize| {
        let score = standard_normal(&mut rng) + if member(record) { lead } else { 0.0 };
        match left_out(record) {
            true => Err(Abstention::NoOutShadow),
            false => Ok(score),
        }
    };
    let scores: Scores = (0..400).map(&mut answer).collect();
    (scores, Truth::new((0..400).map(member)).unwrap())
}

/// Every pair counted one by one, abstentions at a place that was found by sorting.
fn pairs(scores: &Scores, truth: &Truth) -> f64 {
    let mut given: Vec<f64> = scores.iter().flatten().collect();
    given.sort_by(f64::total_cmp);
    let middle = given.len() / 2;
    let place = match given.len() % 2 {
        1 => given[middle],
        _ => (given[middle - 1] + given[middle]) / 2.0,
    };
    let of = |kind: bool| -> Vec<f64> {
        let both = scores.iter().zip(truth.iter());
        both.filter(|(_, member)| *member == Some(kind))
            .map(|(score, _)| score.unwrap_or(place))
            .collect()
    };
    let (members, others) = (of(true), of(false));
    let mut won = 0.0;
    for member in &members {
        for other in &others {
            won += match member.total_cmp(other) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    won / (members.len() * others.len()) as f64
}

#[test]
fn the_median_lies_in_the_middle() {
    for (given, place) in [
        (vec![], None),
        (vec![3.0], Some(3.0)),
        (vec![3.0, 1.0], Some(2.0)),
        (vec![5.0, 1.0, 3.0], Some(3.0)),
        (vec![f64::NEG_INFINITY, f64::INFINITY], Some(0.0)),
        (vec![1.0, f64::INFINITY], Some(1.0)),
        (vec![f64::NEG_INFINITY, 1.0], Some(1.0)),
        (vec![f64::MAX, f64::MAX], Some(f64::MAX)),
        (vec![f64::INFINITY; 4], Some(f64::INFINITY)),
    ] {
        assert_eq!(no_evidence(given.clone()), place, "{given:?}");
    }
}

#[test]
fn all_records_are_counted_and_the_judged_ones_stand_beside() {
    let (scores, truth) = drawn(3, 1.0, |record| record % 9 < 2);
    let found = measured(&scores, &truth);
    assert_eq!((found.n_members, found.n_nonmembers), (200, 200));
    assert_eq!(found.abstained, scores.abstained());
    assert!((found.auc.value - pairs(&scores, &truth)).abs() < 1e-12);
    let judged = found.judged.as_ref().unwrap();
    let alone = scores.iter().zip(truth.iter());
    let alone = Roc::new(alone.filter_map(|(score, member)| Some((score?, member?)))).unwrap();
    assert_eq!(judged.auc.value, alone.auc());
    assert_eq!(judged.n_members, alone.members());
    assert_eq!(judged.n_nonmembers, alone.nonmembers());
    assert_eq!(found.distinct_scores, alone.points().len() - 1);
    assert!(found.auc.value < judged.auc.value, "{found:?}");
}

#[test]
fn an_increasing_function_of_the_scores_is_measured_alike() {
    let (scores, truth) = drawn(4, 0.8, |record| record % 7 == 0);
    let bent: Scores = (0..scores.len())
        .map(|record| scores.answer(record).map(|score| score.exp()))
        .collect();
    let (one, other) = (measured(&scores, &truth), measured(&bent, &truth));
    assert_eq!(one.auc, other.auc);
    assert_eq!(one.roc, other.roc);
}

#[test]
fn without_abstentions_nothing_stands_beside() {
    let (scores, truth) = drawn(5, 1.0, |_| false);
    assert!(matches!(placed(&scores), Cow::Borrowed(_)));
    let json = serde_json::to_value(measured(&scores, &truth)).unwrap();
    assert!(json.get("judged").is_none());
}

#[test]
fn an_attack_that_judges_its_easiest_records_alone_gains_nothing() {
    // Both know the same of the records that they judge; one abstains on nine of ten others.
    let (whole, truth) = drawn(6, 1.5, |_| false);
    let (picky, _) = drawn(6, 1.5, |record| record % 10 != 0 && record % 10 != 1);
    let (whole, picky) = (measured(&whole, &truth), measured(&picky, &truth));
    assert!(picky.auc.value + 0.05 < whole.auc.value);
    assert!(picky.judged.unwrap().auc.value > 0.75);
}

#[test]
fn abstaining_at_random_on_scores_at_random_stays_at_chance() {
    let aucs = (0..100).map(|seed| {
        let (scores, truth) = drawn(100 + seed, 0.0, |record| (record * 31 + 7) % 5 < 2);
        measured(&scores, &truth).auc.value
    });
    let mean = aucs.sum::<f64>() / 100.0;
    // One AUC of 400 records has a deviation of 0.029.
    assert!((mean - 0.5).abs() < 0.01, "{mean}");
}

#[test]
fn records_of_another_source_are_no_part_of_it() {
    let truth = Truth::new([true, false, true, false, true, false]).unwrap();
    let scores: Scores = [
        Ok(3.0),
        Ok(1.0),
        Err(Abstention::OtherSource),
        Err(Abstention::NotAsked),
        Err(Abstention::Undefined),
        Ok(2.0),
    ]
    .into_iter()
    .collect();
    let found = measured(&scores, &truth);
    assert_eq!((found.n_members, found.n_nonmembers), (2, 2));
    assert_eq!((found.abstained, scores.left_out()), (3, 1));
    assert_eq!(found.judged.unwrap().n_members, 1);
}
