//! What a policy of several criteria decides, and what keeps it from deciding.

use attacks::scores::Scores;
use stats::normal::normal_quantile;
use stats::streams::{Seed, standard_normal};

use super::*;
use crate::diagnostics::slices::{Cut, SliceColumn, slices};
use crate::guardrails::{self, Evidence, Finding, Status, View};
use crate::verdict::{Choice, Decision, decide, gated, verdict};
use crate::{AttackMeasures, Options, Truth, measure};

/// Normal quantiles, of which members lie so much higher than non-members.
fn scores(records: usize, lift: f64) -> (Scores, Truth) {
    let score = |record: usize| {
        let (place, each) = (record / 2, records / 2);
        let lift = if record.is_multiple_of(2) { lift } else { 0.0 };
        // No two alike, and neither kind ahead.
        let apart = if (record + place).is_multiple_of(2) {
            1e-9
        } else {
            0.0
        };
        Ok(normal_quantile((place as f64 + 0.5) / each as f64) + lift + apart)
    };
    let scores: Scores = (0..records).map(score).collect();
    let truth = Truth::new((0..records).map(|record| record.is_multiple_of(2))).unwrap();
    (scores, truth)
}

fn measured(records: usize, lift: f64) -> Vec<AttackMeasures> {
    let (scores, truth) = scores(records, lift);
    let options = Options {
        bootstrap_replicates: 0,
        ..Options::default()
    };
    vec![measure("one", &scores, &truth, &options).unwrap()]
}

fn criterion(measure: Measure, threshold: f64) -> Criterion {
    Criterion::from(Gate {
        measure,
        threshold,
        ..Gate::default()
    })
}

fn policy(criteria: Vec<Criterion>) -> Policy {
    Policy {
        name: "test".into(),
        sha256: String::new(),
        criteria,
        smallest: Smallest::default(),
        attackers: vec![Wanted::Strongest],
    }
}

fn three() -> Policy {
    policy(vec![
        criterion(Measure::Auc, 0.65),
        criterion(Measure::TprAtFpr(0.01), 0.05),
        criterion(Measure::Epsilon(1e-5), 2.0),
    ])
}

struct Audit<'a> {
    attacks: &'a [AttackMeasures],
    attacker: Attacker,
    members: usize,
}

impl<'a> Audit<'a> {
    fn new(attacks: &'a [AttackMeasures]) -> Self {
        Audit {
            attacks,
            attacker: Attacker::strongest("has all"),
            members: attacks.first().map_or(0, |one| one.n_members as usize),
        }
    }

    fn findings(&self, policy: &Policy) -> Vec<Finding> {
        let gated = |gate: &Gate| gated(self.attacks, gate).map(|one| one.id.as_str());
        let further = policy.criteria.iter().skip(1);
        let further = further.map(|one| View {
            gate: &one.gate,
            gated: gated(&one.gate),
            slices: None,
        });
        let first = &policy.criteria[0].gate;
        guardrails::check(&Evidence {
            attacks: self.attacks,
            gated: gated(first),
            attacker: Some(&self.attacker),
            policy: Some(policy),
            further: further.collect(),
            ..Evidence::new(self.members, self.members, first, &[0.1, 0.01, 0.001])
        })
    }

    fn verdicts(&self, policy: &Policy) -> Vec<Verdict> {
        let findings = self.findings(policy);
        let judge = |(place, one): (usize, &Criterion)| {
            let findings = findings.iter().filter(|finding| finding.concerns(place));
            let findings: Vec<Finding> = findings.cloned().collect();
            let decision = decide(self.attacks, &one.gate, Choice::Best);
            verdict(decision, None, &findings, false)
        };
        policy.criteria.iter().enumerate().map(judge).collect()
    }

    fn outcome(&self, policy: &Policy) -> Outcome {
        combine(&self.verdicts(policy)).outcome
    }
}

#[test]
fn a_pass_needs_every_criterion_and_a_fail_one() {
    let silent = measured(4000, 0.0);
    assert_eq!(Audit::new(&silent).outcome(&three()), Outcome::Pass);
    let leaky = measured(4000, 1.5);
    let said = combine(&Audit::new(&leaky).verdicts(&three()));
    assert_eq!(said.outcome, Outcome::Fail);
    assert_eq!(said.gate.unwrap().measure, Measure::Auc);
    // Below the threshold of AUC, above that of the rate.
    let narrow = policy(vec![
        criterion(Measure::Auc, 0.95),
        criterion(Measure::TprAtFpr(0.01), 0.05),
    ]);
    let said = combine(&Audit::new(&leaky).verdicts(&narrow));
    assert_eq!(said.outcome, Outcome::Fail);
    assert_eq!(said.gate.unwrap().measure, Measure::TprAtFpr(0.01));
    assert!(
        said.reasons[0].contains("TPR at 1% FPR"),
        "{:?}",
        said.reasons
    );
}

#[test]
fn one_criterion_is_a_gate() {
    for (records, lift) in [(4000, 0.0), (4000, 1.5), (30, 0.0), (300, 0.7)] {
        let attacks = measured(records, lift);
        let audit = Audit::new(&attacks);
        let gate = Gate::default();
        let findings = guardrails::check(&Evidence {
            attacks: &attacks,
            gated: Some("one"),
            attacker: Some(&audit.attacker),
            ..Evidence::new(audit.members, audit.members, &gate, &[0.1, 0.01, 0.001])
        });
        let alone = verdict(
            decide(&attacks, &gate, Choice::Best),
            None,
            &findings,
            false,
        );
        let said = combine(&audit.verdicts(&policy(vec![Criterion::from(gate)])));
        assert_eq!(said, alone);
    }
}

/// What is not measured never passes, whatever else does.
#[test]
fn what_cannot_be_measured_is_inconclusive() {
    let attacks = measured(1000, 0.0);
    let audit = Audit::new(&attacks);
    let rate = policy(vec![
        criterion(Measure::Auc, 0.65),
        criterion(Measure::TprAtFpr(0.001), 0.05),
    ]);
    assert_eq!(
        audit.outcome(&rate),
        Outcome::Inconclusive,
        "500 non-members show no 0.1%"
    );
    let epsilon = policy(vec![criterion(Measure::Epsilon(1e-5), 8.0)]);
    let said = combine(&audit.verdicts(&epsilon));
    assert_eq!(said.outcome, Outcome::Inconclusive);
    assert!(
        said.reasons[0].contains("would stay unseen"),
        "{:?}",
        said.reasons
    );
    // An earlier version's report has no counts to bound ε by.
    let mut old = attacks.clone();
    old[0].epsilon_cuts.clear();
    let low = policy(vec![criterion(Measure::Epsilon(1e-5), 2.0)]);
    assert_eq!(Audit::new(&old).outcome(&low), Outcome::Inconclusive);
    assert_eq!(audit.outcome(&low), Outcome::Pass);
}

#[test]
fn sizes_and_attackers_are_the_policys() {
    let silent = measured(4000, 0.0);
    let leaky = measured(4000, 1.5);
    let mut wanted = three();
    wanted.smallest.members = 2001;
    for attacks in [&silent, &leaky] {
        assert_eq!(Audit::new(attacks).outcome(&wanted), Outcome::Inconclusive);
    }
    let weak = || Attacker::target_only("asks alone", "has shadows", Wanted::TargetOnly);
    let audit = |attacks| Audit {
        attacker: weak(),
        ..Audit::new(attacks)
    };
    assert_eq!(audit(&silent).outcome(&three()), Outcome::Inconclusive);
    assert_eq!(
        audit(&leaky).outcome(&three()),
        Outcome::Fail,
        "a leak is a leak"
    );
    let weaker = Policy {
        attackers: vec![Wanted::TargetOnly],
        ..three()
    };
    assert_eq!(audit(&silent).outcome(&weaker), Outcome::Pass);
}

#[test]
fn guardrails_speak_of_the_criteria_that_they_look_at() {
    let attacks = measured(1000, 0.0);
    let audit = Audit::new(&attacks);
    let mixed = policy(vec![
        criterion(Measure::Auc, 0.65),
        criterion(Measure::Epsilon(1e-5), 8.0),
    ]);
    let found = audit.findings(&mixed);
    let power = found.iter().filter(|one| one.id == "detectable-leak");
    let power: Vec<(Status, &[usize])> = power.map(|one| (one.status, &*one.criteria)).collect();
    assert_eq!(
        power,
        [(Status::Ok, &[0][..]), (Status::Violated, &[1][..])]
    );
    let balance = found.iter().find(|one| one.id == "class-balance").unwrap();
    assert!(balance.criteria.is_empty(), "the same of both");
    let verdicts = audit.verdicts(&mixed);
    assert_eq!(verdicts[0].outcome, Outcome::Pass);
    assert_eq!(verdicts[1].outcome, Outcome::Inconclusive);
    let finding = PolicyFinding::new(&mixed, &verdicts);
    assert_eq!(finding.policy(), mixed);
    assert_eq!(finding.criteria[1].value, Some(0.0));
}

#[test]
fn of_criteria_that_hold_the_tightest_decides() {
    let decided = |measure, value, threshold| Verdict {
        outcome: Outcome::Pass,
        reasons: vec![format!("{value}")],
        gate: Some(Decision {
            attack: "one".into(),
            measure,
            rule: Rule::Point,
            threshold,
            value,
            low: value,
            high: value,
            confidence: 0.95,
            tried: 1,
            holdout: false,
            scope: Scope::Whole,
            level: None,
            repetitions: None,
        }),
        forced: false,
        attacker: None,
        detectable: None,
    };
    let said = combine(&[
        decided(Measure::Auc, 0.5, 0.65),
        decided(Measure::TprAtFpr(0.01), 0.04, 0.05),
    ]);
    assert_eq!(said.gate.unwrap().measure, Measure::TprAtFpr(0.01));
    assert_eq!(combine(&[]).outcome, Outcome::Inconclusive);
}

/// Members of the first class are told apart, those of the others are not.
fn cut_into(sizes: &[usize], lift: f64, gate: &Gate) -> crate::diagnostics::Slices {
    let mut rng = Seed(3).stream("sliced");
    let (mut values, mut found, mut members) = (Vec::new(), Vec::new(), Vec::new());
    for (class, &size) in sizes.iter().enumerate() {
        for record in 0..size {
            let member = record.is_multiple_of(2);
            let lift = if class == 0 && member { lift } else { 0.0 };
            values.push(class as u32);
            found.push(Ok(standard_normal(&mut rng) + lift));
            members.push(member);
        }
    }
    let names = (0..sizes.len())
        .map(|class| format!("class {class}"))
        .collect();
    let column = SliceColumn {
        name: "label".into(),
        values,
        names,
        numbers: Vec::new(),
    };
    let scores: Scores = found.into_iter().collect();
    let rows: Vec<usize> = (0..members.len()).collect();
    let cut = Cut {
        attack: "one",
        attacks: &[("one".to_owned(), scores)],
        truth: &Truth::new(members).unwrap(),
        records: &rows,
        columns: &[column],
        show_records: false,
    };
    slices(&cut, gate, &Options::default()).unwrap()
}

#[test]
fn every_slice_that_counts_must_be_decided() {
    let smallest = Smallest::default();
    for measure in [Measure::Auc, Measure::Epsilon(1e-5)] {
        let gate = criterion(measure, if measure == Measure::Auc { 0.65 } else { 1.0 }).gate;
        let judge = |sizes: &[usize], lift: f64| {
            let found = cut_into(sizes, lift, &gate);
            let decision = decide_slices(Some(&found), &gate, &smallest, 1);
            verdict(decision, Some(&found), &[], false)
        };
        assert_eq!(judge(&[600, 600], 0.0).outcome, Outcome::Pass, "{measure}");
        let leaks = judge(&[600, 600], 2.5);
        assert_eq!(leaks.outcome, Outcome::Fail, "{measure}");
        assert!(leaks.reasons[0].contains("class 0"), "{:?}", leaks.reasons);
    }
    let gate = criterion(Measure::Auc, 0.65).gate;
    let found = cut_into(&[600, 50], 0.0, &gate);
    let open = decide_slices(Some(&found), &gate, &smallest, 1)
        .unwrap_err()
        .to_string();
    assert!(
        open.contains("class 1 (25 + 25)") && open.contains("each needs"),
        "{open}"
    );
    let larger = Smallest {
        slice: 60,
        ..smallest
    };
    assert!(decide_slices(Some(&found), &gate, &larger, 1).is_ok());
    // A hundred little ones: what is large enough to be judged is a small part, or nothing at all.
    for sizes in [vec![10; 100], [vec![400], vec![10; 100]].concat()] {
        let found = cut_into(&sizes, 0.0, &gate);
        assert_eq!(found.unjudged, ["label"]);
        let open = decide_slices(Some(&found), &gate, &smallest, 1);
        let open = open.unwrap_err().to_string();
        assert!(open.contains("less than half"), "{open}");
    }
    let found = cut_into(&[vec![1400], vec![10; 100]].concat(), 0.0, &gate);
    let decided = decide_slices(Some(&found), &gate, &smallest, 1).unwrap();
    assert!(decided.value < gate.threshold, "{decided:?}");
    let none = decide_slices(None, &gate, &smallest, 1)
        .unwrap_err()
        .to_string();
    assert!(none.contains("--slice"), "{none}");
}
