//! The verdict: pass, fail or inconclusive, with the evidence that decided it.

use serde::{Deserialize, Serialize};

use crate::attacker::Attacker;
use crate::diagnostics::Slices;
use crate::diagnostics::slice_gate::{SliceGate, Standing};
use crate::epsilon::Claim;
use crate::gate::{Gate, Measure, Reading, Rule, band};
use crate::guardrails::beyond_chance::by_chance;
use crate::guardrails::slices::describe as describe_slice;
use crate::guardrails::{Finding, Status};
use crate::policy::Scope;
use crate::{AttackMeasures, Error, p_value};

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

/// Whose measure it is, in an audit with persons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Record,
    Person,
}

impl Level {
    pub fn word(self) -> &'static str {
        match self {
            Level::Record => "record",
            Level::Person => "person",
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
    /// Whom it is about, where that is not all records together.
    #[serde(default, skip_serializing_if = "Scope::is_whole")]
    pub scope: Scope,
    /// Absent where records belong to nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// How often the canaries were trained on that prove an ε, where that is more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetitions: Option<u64>,
}

impl Decision {
    /// Of slices, chance and their number decide: a high value alone does not.
    pub fn fails_by_its_value(&self) -> bool {
        let reading = Reading {
            value: self.value,
            low: self.low,
            high: self.high,
        };
        self.scope != Scope::Slice && self.rule.fails(&reading, self.threshold)
    }
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
    /// The smallest value of the gated measure that so many records could have shown, at the 5% level with
    /// 80% power; reports of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detectable: Option<f64>,
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
        Choice::Best => gated(attacks, gate),
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
        scope: Scope::Whole,
        level: None,
        repetitions: repeated(attack, gate.measure, confidence),
    })
}

/// Of the tier of canaries that proves an ε, where it was trained on more than once.
fn repeated(attack: &AttackMeasures, measure: Measure, confidence: f64) -> Option<u64> {
    let Measure::Epsilon(delta) = measure else {
        return None;
    };
    let (proved, tier) = attack.proved_by_coins(&Claim { confidence, delta })?;
    (proved > 0.0 && tier.repetitions > 1).then_some(tier.repetitions)
}

/// The attack that the gate looks at: the best of those that fail it beyond chance, each held to the error that all
/// share, and the best of all where none does. A larger number of a noisier attack hides no leak that another proves.
pub fn gated<'a>(attacks: &'a [AttackMeasures], gate: &Gate) -> Option<&'a AttackMeasures> {
    let tried = attacks.len();
    let confidence = gate.confidence_for(tried);
    let proves = |attack: &&AttackMeasures| {
        let reading = gate.measure.read(attack, confidence);
        reading.is_some_and(|reading| gate.fails(&reading))
            && by_chance(gate.measure, attack, confidence, tried).is_none()
    };
    largest(attacks.iter().filter(proves), gate.measure).or_else(|| best(attacks, gate.measure))
}

/// The attack with the largest value; the first of equals.
pub fn best(attacks: &[AttackMeasures], measure: Measure) -> Option<&AttackMeasures> {
    largest(attacks.iter(), measure)
}

fn largest<'a>(
    attacks: impl Iterator<Item = &'a AttackMeasures>,
    measure: Measure,
) -> Option<&'a AttackMeasures> {
    let value = |attack: &AttackMeasures| measure.read(attack, 0.95).map(|reading| reading.value);
    attacks
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
    guardrails: &[Finding],
    force: bool,
) -> Verdict {
    let violated = || (guardrails.iter()).filter(|finding| finding.status == Status::Violated);
    let words = |finding: &Finding| format!("{}: {}", finding.id, finding.detail);
    let detectable = guardrails.iter().find_map(|finding| finding.detectable);
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
                detectable,
            };
        }
    };
    let whole_fails = decision.fails_by_its_value();
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
        detectable,
    }
}

/// What decided: the whole, and the slice that stands worst; first the one that fails.
fn evidence(decision: &Decision, fails: bool, slices: Option<&Slices>) -> Vec<String> {
    let whole = measured(decision, fails);
    let shown = match decision.scope {
        Scope::Slice => Slices::deciding,
        _ => Slices::worst,
    };
    let Some((slice, gate)) = slices.and_then(shown) else {
        return vec![whole];
    };
    let words = describe_slice(slice, gate);
    if decision.scope == Scope::Slice {
        return vec![of_slices(decision, &words, gate)];
    }
    match gate.standing {
        Standing::Violates => {
            let line = format!(
                "a part of the records leaks: {words}, above the threshold {} beyond chance ({} after \
                 correction for attacks and slices)",
                decision.threshold,
                p_value(gate.corrected_p_value, 2)
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

/// The worst slice, where every slice must hold by itself.
fn of_slices(decision: &Decision, words: &str, gate: &SliceGate) -> String {
    let measure = decision.measure;
    let threshold = decision.threshold;
    match gate.standing {
        Standing::Violates => format!(
            "a part of the records leaks: {measure} in {words}, above the threshold {threshold} beyond \
             chance ({} after correction for attacks and slices)",
            p_value(gate.corrected_p_value, 2)
        ),
        Standing::Suspect | Standing::Within => format!(
            "no slice lies above the threshold {threshold} beyond chance; {measure} is worst in {words}"
        ),
    }
}

/// One line: what was measured, and on which side of the threshold it lies.
pub(crate) fn measured(decision: &Decision, fails: bool) -> String {
    if let Measure::Epsilon(delta) = decision.measure {
        return bounded(decision, delta, fails);
    }
    let level = decision
        .level
        .map_or_else(String::new, |level| format!("by {}, ", level.word()));
    let strength = match (decision.measure, band(decision.value)) {
        (Measure::Auc, leak @ ("weak" | "moderate" | "strong")) => format!(" (a {leak} leak)"),
        (Measure::Auc, none) => format!(" ({none})"),
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
    let chosen = chosen(decision);
    format!(
        "{level}{} of {} is {:.4}{strength}, {side} the threshold {}; {:.2}% interval {:.4} to {:.4}{chosen}",
        decision.measure,
        decision.attack,
        decision.value,
        decision.threshold,
        decision.confidence * 100.0,
        decision.low,
        decision.high,
    )
}

/// The same of ε, of which only a lower end is known.
fn bounded(decision: &Decision, delta: f64, fails: bool) -> String {
    let proven = match decision.value > 0.0 {
        true => format!(
            "{} proves ε ≥ {:.4}{} at δ = {delta:e}, {:.2}% confidence",
            decision.attack,
            decision.value,
            by_repeated(decision.repetitions),
            decision.confidence * 100.0
        ),
        false => format!("no attack proves any ε above 0 at δ = {delta:e}"),
    };
    let side = match fails {
        true => "at or above",
        false => "below",
    };
    let meaning = match fails {
        true => "",
        false => "; that is no proof that ε is small",
    };
    format!(
        "{proven}, {side} the threshold {}{meaning}{}",
        decision.threshold,
        chosen(decision)
    )
}

/// What a tier says of one record, where it was trained on more often.
pub(crate) fn by_repeated(repetitions: Option<u64>) -> String {
    let words = |times| format!(" of one record, by canaries that were trained on {times} times");
    repetitions.map_or_else(String::new, words)
}

fn chosen(decision: &Decision) -> String {
    match decision.holdout {
        true => "; the attack was chosen on other records".to_string(),
        false if decision.tried == 1 => String::new(),
        false => format!(
            ", widened because it is the best of {} attacks",
            decision.tried
        ),
    }
}

#[cfg(test)]
mod tests {
    use attacks::scores::Scores;

    use super::*;
    use crate::{Options, Truth, measure};

    /// Members stand above this share of the others, and the interval has such a standard error.
    fn attack(id: &str, above: f64, error: f64) -> AttackMeasures {
        let truth = Truth::new((0..200).map(|record| record < 100)).unwrap();
        let rank = |record: usize| (record % 100) as f64 / 100.0;
        let scores: Scores = (0..200)
            .map(|record| match record < 100 {
                true => Ok(above + rank(record) * 1e-6),
                false => Ok(rank(record)),
            })
            .collect();
        let mut measured = measure(id, &scores, &truth, &Options::default()).unwrap();
        measured.auc.standard_error = Some(error);
        measured
    }

    #[test]
    fn a_noisier_attack_with_a_larger_number_hides_no_leak_that_another_proves() {
        let attacks = [attack("noisy", 0.98, 0.3), attack("sure", 0.9, 0.02)];
        for rule in [Rule::Point, Rule::Conservative, Rule::Proven] {
            let gate = Gate {
                rule,
                ..Gate::default()
            };
            assert_eq!(gated(&attacks, &gate).unwrap().id, "sure", "{rule:?}");
            let decision = decide(&attacks, &gate, Choice::Best).unwrap();
            assert_eq!((decision.attack.as_str(), decision.tried), ("sure", 2));
            assert!(gate.fails(&Reading {
                value: decision.value,
                low: decision.low,
                high: decision.high
            }));
        }
    }

    #[test]
    fn what_is_sure_and_small_takes_no_doubt_away() {
        let attacks = [attack("noisy", 0.98, 0.3), attack("sure", 0.6, 0.01)];
        assert_eq!(gated(&attacks, &Gate::default()).unwrap().id, "noisy");
    }
}
