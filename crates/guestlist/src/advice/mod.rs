//! What to do next, from what the report holds: a file per kind. Steps that this audit measured say what they
//! reach, whether that is enough or not; of the others nothing is promised.

mod classifier;
mod fewshot;
mod lm;
mod rag;
mod source;

use judge::gate::Measure;
use judge::guardrails::{Finding, Status};
use judge::measure::Auc;
use judge::verdict::Outcome;
use report::{Detail, Measured, NextStep, Report};

/// What helps by measurement, then what was not measured, then what was and does not suffice.
pub fn next_steps(report: &Report) -> Vec<NextStep> {
    let mut steps = match report.verdict.outcome {
        Outcome::Inconclusive => return mend(report),
        Outcome::Pass => return keep(report),
        Outcome::Fail => of_kind(report),
    };
    steps.sort_by_key(
        |step| match step.measured.as_ref().map(|measured| measured.enough) {
            Some(Some(true)) => 0,
            None => 1,
            Some(None) => 2,
            Some(Some(false)) => 3,
        },
    );
    steps.extend(guide(report));
    steps
}

/// Where it is written what a change does and what it costs.
fn guide(report: &Report) -> Option<NextStep> {
    let place = concat!(
        env!("CARGO_PKG_REPOSITORY"),
        "/blob/main/docs/guide-rag.md#what-helps"
    );
    matches!(report.detail, Detail::Rag(_))
        .then(|| step("Read in the guide what each change leaves and costs", place))
}

fn of_kind(report: &Report) -> Vec<NextStep> {
    match &report.detail {
        Detail::Classifier(one) => classifier::steps(report, one),
        Detail::Lm(lm) => lm::steps(report, lm),
        Detail::Rag(rag) => rag::steps(report, rag),
        Detail::Source(_) => source::steps(report),
        Detail::Fewshot(_) => fewshot::steps(),
        _ => vec![step(
            "Audit the model itself",
            "scores say that it leaks, not why: its logits, token statistics or answers tell what helps",
        )],
    }
}

/// What stands in the way of a verdict, and its remedy.
fn mend(report: &Report) -> Vec<NextStep> {
    let violated = report.guardrails.iter();
    let violated = violated.filter(|finding| finding.status == Status::Violated);
    let mut steps: Vec<NextStep> = violated.map(mended).collect();
    if steps.is_empty() {
        let first = report.verdict.reasons.first();
        steps.extend(first.map(|reason| step("Mend what kept the audit from judging", reason)));
    }
    steps
}

/// The last clause of a finding says what to do.
fn mended(finding: &Finding) -> NextStep {
    let remedy = finding.detail.rsplit("; ").next();
    step(
        &format!("Mend what {} found", finding.id),
        remedy.unwrap_or(&finding.detail),
    )
}

fn keep(report: &Report) -> Vec<NextStep> {
    let attacker = report.verdict.attacker.as_ref();
    let stronger = attacker.and_then(|attacker| attacker.stronger.as_deref());
    let mut steps: Vec<NextStep> = stronger
        .map(|stronger| {
            step(
                "Before a release, audit against a stronger attacker",
                &format!("one who {stronger}"),
            )
        })
        .into_iter()
        .collect();
    steps.push(step(
        "Keep report.json",
        "guestlist diff compares later models with it, and fails on a rise that is more than noise",
    ));
    let warned = report.guardrails.iter();
    let warned = warned.filter(|finding| finding.status == Status::Warn && is_about_power(finding));
    steps.extend(warned.map(mended));
    steps
}

/// What more records or models would let the next audit see.
fn is_about_power(finding: &Finding) -> bool {
    ["enough-nonmembers", "shadow-coverage", "slices"].contains(&finding.id.as_str())
}

/// A step that was not measured.
fn step(what: &str, why: &str) -> NextStep {
    NextStep {
        what: what.to_owned(),
        why: why.to_owned(),
        measured: None,
    }
}

/// What is left of the leak when one attack is the best that an attacker can do.
fn left(report: &Report, attack: &str, auc: &Auc) -> Option<Measured> {
    let gate = report.verdict.gate.as_ref()?;
    let deciding = report.attacks.iter().find(|one| one.id == gate.attack)?;
    Some(Measured {
        attack: attack.to_owned(),
        auc: auc.value,
        low: auc.low,
        high: auc.high,
        instead_of: deciding.auc.value,
        enough: (gate.measure == Measure::Auc).then_some(auc.value < gate.threshold),
    })
}

/// Whether a measured step brings the leak below the threshold.
fn suffices(measured: &Measured) -> bool {
    measured.enough == Some(true)
}

/// Copies make models remember; named where a guardrail saw some.
fn without_copies(report: &Report) -> Option<NextStep> {
    let copies =
        |finding: &&Finding| finding.id.ends_with("duplicates") && finding.status != Status::Ok;
    let found = report.guardrails.iter().find(copies)?;
    let first = found.detail.split("; ").next().unwrap_or_default();
    Some(step(
        "Remove copies before training",
        &format!("models remember most what they see several times; here {first}"),
    ))
}

/// The one promise that holds against every attacker, and its price.
fn private_training(how: &str) -> NextStep {
    step(
        "Train with DP-SGD",
        &format!(
            "it bounds what any attacker can learn, and costs accuracy and time, more for a smaller ε; \
             not measured here: {how}"
        ),
    )
}

#[cfg(test)]
pub(crate) mod tests;
