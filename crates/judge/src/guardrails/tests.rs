//! Every guardrail seen in each of its states.

use attacks::scores::{Abstention, Answer, Scores};

use super::*;
use crate::gate::{Gate, Measure};
use crate::lm::TextFacts;
use crate::rag::ProbeFacts;
use crate::verdict::{Choice, Outcome, decide, verdict};
use crate::{Options, Truth};

mod sets;
mod shadows;

fn attack(id: &str, answers: impl Iterator<Item = Answer>, records: usize) -> AttackMeasures {
    let scores: Scores = answers.collect();
    let truth = Truth::new((0..records).map(|record| record % 2 == 0)).unwrap();
    let options = Options {
        bootstrap_replicates: 0,
        ..Options::default()
    };
    crate::measure(id, &scores, &truth, &options).unwrap()
}

/// Scores in an order that has nothing to do with membership.
fn silent(records: usize) -> AttackMeasures {
    let score = |record: usize| Ok((record / 2 * 7919 % 1009) as f64 + 0.1 * (record % 3) as f64);
    attack("silent", (0..records).map(score), records)
}

fn leaky(records: usize) -> AttackMeasures {
    let score = |record: usize| {
        Ok((record * 7919 % 997) as f64 + 400.0 * f64::from(u8::from(record.is_multiple_of(2))))
    };
    attack("leaky", (0..records).map(score), records)
}

fn inverted(records: usize) -> AttackMeasures {
    let score = |record: usize| {
        Ok((record * 7919 % 997) as f64 - 400.0 * f64::from(u8::from(record.is_multiple_of(2))))
    };
    attack("inverted", (0..records).map(score), records)
}

fn constant(records: usize) -> AttackMeasures {
    attack("constant", (0..records).map(|_| Ok(1.0)), records)
}

fn quiet(records: usize) -> AttackMeasures {
    let score = |record: usize| match record {
        0 | 1 => Ok(record as f64),
        _ => Err(Abstention::NoInShadow),
    };
    attack("quiet", (0..records).map(score), records)
}

struct Setup {
    attacks: Vec<AttackMeasures>,
    shadows: ShadowFacts,
    gate: Gate,
    members: usize,
    nonmembers: usize,
}

fn setup(attacks: Vec<AttackMeasures>) -> Setup {
    Setup {
        attacks,
        shadows: ShadowFacts {
            shadows: 16,
            median_in: 8,
            median_out: 8,
            stored_values: 1000,
            target_mean: 1.0,
            shadow_mean: 1.0,
            shadow_deviation: 0.1,
            training_gain: 1.0,
            training_gain_error: 0.1,
            count_auc: 0.5,
            ..ShadowFacts::default()
        },
        gate: Gate::default(),
        members: 1000,
        nonmembers: 1000,
    }
}

impl Setup {
    fn findings(&self) -> Vec<Finding> {
        let gated = crate::verdict::gated(&self.attacks, &self.gate).map(|a| a.id.clone());
        check(&Evidence {
            attacks: &self.attacks,
            gated: gated.as_deref(),
            shadows: Some(&self.shadows),
            ..Evidence::new(
                self.members,
                self.nonmembers,
                &self.gate,
                &[0.1, 0.01, 0.001],
            )
        })
    }

    fn status(&self, id: &str) -> Status {
        let findings = self.findings();
        findings
            .iter()
            .find(|finding| finding.id == id)
            .unwrap()
            .status
    }

    fn outcome(&self, force: bool) -> Outcome {
        let decision = decide(&self.attacks, &self.gate, Choice::Best);
        verdict(decision, None, &self.findings(), force).outcome
    }
}

#[test]
fn a_sound_audit_violates_nothing_and_gets_a_verdict() {
    let sound = setup(vec![silent(2000)]);
    assert!(
        sound
            .findings()
            .iter()
            .all(|finding| finding.status == Status::Ok)
    );
    assert_eq!(sound.outcome(false), Outcome::Pass);
    assert_eq!(
        setup(vec![silent(2000), leaky(2000)]).outcome(false),
        Outcome::Fail
    );
}

#[test]
fn a_violated_guardrail_is_inconclusive_unless_forced() {
    let mut few = setup(vec![leaky(2000)]);
    few.members = 9;
    assert_eq!(few.status("class-balance"), Status::Violated);
    assert_eq!(few.outcome(false), Outcome::Inconclusive);
    assert_eq!(few.outcome(true), Outcome::Fail);
}

#[test]
fn unequal_classes_warn() {
    let mut uneven = setup(vec![silent(2000)]);
    uneven.members = 3000;
    assert_eq!(uneven.status("class-balance"), Status::Warn);
}

#[test]
fn rates_that_cannot_be_seen_warn_and_void_a_gate_on_them() {
    let mut small = setup(vec![silent(2000)]);
    small.nonmembers = 999;
    assert_eq!(small.status("enough-nonmembers"), Status::Warn);
    small.gate.measure = Measure::TprAtFpr(0.001);
    assert_eq!(small.status("enough-nonmembers"), Status::Violated);
    small.nonmembers = 1000;
    assert_eq!(small.status("enough-nonmembers"), Status::Ok);
}

#[test]
fn a_few_exposed_members_are_warned_about_beside_a_pass_and_more_block_it() {
    // So many members above everybody else, the others like the non-members.
    let with = |exposed: usize| {
        let score = move |record: usize| {
            let caught = record.is_multiple_of(2) && record < 2 * exposed;
            Ok((record / 2 * 7919 % 1009) as f64 + if caught { 5000.0 } else { 0.0 })
        };
        setup(vec![attack("some", (0..2000).map(score), 2000)])
    };
    // As many as an even leak below the threshold would expose, too.
    let some = with(20);
    assert_eq!(some.status("few-members"), Status::Warn);
    assert_eq!(some.outcome(false), Outcome::Pass);
    let more = with(60);
    assert_eq!(more.status("few-members"), Status::Violated);
    assert_eq!(more.outcome(false), Outcome::Inconclusive);
    let none = setup(vec![silent(2000)]).findings();
    assert!(none.iter().all(|finding| finding.id != "few-members"));
}

/// Turned round, a score is an attack like any other, whatever the gate looks at.
#[test]
fn members_below_everybody_else_are_exposed_as_those_above_are() {
    let with = |exposed: usize| {
        let score = move |record: usize| {
            // The others lie as much higher as keeps AUC at one half.
            let lift = match (record.is_multiple_of(2), record < 2 * exposed) {
                (true, true) => -5000.0,
                (true, false) => 0.5 * exposed as f64,
                (false, _) => 0.0,
            };
            Ok((record / 2 * 7919 % 1009) as f64 + lift)
        };
        let mut attacks = vec![attack("some", (0..2000).map(score), 2000)];
        crate::correct_levels(&mut attacks);
        setup(attacks)
    };
    let some = with(20);
    assert_eq!(some.status("few-members"), Status::Warn);
    assert_eq!(some.outcome(false), Outcome::Pass);
    let mut more = with(60);
    for (measure, threshold) in [
        (Measure::Auc, 0.65),
        (Measure::TprAtFpr(0.01), 0.04),
        (Measure::Advantage, 0.3),
    ] {
        (more.gate.measure, more.gate.threshold) = (measure, threshold);
        assert_eq!(more.status("few-members"), Status::Violated, "{measure}");
        assert_eq!(more.outcome(false), Outcome::Inconclusive, "{measure}");
    }
    let findings = more.findings();
    let found = findings.iter().find(|one| one.id == "few-members").unwrap();
    let said = "some turned round, by its lowest scores, catches 60 of 1000 members with 0 false";
    assert!(found.detail.contains(said), "{}", found.detail);
    // As a whole below one half: others say so.
    assert!(
        setup(vec![inverted(2000), silent(2000)])
            .findings()
            .iter()
            .all(|one| one.id != "few-members")
    );
}

/// Scores that say nothing, and a leak that is spread evenly just below the threshold, are blamed for neither end
/// nor for a single threshold.
#[test]
fn ends_and_thresholds_are_blamed_no_more_often_than_stated() {
    use stats::streams::{Seed, standard_normal};
    const AUDITS: u64 = 150;
    const ATTACKS: u64 = 4;
    // Φ(0.5 / √2) is an AUC of 0.638.
    for (lift, warned) in [(0.0, 15), (0.5, AUDITS)] {
        let statuses = (0..AUDITS).map(|audit| {
            let attacks = (0..ATTACKS).map(|place| {
                let mut rng = Seed(audit).numbered("ends", place);
                let score = |record: usize| {
                    let member = f64::from(u8::from(record.is_multiple_of(2)));
                    Ok(standard_normal(&mut rng) + lift * member)
                };
                let scores: Vec<Answer> = (0..600).map(score).collect();
                attack(&place.to_string(), scores.into_iter(), 600)
            });
            let mut attacks: Vec<AttackMeasures> = attacks.collect();
            crate::correct_levels(&mut attacks);
            let mut audit = setup(attacks);
            audit.gate.threshold = 0.7;
            let looked = ["few-members", "best-threshold"];
            let found = audit.findings().into_iter();
            let found = found.filter(|one| looked.contains(&one.id.as_str()));
            found.map(|one| one.status).collect::<Vec<Status>>()
        });
        let statuses: Vec<Vec<Status>> = statuses.collect();
        let count = |status| statuses.iter().filter(|all| all.contains(&status)).count() as u64;
        // 1% of 150 is 1.5; more than 5 would come by chance once in 200 runs.
        assert!(
            count(Status::Violated) <= 5,
            "{lift}: {}",
            count(Status::Violated)
        );
        // 5% is 7.5.
        assert!(
            count(Status::Warn) <= warned,
            "{lift}: {}",
            count(Status::Warn)
        );
    }
}

#[test]
fn one_threshold_is_looked_at_from_both_sides_whatever_the_gate_looks_at() {
    let spread = |record: usize| (record / 2 * 7919 % 1009) as f64;
    // Nearly half of the members lie below the others, and the rest high enough to leave AUC at one half.
    let low = |record: usize| match (record.is_multiple_of(2), record / 2 % 20 < 9) {
        (true, true) => spread(record) / 20.0,
        (true, false) => 750.0 + 0.25 * spread(record),
        (false, _) => spread(record),
    };
    let rate = Measure::TprAtFpr(0.01);
    for (measure, threshold, sign, lie) in [
        (Measure::Auc, 0.65, 1.0, "lie below it"),
        (Measure::Auc, 0.65, -1.0, "lie above it"),
        (rate, 0.04, 1.0, "lie below it"),
    ] {
        let one = (0..2000).map(|record| Ok(sign * low(record)));
        let mut hidden = setup(vec![attack("one", one, 2000)]);
        (hidden.gate.measure, hidden.gate.threshold) = (measure, threshold);
        let findings = hidden.findings();
        let found = findings.iter().find(|one| one.id == "best-threshold");
        let found = found.unwrap();
        assert_eq!(found.status, Status::Violated);
        assert!(found.detail.contains(lie), "{}", found.detail);
    }
}

#[test]
fn what_one_threshold_tells_blocks_a_pass_though_no_score_is_larger_on_average() {
    let spread = |record: usize| (record / 2 * 7919 % 1009) as f64;
    // All members on one value in the middle, or between two halves of the others.
    let tied = |record: usize| {
        if record.is_multiple_of(2) {
            504.0
        } else {
            spread(record)
        }
    };
    let between = |record: usize| match record.is_multiple_of(2) {
        true => spread(record) / 10.0,
        false => [5000.0, -5000.0][record / 2 % 2] + spread(record),
    };
    let shapes: [&dyn Fn(usize) -> f64; 2] = [&tied, &between];
    for shape in shapes {
        let one = attack("one", (0..2000).map(|record| Ok(shape(record))), 2000);
        assert!((one.auc.value - 0.5).abs() < 0.02);
        let hidden = setup(vec![one]);
        assert_eq!(hidden.status("best-threshold"), Status::Violated);
        assert_eq!(hidden.outcome(false), Outcome::Inconclusive);
    }
    let none = setup(vec![silent(2000)]).findings();
    assert!(none.iter().all(|finding| finding.id != "best-threshold"));
}

#[test]
fn swapped_labels_are_noticed() {
    assert_eq!(
        setup(vec![inverted(2000)]).status("inverted-labels"),
        Status::Violated
    );
    assert_eq!(
        setup(vec![inverted(2000), inverted(2000), silent(2000)]).outcome(false),
        Outcome::Inconclusive
    );
    let both = setup(vec![
        inverted(2000),
        attack(
            "better",
            (0..2000).map(|r| Ok((r % 2 == 0) as u8 as f64 * 2.0 + (r % 7) as f64 * 0.1)),
            2000,
        ),
    ]);
    // One of two: turned round it is an attack, so that nothing passes; what fails stays failed.
    assert_eq!(both.status("below-chance"), Status::Violated);
    assert_eq!(both.outcome(false), Outcome::Fail);
    let alone = setup(vec![inverted(2000), silent(2000), silent(2000)]);
    assert_eq!(alone.outcome(false), Outcome::Inconclusive);
}

#[test]
fn constant_scores_decide_nothing_and_ties_warn() {
    assert_eq!(
        setup(vec![constant(2000)]).status("tied-scores"),
        Status::Violated
    );
    assert_eq!(
        setup(vec![leaky(2000), constant(2000)]).status("tied-scores"),
        Status::Warn
    );
    let tied = attack(
        "tied",
        (0..2000).map(|r| Ok(if r % 5 == 0 { r as f64 } else { -1.0 })),
        2000,
    );
    assert_eq!(setup(vec![tied]).status("tied-scores"), Status::Warn);
}

#[test]
fn an_attack_that_judged_few_records_decides_nothing() {
    assert_eq!(
        setup(vec![quiet(2000)]).status("abstentions"),
        Status::Violated
    );
    assert_eq!(setup(vec![silent(2000)]).status("abstentions"), Status::Ok);
}

#[test]
fn the_gate_takes_the_attack_chosen_elsewhere_as_it_is() {
    let attacks = vec![silent(2000), leaky(2000)];
    let gate = Gate::default();
    let best = decide(&attacks, &gate, Choice::Best).unwrap();
    assert_eq!((best.attack.as_str(), best.tried), ("leaky", 2));
    let held = decide(&attacks, &gate, Choice::Held { attack: "silent" }).unwrap();
    assert_eq!(
        (held.attack.as_str(), held.tried, held.holdout),
        ("silent", 1, true)
    );
    assert!(best.confidence > held.confidence);
}

/// What can only hide a leak never saves a model that fails; what can only feign one never takes a
/// pass.
#[test]
fn guardrails_have_a_direction() {
    let found = |id: &str, blocks| Finding {
        detectable: None,
        id: id.into(),
        status: Status::Violated,
        blocks,
        detail: "so".into(),
        criteria: Vec::new(),
    };
    let gate = Gate::default();
    for (blocks, fails, passes) in [
        (Blocks::Pass, Outcome::Fail, Outcome::Inconclusive),
        (Blocks::Fail, Outcome::Inconclusive, Outcome::Pass),
        (Blocks::Both, Outcome::Inconclusive, Outcome::Inconclusive),
    ] {
        let findings = [found("some", blocks)];
        for (attacks, expected) in [(vec![leaky(2000)], fails), (vec![silent(2000)], passes)] {
            let decision = decide(&attacks, &gate, Choice::Best);
            let said = verdict(decision.clone(), None, &findings, false);
            assert_eq!(said.outcome, expected, "{blocks:?}");
            assert!(!said.forced);
            let forced = verdict(decision, None, &findings, true);
            assert_eq!(forced.forced, expected == Outcome::Inconclusive);
        }
    }
}

#[test]
fn every_guardrail_says_what_it_blocks_and_why() {
    for id in ids() {
        assert!(direction(id).unwrap().len() > 60, "{id}");
    }
    assert_eq!(direction("auc"), None);
}

#[test]
fn a_pass_against_the_weakest_attacker_must_be_asked_for() {
    use crate::attacker::{Attacker, Wanted};
    let attacks = vec![silent(2000)];
    let gate = Gate::default();
    let outcome = |attacker: &Attacker| {
        let findings = check(&Evidence {
            attacks: &attacks,
            attacker: Some(attacker),
            ..Evidence::new(1000, 1000, &gate, &[])
        });
        verdict(
            decide(&attacks, &gate, Choice::Best),
            None,
            &findings,
            false,
        )
        .outcome
    };
    let weak = |wanted| Attacker::target_only("asks the model", "has shadows", wanted);
    assert_eq!(outcome(&weak(Wanted::Strongest)), Outcome::Inconclusive);
    assert_eq!(outcome(&weak(Wanted::TargetOnly)), Outcome::Pass);
    assert_eq!(outcome(&Attacker::strongest("has all")), Outcome::Pass);
}

/// What the specification warns of or fails passes a raised threshold with a warning, and the usual one never.
#[test]
fn a_raised_threshold_is_told_where_it_makes_the_difference() {
    let mut setup = setup(vec![leaky(2000)]);
    let auc = setup.attacks[0].auc.value;
    assert!(auc > 0.7, "{auc}");
    let found = |setup: &Setup| {
        let evidence = Evidence {
            attacks: &setup.attacks,
            gated: Some("leaky"),
            ..Evidence::new(setup.members, setup.nonmembers, &setup.gate, &[])
        };
        raised_threshold::check(&evidence)
    };
    for (threshold, told) in [(0.65, false), (auc - 0.01, false), (0.95, true)] {
        setup.gate.threshold = threshold;
        assert_eq!(found(&setup).is_some(), told, "{threshold}");
    }
    let (status, detail) = found(&setup).unwrap();
    assert_eq!(status, Status::Warn);
    assert!(detail.contains("raised from 0.65 to 0.95"), "{detail}");
    setup.gate.measure = Measure::Advantage;
    let (_, detail) = found(&setup).unwrap();
    assert!(detail.contains("another measure"), "{detail}");
    setup.gate.threshold = 0.05;
    assert!(found(&setup).is_none(), "it fails, and needs no warning");
}
