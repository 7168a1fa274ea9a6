use judge::gate::Rule;
use judge::measure::AucScale;
use judge::verdict::{Decision, Verdict};
use judge::{Options, Truth};
use report::classifier::{Accuracy, Classifier};
use report::lm::{Checkpoint, CheckpointAttack, Lm};
use report::rag::{Change, Rag, ReplayedAttack, ReplayedChange, RetrievalAttack, SignalMeasure};
use report::{Data, Provenance};

use super::*;

fn auc(value: f64) -> Auc {
    Auc {
        value,
        low: value - 0.02,
        high: value + 0.02,
        method: "DeLong".into(),
        confidence: 0.95,
        scale: AucScale::Logit,
        standard_error: Some(0.01),
        n_members: 100,
        n_nonmembers: 100,
        persons: None,
        chance: None,
        record_error: None,
    }
}

/// A failed audit of these attacks; the first decides.
pub(crate) fn failed(detail: Detail, attacks: &[(&str, f64)]) -> Report {
    let gate = Decision {
        attack: attacks[0].0.into(),
        measure: Measure::Auc,
        rule: Rule::Point,
        threshold: 0.65,
        value: attacks[0].1,
        low: 0.0,
        high: 1.0,
        confidence: 0.95,
        tried: attacks.len(),
        holdout: false,
        scope: Default::default(),
        level: None,
        repetitions: None,
    };
    let verdict = Verdict {
        outcome: Outcome::Fail,
        reasons: vec!["it leaks".into()],
        gate: Some(gate),
        forced: false,
        attacker: None,
        detectable: None,
    };
    let provenance = Provenance {
        version: "0.0.0".into(),
        command: "guestlist".into(),
        seed: 0,
        subject: None,
        date: None,
        inputs: Vec::new(),
        data: Data {
            format: "npz".into(),
            records: 200,
            judged_records: 200,
            judged_members: 100,
        },
        settings: Default::default(),
        measuring: Options::default(),
    };
    let mut report = Report::new(verdict, detail, provenance);
    report.attacks = attacks
        .iter()
        .map(|(id, value)| measured(id, *value))
        .collect();
    report
}

/// Any scores, under an AUC of our own.
fn measured(id: &str, value: f64) -> judge::AttackMeasures {
    let truth = Truth::new((0..40).map(|record| record % 2 == 0)).unwrap();
    let scores = (0..40).map(|record| Ok(f64::from(record % 7))).collect();
    let options = Options {
        bootstrap_replicates: 0,
        ..Options::default()
    };
    judge::AttackMeasures {
        auc: auc(value),
        ..judge::measure(id, &scores, &truth, &options).unwrap()
    }
}

fn classifier() -> Classifier {
    Classifier {
        models: 9,
        augmentations: 1,
        target: 0,
        shadows: 8,
        reference_records: None,
        training: None,
        accuracy: Some(Accuracy {
            training: 0.99,
            test: 0.9,
        }),
    }
}

#[test]
fn labels_alone_are_advised_where_they_suffice_and_told_where_they_do_not() {
    for (value, enough) in [(0.55, true), (0.66, false)] {
        let attacks = [("lira", 0.8), ("correctness", value)];
        let steps = next_steps(&failed(Detail::Classifier(classifier()), &attacks));
        let place = steps
            .iter()
            .position(|step| step.what.contains("predicted class alone"));
        let step = &steps[place.unwrap()];
        let measured = step.measured.as_ref().unwrap();
        assert_eq!((measured.auc, measured.instead_of), (value, 0.8));
        assert_eq!(measured.enough, Some(enough));
        // What helps by measurement comes first, what does not comes last.
        let expected = if enough { 0 } else { steps.len() - 1 };
        assert_eq!(place, Some(expected));
        assert_eq!(step.reason().contains("not enough"), !enough);
    }
}

#[test]
fn nothing_is_measured_that_was_not() {
    let steps = next_steps(&failed(Detail::Classifier(classifier()), &[("lira", 0.8)]));
    assert!(steps.iter().all(|step| step.measured.is_none()));
    let fit = steps
        .iter()
        .find(|step| step.what.starts_with("Fit less"))
        .unwrap();
    assert!(
        fit.why.contains("99.0%") && fit.why.contains("90.0%"),
        "{}",
        fit.why
    );
    let mut even = classifier();
    even.accuracy = Some(Accuracy {
        training: 0.9,
        test: 0.9,
    });
    let steps = next_steps(&failed(Detail::Classifier(even), &[("lira", 0.8)]));
    assert!(
        steps
            .iter()
            .any(|step| step.what.starts_with("Do not expect"))
    );
}

fn checkpoint(label: &str, value: f64, target: bool) -> Checkpoint {
    Checkpoint {
        label: label.into(),
        target,
        step: label.parse().ok(),
        loss_members: 2.0,
        loss_nonmembers: 3.0,
        attacks: vec![CheckpointAttack {
            id: "ez".into(),
            auc: auc(value),
            tpr_at_fpr: Vec::new(),
        }],
    }
}

#[test]
fn the_last_checkpoint_below_the_threshold_is_named() {
    let of = |values: &[f64]| {
        let last = values.len() - 1;
        let points = values.iter().enumerate();
        let points =
            points.map(|(place, value)| checkpoint(&place.to_string(), *value, place == last));
        let lm = Lm {
            tokens: 1,
            scoring: None,
            checkpoints: points.collect(),
        };
        next_steps(&failed(Detail::Lm(lm), &[("ez", values[last])]))
    };
    let steps = of(&[0.51, 0.6, 0.7, 0.9]);
    assert_eq!(steps[0].what, "Stop at checkpoint 1");
    assert_eq!(steps[0].measured.as_ref().unwrap().auc, 0.6);
    let steps = of(&[0.75, 0.7, 0.9]);
    let last = steps.last().unwrap();
    assert!(
        last.what.contains("Do not count on") && last.what.ends_with('1'),
        "{}",
        last.what
    );
    assert!(of(&[0.9])[0].measured.is_none());
}

#[test]
fn sources_are_hidden_where_they_give_members_away() {
    let signal = |value: f64| SignalMeasure {
        strategy: "content".into(),
        signal: "citation".into(),
        auc: auc(value),
        without_retrieval: None,
    };
    let rag = |value: f64| Rag {
        signals: vec![signal(value)],
        attacks: vec![RetrievalAttack {
            id: "citation".into(),
            requests_per_document: 1.0,
            without_retrieval: Some(auc(0.5)),
            difference: None,
        }],
        ..Rag::default()
    };
    let attacks = [("citation", 0.95), ("rank-average", 0.9), ("content", 0.6)];
    let steps = next_steps(&failed(Detail::Rag(rag(0.9)), &attacks));
    assert_eq!(steps[0].what, "Show no sources with answers");
    assert_eq!(steps[0].measured.as_ref().unwrap().attack, "content");
    assert!(steps.iter().any(|step| step.why.contains("AUC 0.500")));
    let steps = next_steps(&failed(Detail::Rag(rag(0.5)), &attacks));
    assert!(steps.iter().all(|step| step.measured.is_none()));
    assert!(steps.last().unwrap().why.contains("guide-rag.md"));
}

#[test]
fn changes_are_judged_by_the_best_attack_that_is_left() {
    let change = |change, attacks: &[(&str, f64)]| ReplayedChange {
        change,
        altered: 7,
        attacks: attacks
            .iter()
            .map(|(id, value)| ReplayedAttack {
                id: (*id).into(),
                auc: auc(*value),
            })
            .collect(),
    };
    let told = |changes: Vec<ReplayedChange>| {
        let rag = Rag {
            changes,
            ..Rag::default()
        };
        let steps = next_steps(&failed(
            Detail::Rag(rag),
            &[("citation", 0.95), ("ia", 0.8)],
        ));
        let measured = steps.into_iter().filter_map(|step| {
            let measured = step.measured?;
            Some((step.what, measured.attack, measured.enough, step.why))
        });
        measured.collect::<Vec<_>>()
    };
    let sources = change(Change::WithoutSources, &[("citation", 0.5), ("ia", 0.8)]);
    let refusals = change(Change::EqualRefusals, &[("citation", 0.95), ("ia", 0.6)]);
    let both = change(Change::Both, &[("citation", 0.5), ("ia", 0.6)]);
    let steps = told(vec![sources.clone(), refusals.clone(), both.clone()]);
    assert_eq!(steps.len(), 3);
    assert_eq!(
        (steps[0].0.contains("and give one"), steps[0].2),
        (true, Some(true))
    );
    assert_eq!((steps[1].1.as_str(), steps[1].2), ("ia", Some(false)));
    // Refusals in words that nobody recognised were not replaced: what else tells was not measured.
    assert!(steps[2].3.contains("recognised as much is left"));
    // One that suffices alone needs no other.
    let enough = change(Change::WithoutSources, &[("citation", 0.5), ("ia", 0.6)]);
    let steps = told(vec![enough, refusals, both]);
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[0].2, Some(true));
    // Nothing is promised where no attack was left to measure with.
    assert!(told(vec![change(Change::WithoutSources, &[])]).is_empty());
}

#[test]
fn an_undecided_audit_says_what_to_mend_and_a_pass_what_to_keep() {
    let mut report = failed(Detail::Scores(report::Scores {}), &[("mine", 0.8)]);
    report.verdict.outcome = Outcome::Inconclusive;
    assert!(next_steps(&report)[0].why.contains("it leaks"));
    report.guardrails.push(Finding {
        id: "class-balance".into(),
        status: Status::Violated,
        blocks: Default::default(),
        detail: "5 members; add members".into(),
        detectable: None,
        criteria: Vec::new(),
    });
    let steps = next_steps(&report);
    assert_eq!(
        (steps[0].what.as_str(), steps[0].why.as_str()),
        ("Mend what class-balance found", "add members")
    );
    report.verdict.outcome = Outcome::Pass;
    assert!(next_steps(&report)[0].why.contains("guestlist diff"));
}

/// A gate on another measure promises nothing about the AUC.
#[test]
fn whether_it_is_enough_is_left_open_where_auc_is_not_gated() {
    let attacks = [("lira", 0.8), ("correctness", 0.55)];
    let mut report = failed(Detail::Classifier(classifier()), &attacks);
    report.verdict.gate.as_mut().unwrap().measure = Measure::TprAtFpr(0.01);
    let steps = next_steps(&report);
    let measured = steps
        .iter()
        .find_map(|step| step.measured.as_ref())
        .unwrap();
    assert_eq!(measured.enough, None);
}
