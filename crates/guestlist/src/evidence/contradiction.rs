//! What of a report cannot be as an audit wrote it, whatever its digest.

use judge::AttackMeasures;
use judge::claim::ClaimOutcome;
use judge::diagnostics::Slices;
use judge::gate::{Gate, Measure, Reading};
use judge::guardrails::Status;
use judge::policy::Scope;
use judge::verdict::{Choice, Decision, Level, Outcome, decide};
use report::Report;

/// Equal numbers differ by less: not every reader keeps the last digit.
const NEARLY: f64 = 1e-9;

/// A pass that no audit gives. Nothing turns a fail into a pass, not even `--force`.
pub fn contradiction(report: &Report) -> Option<String> {
    if report.verdict.outcome != Outcome::Pass {
        return None;
    }
    let Some(gate) = &report.verdict.gate else {
        return Some("it passes, though nothing was held against a threshold".into());
    };
    failing(gate)
        .or_else(|| unmeasured(report, gate))
        .or_else(|| outdone(report, gate))
        .or_else(|| violated(report))
        .or_else(|| unmet(report))
        .or_else(|| blocked(report))
}

/// Its own gate fails.
fn failing(gate: &Decision) -> Option<String> {
    gate.fails_by_its_value().then(|| {
        format!(
            "it passes, though {} of {} is {:.4} ({:.4} to {:.4}) against the threshold {}",
            gate.measure, gate.attack, gate.value, gate.low, gate.high, gate.threshold
        )
    })
}

/// The attack that decided is not there, or has other numbers.
fn unmeasured(report: &Report, gate: &Decision) -> Option<String> {
    let attacks = match gate.level {
        Some(Level::Person) => of_persons(report),
        _ if gate.scope == Scope::Person => of_persons(report),
        _ => &report.attacks,
    };
    let Some(attack) = attacks.iter().find(|one| one.id == gate.attack) else {
        return Some(format!(
            "it passes by {}, of which it has no measures",
            gate.attack
        ));
    };
    if !is_of_measures(gate) {
        return None;
    }
    let Some(found) = gate.measure.read(attack, gate.confidence) else {
        return Some(format!(
            "it passes by {} of {}, which its measures do not have",
            gate.measure, gate.attack
        ));
    };
    let told = [gate.value, gate.low, gate.high];
    let measured = [found.value, found.low, found.high];
    let same = |(told, measured): (f64, f64)| (told - measured).abs() <= NEARLY;
    (!told.into_iter().zip(measured).all(same)).then(|| {
        let Reading { value, low, high } = found;
        format!(
            "it passes by {} {:.4} ({:.4} to {:.4}) of {}, whose measures say {value:.4} ({low:.4} to {high:.4})",
            gate.measure, gate.value, gate.low, gate.high, gate.attack
        )
    })
}

/// Whether the measures of a report say what a decision has to be: lower bounds on ε and parts of the records need
/// more.
fn is_of_measures(gate: &Decision) -> bool {
    gate.scope != Scope::Slice && !matches!(gate.measure, Measure::Epsilon(_))
}

fn of_persons(report: &Report) -> &[AttackMeasures] {
    report.persons.as_ref().map_or(&[], |found| &found.attacks)
}

/// Another attack fails the gate, or the other level does.
fn outdone(report: &Report, gate: &Decision) -> Option<String> {
    if !is_of_measures(gate) {
        return None;
    }
    let rule = Gate {
        measure: gate.measure,
        threshold: gate.threshold,
        rule: gate.rule,
        confidence: 1.0 - (1.0 - gate.confidence) * gate.tried as f64,
    };
    let choice = match gate.holdout {
        true => Choice::Held {
            attack: &gate.attack,
        },
        false => Choice::Best,
    };
    let by_record: &[AttackMeasures] = match gate.scope {
        Scope::Person => &[],
        _ => &report.attacks,
    };
    let by_person = match gate.level.is_some() || gate.scope == Scope::Person {
        true => of_persons(report),
        false => &[],
    };
    let again = [by_record, by_person]
        .into_iter()
        .filter_map(|attacks| decide(attacks, &rule, choice).ok());
    let mut failing = again.filter(Decision::fails_by_its_value);
    failing.next().map(|one| {
        format!(
            "it passes, though its measures of {} fail the gate: {} {:.4} against the threshold {}",
            one.attack, one.measure, one.value, one.threshold
        )
    })
}

/// A part of the records violates the gate, or a claim does not hold.
fn violated(report: &Report) -> Option<String> {
    let slices = report.diagnostics.slices.as_ref();
    if slices.is_some_and(Slices::violate) {
        return Some("it passes, though a slice of the records violates the gate".into());
    }
    let claim = report.claim.as_ref()?;
    (claim.outcome == ClaimOutcome::Refuted).then(|| {
        format!(
            "it passes, though the claim of ε = {} is refuted",
            claim.epsilon
        )
    })
}

/// A criterion of its policy is not met.
fn unmet(report: &Report) -> Option<String> {
    let mut criteria = report.policy.iter().flat_map(|policy| &policy.criteria);
    let unmet = criteria.find(|one| one.outcome != Outcome::Pass)?;
    Some(format!(
        "it passes, though the criterion on {} of {} is {}",
        unmet.measure,
        unmet.scope.word(),
        match unmet.outcome {
            Outcome::Fail => "violated",
            _ => "not decided",
        }
    ))
}

/// A guardrail that takes a pass is violated, and nobody overruled it.
fn blocked(report: &Report) -> Option<String> {
    let mut violated = report.guardrails.iter();
    let takes = violated.find(|one| one.status == Status::Violated && one.blocks.pass());
    let takes = takes.filter(|_| !report.verdict.forced)?;
    Some(format!(
        "it passes, though the guardrail {} is violated",
        takes.id
    ))
}

#[cfg(test)]
mod tests {
    use judge::guardrails::Blocks;

    use super::*;

    const FAILED: &str = include_str!("../../../report/tests/data/leaky.json");

    /// A report that passes by a higher threshold.
    fn passed() -> Report {
        let mut report = Report::from_json(FAILED).unwrap();
        report.verdict.outcome = Outcome::Pass;
        report.verdict.gate.as_mut().unwrap().threshold = 0.95;
        for finding in &mut report.guardrails {
            finding.status = Status::Ok;
        }
        report
    }

    #[track_caller]
    fn told(report: &Report, words: &str) {
        let found = contradiction(report).unwrap_or_default();
        assert!(found.contains(words), "{words:?} is not in {found:?}");
    }

    #[test]
    fn a_pass_whose_own_gate_fails_contradicts_itself() {
        let mut report = Report::from_json(FAILED).unwrap();
        assert_eq!(contradiction(&report), None);
        report.verdict.outcome = Outcome::Pass;
        told(&report, "it passes, though AUC of lira");
        assert_eq!(contradiction(&passed()), None);
        let mut of_slices = passed();
        let gate = of_slices.verdict.gate.as_mut().unwrap();
        (gate.scope, gate.threshold) = (Scope::Slice, 0.65);
        assert_eq!(contradiction(&of_slices), None);
        report.verdict.outcome = Outcome::Inconclusive;
        assert_eq!(contradiction(&report), None);
    }

    #[test]
    fn a_pass_without_what_it_rests_on_contradicts_itself() {
        let mut report = passed();
        report.verdict.gate.as_mut().unwrap().value = 0.5;
        told(&report, "whose measures say 0.88");
        report.verdict.gate = None;
        told(&report, "nothing was held against a threshold");
        let mut report = passed();
        report.attacks.clear();
        told(&report, "of which it has no measures");
    }

    #[test]
    fn a_pass_beside_a_violated_guardrail_contradicts_itself() {
        let mut report = passed();
        let first = &mut report.guardrails[0];
        (first.status, first.blocks) = (Status::Violated, Blocks::Pass);
        told(&report, "is violated");
        report.verdict.forced = true;
        assert_eq!(contradiction(&report), None);
        report.verdict.forced = false;
        report.guardrails[0].blocks = Blocks::Fail;
        assert_eq!(contradiction(&report), None);
    }
}
