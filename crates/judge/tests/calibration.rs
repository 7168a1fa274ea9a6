//! Many audits of nothing: the judge must not find more than it says it may.

#![allow(clippy::unwrap_used)]

use attacks::scores::Scores;
use guestlist_judge::measure::{Level, Regime};
use guestlist_judge::{AttackMeasures, Options, Truth, measure};
use stats::streams::{Seed, uniform};

const AUDITS: u64 = 300;

fn null_audit(number: u64) -> AttackMeasures {
    let mut stream = Seed(2024).numbered("null audit", number);
    let scores: Scores = (0..200).map(|_| Ok(uniform(&mut stream))).collect();
    let truth = Truth::new((0..200).map(|record| record % 2 == 0)).unwrap();
    let options = Options {
        bootstrap_replicates: 200,
        ..Options::default()
    };
    measure("test", &scores, &truth, &options).unwrap()
}

fn share(audits: &[AttackMeasures], found: impl Fn(&AttackMeasures) -> bool) -> f64 {
    audits.iter().filter(|audit| found(audit)).count() as f64 / audits.len() as f64
}

fn regime_a(audit: &AttackMeasures) -> &Regime {
    &audit.log_mia.a
}

fn regime_b(audit: &AttackMeasures) -> &Regime {
    &audit.log_mia.b
}

#[test]
fn null_audits_reject_no_more_often_than_claimed() {
    let audits: Vec<AttackMeasures> = (0..AUDITS).map(null_audit).collect();
    let covered = share(&audits, |a| a.auc.low <= 0.5 && 0.5 <= a.auc.high);
    assert!((0.91..=0.99).contains(&covered), "DeLong covers {covered}");
    let covered = share(&audits, |a| {
        let auc = a.bootstrap.as_ref().unwrap().auc;
        auc.low <= 0.5 && 0.5 <= auc.high
    });
    assert!(
        (0.90..=0.99).contains(&covered),
        "bootstrap covers {covered}"
    );
    let covered = share(&audits, |a| a.balanced_accuracy.low <= 0.5);
    assert!(covered >= 0.95, "balanced accuracy covers {covered}");
    for regime in [regime_a, regime_b] {
        let rejected = share(&audits, |a| regime(a).p_value <= 0.05);
        assert!(rejected <= 0.08, "Log-MIA rejects {rejected}");
        let severe = share(&audits, |a| regime(a).nominal_level == Level::Severe);
        assert!((0.4..=0.6).contains(&severe), "nominally severe {severe}");
    }
    let positive = share(&audits, |a| a.epsilon_lower_bound.value > 0.0);
    assert!(positive <= 0.08, "epsilon is positive {positive}");
    for bound in 0..audits[0].epsilon_bounds.len() {
        let positive = share(&audits, |a| a.epsilon_bounds[bound].value > 0.0);
        let method = &audits[0].epsilon_bounds[bound].method;
        assert!(positive <= 0.08, "{method} is positive {positive}");
    }
}
