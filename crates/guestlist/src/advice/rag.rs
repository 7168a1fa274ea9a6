//! Steps for retrieval services: what attacks reach on the answers as a changed service would have given them,
//! and what the model says without its store.

use judge::AttackMeasures;
use report::rag::{Change, Rag};
use report::{Measured, NextStep, Report};

use super::{left, step, suffices};

/// Attacks that look at the sources that come with an answer.
const READ_SOURCES: [&str; 3] = ["citation", "rank-average", "cross-fitted"];
const SOURCES: &str = "Show no sources with answers";
const REFUSALS: &str = "Give one refusal for all, whether a document is there or not";

pub fn steps(report: &Report, rag: &Rag) -> Vec<NextStep> {
    let mut steps = replayed(report, rag);
    if rag.changes.is_empty() {
        steps.extend(without_sources(report, rag));
    }
    steps.push(step(
        "Refuse questions that quote documents, and answer in other words than theirs",
        "exact phrases in questions and answers carry the leak; not measured here: put the defence in place \
         and run again with --ask-again",
    ));
    steps.push(step(
        "Notice many questions about one document",
        "every attack asks about a document several times; a limit per user makes that slow, not impossible; \
         not measured here",
    ));
    steps.extend(another_model(report, rag));
    steps
}

/// Changes that were tried on the answers themselves. Both together are proposed where neither is enough alone.
fn replayed(report: &Report, rag: &Rag) -> Vec<NextStep> {
    let mut steps: Vec<NextStep> = Vec::new();
    for change in &rag.changes {
        let enough = |step: &NextStep| step.measured.as_ref().is_some_and(suffices);
        if change.change == Change::Both && steps.iter().any(enough) {
            continue;
        }
        let strongest = change.strongest();
        let measured = strongest.and_then(|best| left(report, &best.id, &best.auc));
        steps.extend(measured.map(|measured| changed(change.change, measured)));
    }
    steps
}

fn changed(change: Change, measured: Measured) -> NextStep {
    let less = measured.auc < measured.instead_of;
    let (what, why) = match (change, suffices(&measured), less) {
        (Change::WithoutSources, true, _) => (
            SOURCES,
            "sources give members away; who reads answers alone finds less",
        ),
        (Change::WithoutSources, false, true) => (
            SOURCES,
            "sources give members away, and so do the words of the answers",
        ),
        (Change::WithoutSources, false, false) => (
            SOURCES,
            "without them as much is left: answers alone give members away as well",
        ),
        (Change::EqualRefusals, _, true) => (
            REFUSALS,
            "how the service refuses tells members apart: a refusal, a filter's message, an empty answer \
             and not knowing should be one sentence",
        ),
        (Change::EqualRefusals, _, false) => (
            REFUSALS,
            "with one sentence in place of every refusal that was recognised as much is left: one in other words was \
             not replaced, and when the service refuses, or what it answers, may tell as well",
        ),
        (Change::Both, _, _) => (
            "Show no sources, and give one refusal for all",
            "neither is enough alone",
        ),
    };
    NextStep {
        measured: Some(measured),
        ..step(what, why)
    }
}

/// Where answers were not replayed and name sources: the strongest attack that does not look at them.
fn without_sources(report: &Report, rag: &Rag) -> Option<NextStep> {
    let named = rag
        .signals
        .iter()
        .any(|one| one.signal == "citation" && one.auc.low > 0.5);
    let attacks = report.strongest_first().into_iter();
    let mut others = attacks.filter(|attack| !READ_SOURCES.contains(&attack.id.as_str()));
    let best: &AttackMeasures = others.next().filter(|_| named)?;
    let measured = left(report, &best.id, &best.auc)?;
    Some(changed(Change::WithoutSources, measured))
}

/// What the same attack finds with retrieval off is not the store's.
fn another_model(report: &Report, rag: &Rag) -> Option<NextStep> {
    let gate = report.verdict.gate.as_ref()?;
    let found = rag.attacks.iter().find(|attack| attack.id == gate.attack)?;
    let without = found.without_retrieval.as_ref()?;
    Some(step(
        "Do not expect much of another language model",
        &format!(
            "with retrieval off the deciding attack reaches AUC {:.3} ({:.3}–{:.3}): what leaks is the store",
            without.value, without.low, without.high
        ),
    ))
    .filter(|_| without.value < gate.threshold)
}
