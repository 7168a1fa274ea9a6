//! A stored report, judged by a policy without its signals.
//!
//! Measures, intervals and bounds follow from what the report holds. What it does not hold (slices at
//! another threshold, rates that were not measured, persons) is inconclusive: the audit must be done
//! again with the policy. Guardrails that look at the gate are asked anew; the others stand as they
//! were found.

use judge::diagnostics::Slices;
use judge::gate::Gate;
use judge::guardrails::{self, Evidence, Finding, Status};
use judge::persons::Levels;
use judge::policy::{
    Criterion, CriterionFinding, Policy, PolicyFinding, Scope, combine, decide_persons,
    decide_slices,
};
use judge::verdict::{self, Choice, Decision, Outcome, Verdict};
use report::Report;

use crate::Error;

/// What a policy says of a report.
pub struct Checked {
    pub verdict: Verdict,
    pub policy: PolicyFinding,
}

/// Guardrails that look at the gate: what they said of another gate says nothing of this one.
const OF_THE_GATE: [&str; 10] = [
    "enough-nonmembers",
    "weak-access",
    "detectable-leak",
    "slices",
    "policy-sizes",
    "policy-attackers",
    "few-members",
    "best-threshold",
    "beyond-chance",
    "multiple-attacks",
];

/// Judges by this policy, or by the one that the report was made with.
pub fn check(report: &Report, policy: Option<Policy>) -> Result<Checked, Error> {
    let own = report.policy.as_ref();
    let Some(policy) = policy.or_else(|| own.map(PolicyFinding::policy)) else {
        return Err(Error::usage(
            "the report was made without a policy",
            "name one with --policy FILE; `guestlist init policy` writes one",
        ));
    };
    let verdicts: Vec<Verdict> = (policy.criteria.iter())
        .map(|criterion| {
            Stored {
                report,
                policy: &policy,
                criterion,
            }
            .verdict()
        })
        .collect();
    let mut verdict = combine(&verdicts);
    if let Some(claim) = &report.claim {
        verdict.hold(claim, &report.guardrails, false);
    }
    if let Some(attacker) = report.verdict.attacker.clone() {
        verdict.holds_for(attacker);
    }
    Ok(Checked {
        verdict,
        policy: PolicyFinding::new(&policy, &verdicts),
    })
}

/// One criterion of a policy before a report.
struct Stored<'a> {
    report: &'a Report,
    policy: &'a Policy,
    criterion: &'a Criterion,
}

impl Stored<'_> {
    fn verdict(&self) -> Verdict {
        if let Some(found) = self.found_before() {
            return found;
        }
        let gate = &self.criterion.gate;
        let slices = self.slices();
        let decision = self.decision(slices);
        let findings = self.findings(slices);
        let found = verdict::verdict(decision, slices, &findings, false);
        match found.outcome == Outcome::Pass && self.leaves_slices_open(slices) {
            true => Verdict {
                outcome: Outcome::Inconclusive,
                reasons: vec![other_threshold(gate).to_string()],
                ..found
            },
            false => found,
        }
    }

    /// Whether the report has slices that this criterion has to judge, and they answer something else.
    fn leaves_slices_open(&self, slices: Option<&Slices>) -> bool {
        slices.is_none() && self.report.diagnostics.slices.is_some() && self.leads()
    }

    /// Whether slices are judged by this criterion though no criterion names them: by the first.
    fn leads(&self) -> bool {
        let mut criteria = self.policy.criteria.iter();
        criteria.all(|one| one.scope != Scope::Slice)
            && self.policy.criteria.first() == Some(self.criterion)
    }

    /// What the audit itself made of a criterion that needs more than a report holds, under the very
    /// same policy.
    fn found_before(&self) -> Option<Verdict> {
        let own = self.report.policy.as_ref()?;
        if own.sha256 != self.policy.sha256 || self.criterion.scope == Scope::Whole {
            return None;
        }
        let asked = |one: &&CriterionFinding| one.criterion() == *self.criterion;
        let found = own.criteria.iter().find(asked)?;
        let measured = found.attack.as_ref().zip(found.value);
        Some(Verdict {
            outcome: found.outcome,
            reasons: vec![found.reason.clone()],
            gate: measured.map(|(attack, value)| Decision {
                attack: attack.clone(),
                measure: found.measure,
                rule: found.rule,
                threshold: found.threshold,
                value,
                low: found.low.unwrap_or(value),
                high: found.high.unwrap_or(value),
                confidence: found.confidence,
                tried: self.report.attacks.len(),
                holdout: false,
                scope: found.scope,
                level: None,
                repetitions: None,
            }),
            forced: false,
            attacker: None,
            detectable: None,
        })
    }

    fn decision(&self, slices: Option<&Slices>) -> Result<Decision, Error> {
        let (gate, attacks) = (&self.criterion.gate, &self.report.attacks);
        match self.criterion.scope {
            Scope::Whole => {
                let by_record = verdict::decide(attacks, gate, self.choice()).map_err(not_held);
                let mut criteria = self.policy.criteria.iter();
                let apart = criteria.any(|one| one.scope == Scope::Person);
                let persons = self.report.persons.as_ref().filter(|_| !apart);
                Levels::new(by_record, persons, gate, self.choice()).deciding
            }
            Scope::Slice if slices.is_none() && self.report.diagnostics.slices.is_some() => {
                Err(other_threshold(gate))
            }
            Scope::Slice => decide_slices(slices, gate, &self.policy.smallest, attacks.len()),
            Scope::Person => decide_persons(self.report.persons.as_ref(), gate, self.choice()),
        }
    }

    /// The attack that was chosen on other records, where it was chosen by this measure; else the best,
    /// which pays for all.
    fn choice(&self) -> Choice<'_> {
        let decided = self.report.verdict.gate.as_ref();
        let held = decided.filter(|one| one.holdout && one.measure == self.criterion.gate.measure);
        held.map_or(Choice::Best, |one| Choice::Held {
            attack: &one.attack,
        })
    }

    /// The report's slices, where they answer this criterion. They were asked about one measure and one
    /// threshold: one that lies above a higher threshold lies above a lower one as well, and one that
    /// stays below a lower one stays below a higher one.
    fn slices(&self) -> Option<&Slices> {
        let slices = self.report.diagnostics.slices.as_ref()?;
        let asked = self.asked_of_slices()?;
        let gate = &self.criterion.gate;
        if self.criterion.scope != Scope::Slice && !self.leads() {
            return None;
        }
        let same = asked.0 == gate.measure && asked.2 >= gate.confidence;
        let answers = match slices.violate() {
            true => asked.1 >= gate.threshold,
            false => asked.1 <= gate.threshold,
        };
        (same && answers).then_some(slices)
    }

    /// Measure, threshold and confidence that the report's slices were held against.
    fn asked_of_slices(&self) -> Option<(judge::gate::Measure, f64, f64)> {
        let own = self.report.policy.as_ref();
        let of_policy = |policy: &PolicyFinding| {
            let slice = |one: &&CriterionFinding| one.scope == Scope::Slice;
            let found = policy
                .criteria
                .iter()
                .find(slice)
                .or(policy.criteria.first())?;
            Some((found.measure, found.threshold, found.confidence))
        };
        let gate = self.report.verdict.gate.as_ref();
        let of_gate = gate.map(|one| {
            (
                one.measure,
                one.threshold,
                self.report.provenance.measuring.confidence,
            )
        });
        match own {
            Some(policy) => of_policy(policy),
            None => of_gate,
        }
    }

    fn findings(&self, slices: Option<&Slices>) -> Vec<Finding> {
        let (report, gate) = (self.report, &self.criterion.gate);
        let data = &report.provenance.data;
        let best = verdict::gated(&report.attacks, gate).map(|one| one.id.as_str());
        let gated = match self.choice() {
            Choice::Held { attack } => Some(attack),
            Choice::Best => best,
        };
        let asked = guardrails::check(&Evidence {
            attacks: &report.attacks,
            gated,
            holdout: matches!(self.choice(), Choice::Held { .. }),
            attacker: report.verdict.attacker.as_ref(),
            slices,
            policy: Some(self.policy),
            persons: report.persons.as_ref(),
            ..Evidence::new(
                data.judged_members,
                data.judged_records - data.judged_members,
                gate,
                &report.provenance.measuring.fprs,
            )
        });
        let anew = asked
            .into_iter()
            .filter(|one| OF_THE_GATE.contains(&one.id.as_str()));
        let kept = (report.guardrails.iter())
            .filter(|one| !self.is_asked_anew(one))
            .cloned();
        kept.chain(anew).chain(self.unjoined()).collect()
    }

    /// Other ways of joining a person's records were held against a measure and a threshold: what stayed
    /// below that stays below a higher one, and says nothing of anything else.
    fn unjoined(&self) -> Option<Finding> {
        let persons = self.report.persons.as_ref()?;
        let gate = &self.criterion.gate;
        let own = self.report.policy.iter().flat_map(|own| &own.criteria);
        let asked = own.map(|one| (one.measure, one.threshold));
        let decided = self.report.verdict.gate.as_ref();
        let mut asked = asked.chain(decided.map(|one| (one.measure, one.threshold)));
        let known =
            asked.any(|(measure, below)| measure == gate.measure && below <= gate.threshold);
        (persons.several > 0 && !known).then(|| Finding {
            id: "other-joins".into(),
            status: Status::Violated,
            blocks: guardrails::Blocks::Pass,
            detail: format!(
                "whether another way of joining a person's records reaches {} of {} is not in the report; \
                 audit again with --policy",
                gate.measure, gate.threshold
            ),
            criteria: Vec::new(),
            detectable: None,
        })
    }

    fn is_asked_anew(&self, finding: &Finding) -> bool {
        // What copies of records take from the power is not in a report.
        let copies = |one: &Finding| one.id == "duplicates" && one.status != Status::Ok;
        let copied = self.report.guardrails.iter().any(copies);
        let id = finding.id.as_str();
        OF_THE_GATE.contains(&id) && !(id == "detectable-leak" && copied)
    }
}

fn not_held(error: Error) -> Error {
    Error {
        hint: Some("audit again with --policy, which measures what it asks for".into()),
        message: format!("{}, or the report does not hold it", error.message),
        ..error
    }
}

fn other_threshold(gate: &Gate) -> Error {
    Error::input(
        format!(
            "{} of every slice cannot be decided: the report's slices were held against something else",
            gate.measure
        ),
        "audit again with --policy",
    )
}
