//! Steps for retrieval services: what the attacks that read no sources reach, what the model says without its
//! store, and what refusals tell.

use judge::AttackMeasures;
use report::rag::Rag;
use report::{NextStep, Report};

use super::{left, step, suffices};

/// Attacks that look at the sources that come with an answer.
const READ_SOURCES: [&str; 3] = ["citation", "rank-average", "cross-fitted"];
/// The attack that looks at refusals alone.
const REFUSALS: &str = "refusals";

pub fn steps(report: &Report, rag: &Rag) -> Vec<NextStep> {
    let mut steps = Vec::new();
    steps.extend(without_sources(report, rag));
    steps.extend(refusals(report));
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

/// Where answers name sources: the strongest attack that does not look at them.
fn without_sources(report: &Report, rag: &Rag) -> Option<NextStep> {
    let named = rag
        .signals
        .iter()
        .any(|one| one.signal == "citation" && one.auc.low > 0.5);
    let attacks = report.strongest_first().into_iter();
    let mut others = attacks.filter(|attack| !READ_SOURCES.contains(&attack.id.as_str()));
    let best: &AttackMeasures = others.next().filter(|_| named)?;
    let measured = left(report, &best.id, &best.auc)?;
    let why = match suffices(&measured) {
        true => "sources give members away; who reads answers alone finds less",
        false => "sources give members away, and so do the words of the answers",
    };
    Some(NextStep {
        measured: Some(measured),
        ..step("Show no sources with answers", why)
    })
}

/// A defence that refuses about members alone tells by refusing.
fn refusals(report: &Report) -> Option<NextStep> {
    let attack = report.attacks.iter().find(|attack| attack.id == REFUSALS)?;
    (attack.auc.low > 0.5).then(|| {
        step(
            "Give one refusal for all, whether a document is there or not",
            &format!(
                "refusals by themselves tell members apart: AUC {:.3} ({:.3}–{:.3})",
                attack.auc.value, attack.auc.low, attack.auc.high
            ),
        )
    })
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
