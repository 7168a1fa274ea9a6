//! The verdict: pass, fail or inconclusive, with the evidence that decided it.

use serde::{Deserialize, Serialize};

use crate::gate::{Gate, Measure, Reading, Rule, band};
use crate::guardrails::{Finding, Status};
use crate::{AttackMeasures, Error};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    pub outcome: Outcome,
    pub reasons: Vec<String>,
    pub gate: Option<Decision>,
    /// A violated guardrail was overruled by the user.
    pub forced: bool,
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
    let read = chosen.and_then(|attack| Some((attack, gate.measure.of(attack, confidence)?)));
    let Some((attack, reading)) = read else {
        return Err(Error::new(
            format!("no attack has a {}", gate.measure.words()),
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
    let value = |attack: &AttackMeasures| measure.of(attack, 0.95).map(|reading| reading.value);
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

/// Turns the decision and the guardrails into a verdict.
pub fn verdict(
    decision: Result<Decision, Error>,
    gate: &Gate,
    guardrails: &[Finding],
    force: bool,
) -> Verdict {
    let violated: Vec<&Finding> = guardrails
        .iter()
        .filter(|finding| finding.status == Status::Violated)
        .collect();
    let mut reasons: Vec<String> = violated
        .iter()
        .map(|finding| format!("{}: {}", finding.id, finding.detail))
        .collect();
    let decision = match decision {
        Ok(decision) => decision,
        Err(error) => {
            reasons.insert(0, error.to_string());
            return Verdict {
                outcome: Outcome::Inconclusive,
                reasons,
                gate: None,
                forced: false,
            };
        }
    };
    let fails = gate.fails(&Reading {
        value: decision.value,
        low: decision.low,
        high: decision.high,
    });
    let forced = force && !violated.is_empty();
    let outcome = match (violated.is_empty() || force, fails) {
        (false, _) => Outcome::Inconclusive,
        (true, true) => Outcome::Fail,
        (true, false) => Outcome::Pass,
    };
    let evidence = evidence(&decision, fails);
    if outcome == Outcome::Inconclusive {
        reasons.push(evidence);
    } else {
        reasons.insert(0, evidence);
    }
    Verdict {
        outcome,
        reasons,
        gate: Some(decision),
        forced,
    }
}

/// One line: what was measured, and on which side of the threshold it lies.
fn evidence(decision: &Decision, fails: bool) -> String {
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
        decision.measure.words(),
        decision.attack,
        decision.value,
        decision.confidence * 100.0,
        decision.low,
        decision.high,
        decision.threshold,
    )
}
