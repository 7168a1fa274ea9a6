//! Rates compared: a slow twin, what must be seen, and what cannot be.

use attacks::scores::Scores;
use stats::beta::incomplete_beta;
use stats::binomial::ln_binomial_pmf;
use stats::normal::normal_quantile;
use stats::roc::Roc;
use stats::streams::{Seed, standard_normal};

use super::*;
use crate::compare::compare;
use crate::{Options, Truth};

type Scored = Vec<(f64, bool)>;

fn measured(id: &str, records: &Scored) -> AttackMeasures {
    let scores: Scores = records.iter().map(|(score, _)| Ok(*score)).collect();
    let truth = Truth::new(records.iter().map(|(_, member)| *member)).unwrap();
    let options = Options {
        bootstrap_replicates: 0,
        ..Options::default()
    };
    crate::measure(id, &scores, &truth, &options).unwrap()
}

fn records(seed: u64, members: usize, nonmembers: usize, leak: f64, ties: f64) -> Scored {
    let mut stream = Seed(seed).stream("rates");
    let mut score = |shift: f64| ((standard_normal(&mut stream) + shift) * ties).round() / ties;
    let mut records: Scored = (0..members).map(|_| (score(leak), true)).collect();
    records.extend((0..nonmembers).map(|_| (score(0.0), false)));
    records
}

/// P[Beta(a, n − a + 1) ≤ Beta(b + 1, m − b)] by the definition, as a sum over small steps.
fn at_most(after: Count, before: Count) -> f64 {
    if after.caught == 0 || before.caught == before.of {
        return 1.0;
    }
    let below =
        |x: f64| incomplete_beta(after.caught as f64, (after.of - after.caught + 1) as f64, x);
    let other = |x: f64| {
        incomplete_beta(
            (before.caught + 1) as f64,
            (before.of - before.caught) as f64,
            x,
        )
    };
    let steps = 4000;
    let place = |step: usize| step as f64 / steps as f64;
    (0..steps)
        .map(|step| {
            let middle = below((place(step) + place(step + 1)) / 2.0);
            middle * (other(place(step + 1)) - other(place(step)))
        })
        .sum()
}

#[test]
fn the_test_of_two_betas_is_fishers() {
    for (before, after) in [((3, 40), (9, 50)), ((0, 10), (1, 12)), ((20, 30), (5, 9))] {
        let (before, after) = (
            Count {
                caught: before.0,
                of: before.1,
            },
            Count {
                caught: after.0,
                of: after.1,
            },
        );
        let (slow, fast) = (at_most(after, before), fisher(before, after));
        assert!((slow - fast).abs() < 1e-4, "{slow} and {fast}");
    }
}

/// Every number of false positives of both audits, one by one, from the whole curves.
fn twin(before: &Scored, after: &Scored, fpr: f64) -> f64 {
    let curve = |records: &Scored| Roc::new(records.iter().copied()).unwrap();
    let (old, new) = (curve(before), curve(after));
    let chance = |count: u64, roc: &Roc| ln_binomial_pmf(count, roc.nonmembers(), fpr).exp();
    let mut sum = 0.0;
    for allowed in 0..=old.nonmembers() {
        let most = old.point_at_false_positives(allowed).true_positives;
        for reached in 0..=new.nonmembers() {
            let least = match reached {
                0 => 0,
                _ => new.point_at_false_positives(reached - 1).true_positives,
            };
            let (from, to) = (
                Count {
                    caught: most,
                    of: old.members(),
                },
                Count {
                    caught: least,
                    of: new.members(),
                },
            );
            sum += chance(allowed, &old) * chance(reached, &new) * fisher(from, to);
        }
    }
    sum
}

#[test]
fn the_p_value_is_the_mean_over_all_false_positives() {
    for (seed, leak, ties) in [(1, 1.0, 1e6), (2, 1.5, 2.0), (3, 0.0, 1.0), (4, 3.0, 4.0)] {
        let before = records(seed, 40, 110, 0.2, ties);
        let after = records(seed + 100, 60, 120, leak, ties);
        let (old, new) = (measured("a", &before), measured("a", &after));
        for (from, to, slow) in [
            (&old, &new, twin(&before, &after, 0.1)),
            (&new, &old, twin(&after, &before, 0.1)),
        ] {
            let fast = p_value(from, to, 0.1, 1.0).unwrap();
            // The curve is thin from some fifty false positives on, which are hardly ever reached.
            assert!((fast - slow).abs() < 1e-9, "{fast} and {slow}");
        }
    }
}

/// As many members and non-members, at the quantiles of two normal distributions.
fn quantiles(each: usize, leak: f64) -> Scored {
    let place = |i: usize| normal_quantile((i as f64 + 0.5) / each as f64);
    let both = (0..each).flat_map(|i| [(place(i) + leak, true), (place(i), false)]);
    both.collect()
}

#[test]
fn one_percent_to_sixteen_is_a_rise_with_a_thousand_and_back_a_fall() {
    let (before, after) = (quantiles(1000, 0.0), quantiles(1000, 1.305));
    // Many attacks, of which one rose.
    let audit = |first: &Scored| {
        let mut attacks = vec![measured("risen", first)];
        attacks.extend((0..19).map(|id| measured(&format!("still-{id}"), &before)));
        attacks
    };
    let (old, new) = (audit(&before), audit(&after));
    let find = |changes: Vec<Change>| {
        let mut changes = changes.into_iter();
        let asked = |one: &Change| one.attack == "risen" && one.measure == "tpr@0.01";
        changes.find(asked).unwrap()
    };
    let rise = find(compare(&old.as_slice().into(), &new.as_slice().into()));
    assert!((rise.before, rise.after) == (0.01, 0.158), "{rise:?}");
    assert!(rise.is_rise(0.05) && !rise.is_fall(0.05), "{rise:?}");
    let fall = find(compare(&new.as_slice().into(), &old.as_slice().into()));
    assert!(fall.is_fall(0.05) && !fall.is_rise(0.05), "{fall:?}");
    assert_eq!(fall.fall_p_value, rise.p_value);
}

#[test]
fn where_no_nonmember_may_lie_beyond_nothing_is_told() {
    let (before, after) = (quantiles(1000, 0.0), quantiles(1000, 4.0));
    let (old, new) = (measured("a", &before), measured("a", &after));
    // One in a thousand of a thousand: with a chance of e⁻¹ none.
    assert_eq!(p_value(&old, &new, 0.001, UNSEEN), None);
    assert!(p_value(&old, &new, 0.001, 1.0).unwrap() > 0.36);
    // A larger audit may fall below a smaller one's rate, not the other way.
    let small = measured("a", &quantiles(300, 0.0));
    assert!(p_value(&new, &small, 0.01, UNSEEN / 20.0).is_none());
    assert!(p_value(&small, &new, 0.01, UNSEEN / 20.0).is_some_and(|p| p < 1e-3));
}

#[test]
fn a_curve_that_is_missing_proves_nothing() {
    let (old, whole) = (
        measured("a", &quantiles(1000, 0.0)),
        measured("a", &quantiles(1000, 3.0)),
    );
    let mut empty = whole.clone();
    (empty.roc.points, empty.roc.bands) = (Vec::new(), Vec::new());
    assert!(p_value(&old, &empty, 0.01, UNSEEN).is_some_and(|p| p > 0.999));
    assert!(p_value(&empty, &whole, 0.01, UNSEEN).is_some_and(|p| p > 0.999));
    assert!(p_value(&old, &whole, 0.01, UNSEEN).is_some_and(|p| p < 1e-3));
}
