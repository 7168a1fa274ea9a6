//! The verdict in one sentence, for somebody who has never heard of a ROC curve: who the attacker is, and
//! how well he does. Every number in it is one that the report holds; none is computed.

mod cast;

use judge::AttackMeasures;
use judge::claim::{ClaimFinding, ClaimOutcome};
use judge::diagnostics::Slices;
use judge::diagnostics::slice_gate::{SliceGate, Standing};
use judge::diagnostics::slices::SliceFinding;
use judge::gate::{Measure, Rule};
use judge::policy::Scope;
use judge::verdict::{Decision, Level, Outcome};

use crate::brief::first_clause;
use crate::caveats;
use crate::document::Report;
use crate::table::rate;
use cast::Cast;

/// The false-positive rate that the sentence speaks of, where the gate looks at none.
const USUAL_FPR: f64 = 0.01;

/// The outcome with its sign, whether it was forced, the sentence, and the warnings of a pass by name: one line.
pub fn verdict_line(report: &Report) -> String {
    let verdict = &report.verdict;
    let (sign, forced) = (sign(verdict.outcome), forced(verdict.forced));
    let with = caveats::counted(report).map(|found| format!("; with {found}"));
    let with = with.unwrap_or_default();
    format!("{sign}{forced}: {}{with}", headline(report))
}

/// What the outcome looks like without any colour.
pub fn sign(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "✔ PASS",
        Outcome::Fail => "✘ FAIL",
        Outcome::Inconclusive => "? INCONCLUSIVE",
    }
}

/// What an outcome means where nothing else is known.
pub fn meaning(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "no leak above the threshold was found",
        Outcome::Fail => "membership leaks",
        Outcome::Inconclusive => "this audit decides nothing",
    }
}

/// What stands behind the sign where the user overruled a guardrail.
pub fn forced(forced: bool) -> &'static str {
    match forced {
        true => " (forced past a violated guardrail)",
        false => "",
    }
}

/// The sentence alone.
pub fn headline(report: &Report) -> String {
    let cast = Cast::new(report);
    match (report.verdict.outcome, &report.verdict.gate) {
        (Outcome::Inconclusive, _) | (_, None) => undecided(report),
        (Outcome::Pass, Some(gate)) => {
            let supposed = caveats::supposed(report);
            let supposed = supposed.map_or_else(String::new, |words| format!("; {words}"));
            passed(report, gate, &cast) + &supposed + &standing(report)
        }
        (Outcome::Fail, Some(gate)) => refuted(report) + &failed(report, gate, &cast),
    }
}

/// A pass beside a claim is taken for a proof of it unless it says that it is none.
fn standing(report: &Report) -> String {
    let Some(claim) = &report.claim else {
        return String::new();
    };
    let what = match claim.outcome {
        ClaimOutcome::Refuted => "refuted",
        ClaimOutcome::NotRefuted => "not refuted, which is no proof that it holds",
        ClaimOutcome::Untested => "not tested by so few records, which is no proof that it holds",
    };
    format!("; the claim of {} is {what}", claimed(claim))
}

/// A fail beside a claim that does not hold.
fn refuted(report: &Report) -> String {
    let refuted = |claim: &&ClaimFinding| claim.outcome == ClaimOutcome::Refuted;
    let claim = report.claim.as_ref().filter(refuted);
    claim.map_or_else(String::new, |claim| {
        format!("the claim of {} is refuted: ", claimed(claim))
    })
}

/// An accountant's ε has more digits than anybody says.
fn claimed(claim: &ClaimFinding) -> String {
    let epsilon = match claim.epsilon {
        usual if (0.01..1e6).contains(&usual) => ((1e4 * usual).round() / 1e4).to_string(),
        other => format!("{other:e}"),
    };
    format!("ε = {epsilon} at δ = {:e}", claim.delta)
}

/// The whole, or a part of the records, or else what the verdict gives as its reason.
fn failed(report: &Report, gate: &Decision, cast: &Cast) -> String {
    let people = report.persons.as_ref().map(|persons| &persons.attacks);
    let by_person = people.filter(|_| gate.level == Some(Level::Person));
    let judged = by_person.unwrap_or(&report.attacks);
    let deciding = judged.iter().find(|one| one.id == gate.attack);
    let caught = deciding.and_then(|attack| caught(attack, gate.measure));
    let slice = report.diagnostics.slices.as_ref().and_then(violating);
    let of_slices = gate.scope == Scope::Slice && slice.is_some();
    if gate.value >= gate.threshold && !of_slices {
        return doing(cast, &achieved(gate, caught, cast));
    }
    if let Some((slice, found)) = slice {
        let there = format!(" where {} = {}", slice.column, slice.value);
        let reached = reaches(gate, found.value, &there, cast);
        return doing(cast, &reached);
    }
    match gate.rule == Rule::Conservative && gate.high >= gate.threshold {
        true => format!(
            "it is not proven that {} stays below the threshold {}: {}",
            cast.who,
            gate.threshold,
            achieved(gate, None, cast)
        ),
        false => first_or_proof(report),
    }
}

/// The reason of a fail that no gate explains. A refuted claim is named already.
fn first_or_proof(report: &Report) -> String {
    let refuted = |claim: &&ClaimFinding| claim.outcome == ClaimOutcome::Refuted;
    let proof = report.claim.as_ref().filter(refuted);
    match proof.and_then(|claim| Some((claim.attack.as_ref()?, claim.bound))) {
        Some((attack, bound)) => format!("{attack} proves ε ≥ {bound:.2}"),
        None => first_reason(report),
    }
}

/// A pass is a claim: for whom it holds, how close it was, and what would have been seen.
fn passed(report: &Report, gate: &Decision, cast: &Cast) -> String {
    let reached = reaches(gate, gate.value, "", cast);
    let number = |value: f64| match gate.measure {
        Measure::Epsilon(_) => value.to_string(),
        Measure::TprAtFpr(_) => share(value),
        _ => times(value, gate.threshold),
    };
    let guessing = match gate.measure {
        Measure::Auc => "guessing: 50, ",
        _ => "",
    };
    // Rounded up: nothing smaller is claimed than what was computed.
    let least = report
        .verdict
        .detectable
        .map(|least| (100.0 * least).ceil() / 100.0);
    let seen =
        least.map(|least| format!("; {} or more would most likely have shown", number(least)));
    // Of slices, chance decides: a value alone does not.
    let by_chance = gate.rule == Rule::Proven || gate.scope == Scope::Slice;
    let unproven = by_chance && gate.value >= gate.threshold;
    let stays = match unproven {
        true => "is not proven to lie above the threshold, though the value does",
        false => "stays below the threshold",
    };
    format!(
        "{}{} {stays}: {reached} ({guessing}threshold: {}){}",
        scope(report),
        cast.who,
        number(gate.threshold),
        seen.unwrap_or_default()
    )
}

/// A pass that holds for less than an auditor could have tried says so before anything else.
fn scope(report: &Report) -> &'static str {
    let attacker = report.verdict.attacker.as_ref();
    match attacker.is_some_and(|attacker| attacker.stronger.is_some()) {
        true => "against a weaker attacker than there may be, and no other: ",
        false => "",
    }
}

fn undecided(report: &Report) -> String {
    format!("this audit decides nothing: {}", first_reason(report))
}

fn first_reason(report: &Report) -> String {
    let first = report.verdict.reasons.first();
    first.map_or_else(
        || "the report gives no reason".to_owned(),
        |reason| first_clause(reason),
    )
}

/// A slice at or above the threshold beyond chance, the worst of them.
fn violating(slices: &Slices) -> Option<(&SliceFinding, &SliceGate)> {
    slices
        .worst()
        .filter(|(_, gate)| gate.standing == Standing::Violates)
}

/// The share of members caught at a small rate of wrong accusations, where that is surely more than
/// guessing catches: else the sentence would make a leak look like none.
fn caught(attack: &AttackMeasures, measure: Measure) -> Option<(f64, f64)> {
    let fpr = match measure {
        Measure::TprAtFpr(fpr) => fpr,
        _ => USUAL_FPR,
    };
    let tpr = attack.tpr_at_fpr.iter().find(|tpr| tpr.fpr == fpr)?;
    (tpr.low? > fpr).then_some((tpr.value?, fpr))
}

/// Who does what, with a comma where the sentence needs one.
fn doing(cast: &Cast, what: &str) -> String {
    let who = cast.who.trim_end_matches(',');
    match what.starts_with("shown") || who != cast.who {
        true => format!("{who}, {what}"),
        false => format!("{who} {what}"),
    }
}

/// What the deciding attack reaches, as the end of a sentence.
fn achieved(gate: &Decision, caught: Option<(f64, f64)>, cast: &Cast) -> String {
    match caught {
        Some((value, fpr)) => names(value, fpr, cast),
        None => reaches(gate, gate.value, "", cast),
    }
}

/// A value of the gated measure in words, for all records or for those of a slice.
fn reaches(gate: &Decision, value: f64, there: &str, cast: &Cast) -> String {
    match gate.measure {
        Measure::Auc => format!(
            "shown {}{there}, tells which is which {} times in 100",
            cast.pair,
            times(value, gate.threshold)
        ),
        Measure::TprAtFpr(fpr) => format!("{}{there}", names(value, fpr, cast)),
        Measure::Advantage => format!(
            "names {}{there} more often than others, by {:.0} in 100",
            cast.members,
            100.0 * value
        ),
        Measure::Epsilon(delta) => {
            format!("proves that ε is at least {value:.2}{there} (δ = {delta})")
        }
    }
}

fn names(value: f64, fpr: f64, cast: &Cast) -> String {
    format!(
        "names {} of {} while wrongly accusing {} of the others",
        share(value),
        cast.members,
        rate(fpr)
    )
}

/// An AUC as so many times in a hundred; never rounded to certainty, nor to a threshold that it only comes near.
fn times(auc: f64, threshold: f64) -> String {
    let rounded = |value: f64, digits: usize| format!("{:.digits$}", 100.0 * value);
    let near =
        |digits: &usize| auc != threshold && rounded(auc, *digits) == rounded(threshold, *digits);
    let digits = (0..4).find(|digits| !near(digits)).unwrap_or(4);
    let shown = rounded(auc, digits);
    match auc < 1.0 && shown == "100" {
        true => "more than 99".into(),
        false => shown,
    }
}

/// A share in per cent with the digits that people say; never rounded to all or none.
fn share(share: f64) -> String {
    let percent = 100.0 * share;
    let digits = match percent {
        large if large >= 9.95 => 0,
        some if some >= 0.095 => 1,
        _ => 2,
    };
    let shown = format!("{percent:.digits$}");
    let shown = match shown.contains('.') {
        true => shown.trim_end_matches('0').trim_end_matches('.'),
        false => &shown,
    };
    match share < 1.0 && shown == "100" {
        true => "more than 99%".into(),
        false => format!("{shown}%"),
    }
}

#[cfg(test)]
mod tests;
