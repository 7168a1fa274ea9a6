//! The verdict: pass, fail or inconclusive, with the evidence that decided it.

use serde::{Deserialize, Serialize};

use crate::attacker::Attacker;
use crate::diagnostics::Slices;
use crate::diagnostics::slice_gate::Standing;
use crate::gate::{Gate, Measure, Reading, Rule, band};
use crate::guardrails::slices::describe as describe_slice;
use crate::guardrails::{Finding, Status};
use crate::{AttackMeasures, Error};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Pass,
    Fail,
    Inconclusive,
}

impl Outcome {
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Inconclusive => "inconclusive",
        }
    }
}

/// What the gate saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Decision {
    /// The attack whose measure was gated.
    pub attack: String,
    pub measure: Measure,
    pub rule: Rule,
    pub threshold: f64,
    pub value: f64,
    /// The interval, corrected for the number of attacks it was chosen from.
    pub low: f64,
    pub high: f64,
    pub confidence: f64,
    /// How many attacks the gated one was chosen from on the same records.
    pub tried: usize,
    pub holdout: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Verdict {
    pub outcome: Outcome,
    pub reasons: Vec<String>,
    pub gate: Option<Decision>,
    /// A violated guardrail was overruled by the user.
    pub forced: bool,
    /// Whom the verdict holds for; reports of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attacker: Option<Attacker>,
}

impl Verdict {
    /// Says whom it holds for: a pass is a claim about somebody.
    pub fn holds_for(&mut self, attacker: Attacker) {
        if self.outcome == Outcome::Pass {
            let line = format!("it holds for an attacker who {}", attacker.who);
            self.reasons.insert(1.min(self.reasons.len()), line);
        }
        self.attacker = Some(attacker);
    }
}

/// How the gated attack was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice<'a> {
    /// The best on the records it is judged on.
    Best,
    /// Chosen on other records.
    Held { attack: &'a str },
}

/// Applies the gate to the chosen attack.
pub fn decide(attacks: &[AttackMeasures], gate: &Gate, choice: Choice) -> Result<Decision, Error> {
    let (tried, holdout) = match choice {
        Choice::Best => (attacks.len(), false),
        Choice::Held { .. } => (1, true),
    };
    let confidence = gate.confidence_for(tried);
    let chosen = match choice {
        Choice::Best => best(attacks, gate.measure),
        Choice::Held { attack } => attacks.iter().find(|other| other.id == attack),
    };
    let read = chosen.and_then(|attack| Some((attack, gate.measure.read(attack, confidence)?)));
    let Some((attack, reading)) = read else {
        return Err(Error::input(
            format!("no attack has a {}", gate.measure),
            "gate on auc, or give more non-members",
        ));
    };
    Ok(Decision {
        attack: attack.id.clone(),
        measure: gate.measure,
        rule: gate.rule,
        threshold: gate.threshold,
        value: reading.value,
        low: reading.low,
        high: reading.high,
        confidence,
        tried,
        holdout,
    })
}

/// The attack with the largest value; the first of equals.
pub fn best(attacks: &[AttackMeasures], measure: Measure) -> Option<&AttackMeasures> {
    let value = |attack: &AttackMeasures| measure.read(attack, 0.95).map(|reading| reading.value);
    attacks
        .iter()
        .filter(|attack| value(attack).is_some())
        .reduce(|best, next| {
            if value(next) > value(best) {
                next
            } else {
                best
            }
        })
}

/// Turns the decision and the guardrails into a verdict. A guardrail that could only hide a leak
/// does not save a model from failing, and one that could only feign a leak does not take a pass.
pub fn verdict(
    decision: Result<Decision, Error>,
    slices: Option<&Slices>,
    gate: &Gate,
    guardrails: &[Finding],
    force: bool,
) -> Verdict {
    let violated = || (guardrails.iter()).filter(|finding| finding.status == Status::Violated);
    let words = |finding: &Finding| format!("{}: {}", finding.id, finding.detail);
    let decision = match decision {
        Ok(decision) => decision,
        Err(error) => {
            let reasons = std::iter::once(error.to_string()).chain(violated().map(words));
            return Verdict {
                outcome: Outcome::Inconclusive,
                reasons: reasons.collect(),
                gate: None,
                forced: false,
                attacker: None,
            };
        }
    };
    let whole_fails = gate.fails(&Reading {
        value: decision.value,
        low: decision.low,
        high: decision.high,
    });
    let fails = whole_fails || slices.is_some_and(Slices::violate);
    let (in_the_way, beside): (Vec<&Finding>, Vec<&Finding>) =
        violated().partition(|finding| match fails {
            true => finding.blocks.fail(),
            false => finding.blocks.pass(),
        });
    let forced = force && !in_the_way.is_empty();
    let outcome = match (in_the_way.is_empty() || force, fails) {
        (false, _) => Outcome::Inconclusive,
        (true, true) => Outcome::Fail,
        (true, false) => Outcome::Pass,
    };
    let mut evidence = evidence(&decision, whole_fails, slices);
    // Below the threshold on average, and yet somebody is exposed: that stands at the head.
    let exposed = guardrails
        .iter()
        .filter(|finding| finding.id == "few-members" && finding.status != Status::Violated);
    evidence.extend(exposed.map(words));
    let in_the_way = in_the_way.into_iter().map(words);
    let beside = beside.into_iter().map(words);
    let reasons = match outcome {
        Outcome::Inconclusive => in_the_way.chain(evidence).chain(beside).collect(),
        _ => evidence
            .into_iter()
            .chain(in_the_way)
            .chain(beside)
            .collect(),
    };
    Verdict {
        outcome,
        reasons,
        gate: Some(decision),
        forced,
        attacker: None,
    }
}

/// What decided: the whole, and the slice that stands worst; first the one that fails.
fn evidence(decision: &Decision, fails: bool, slices: Option<&Slices>) -> Vec<String> {
    let whole = measured(decision, fails);
    let Some((slice, gate)) = slices.and_then(Slices::worst) else {
        return vec![whole];
    };
    let words = describe_slice(slice, gate);
    match gate.standing {
        Standing::Violates => {
            let line = format!(
                "a part of the records leaks: {words}, above the threshold {} beyond chance (p = \
                 {:.2e} after correction for attacks and slices)",
                decision.threshold, gate.corrected_p_value
            );
            match fails {
                true => vec![whole, line],
                false => vec![line, format!("of all records together, {whole}")],
            }
        }
        // A guardrail speaks of it.
        Standing::Suspect => vec![whole],
        Standing::Within => vec![whole, format!("the worst slice is {words}")],
    }
}

/// One line: what was measured, and on which side of the threshold it lies.
fn measured(decision: &Decision, fails: bool) -> String {
    let strength = match decision.measure {
        Measure::Auc => format!(" ({})", band(decision.value)),
        _ => String::new(),
    };
    let side = match (decision.rule, fails) {
        (Rule::Point, true) => "at or above",
        (Rule::Point, false) => "below",
        (Rule::Conservative, true) => "with its interval not wholly below",
        (Rule::Conservative, false) => "with its whole interval below",
        (Rule::Proven, true) => "with its whole interval at or above",
        (Rule::Proven, false) => "with its interval not wholly at or above",
    };
    let chosen = if decision.holdout {
        "chosen on other records".to_string()
    } else {
        format!("best of {}", decision.tried)
    };
    format!(
        "{} of {} is {:.4}{strength}, {:.2}% interval {:.4} to {:.4}, {side} the threshold {}; {chosen}",
        decision.measure,
        decision.attack,
        decision.value,
        decision.confidence * 100.0,
        decision.low,
        decision.high,
        decision.threshold,
    )
}
