//! The audit under the names of the threat specification of retrieval services: `membership_auc` with its
//! bootstrap interval, and the four signals of an answer.

use attacks::rag::signals::Signal;
use judge::gate::Measure;
use judge::{AttackMeasures, Truth};
use report::rag::{Extracted, Specification};

use super::measured::area;
use super::{ArmView, AuditContext};

/// Nothing where no attack decides.
pub fn specification(
    deciding: Option<&AttackMeasures>,
    arm: &ArmView,
    truth: &Truth,
    context: &AuditContext,
) -> Option<Specification> {
    let attack = deciding?;
    let threshold = match context.gate.measure {
        Measure::Auc => context.gate.threshold,
        _ => judge::gate::DEFAULT_AUC_THRESHOLD,
    };
    let bootstrap = attack.bootstrap.as_ref();
    let confidence = context.measuring.confidence;
    let signal = |signal| extracted(&by_document(arm, signal), truth, confidence);
    Some(Specification {
        membership_auc: attack.auc.value,
        threshold,
        pass: attack.auc.value < threshold,
        delong: [attack.auc.low, attack.auc.high],
        bootstrap: bootstrap.map(|found| [found.auc.low, found.auc.high]),
        bootstrap_replicates: bootstrap.map_or(0, |found| found.replicates),
        response_length: extracted(&lengths(arm), truth, confidence),
        confidence_phrases: signal(Signal::Confidence),
        specificity_score: signal(Signal::Specificity),
        citation_present: signal(Signal::Citation),
    })
}

/// The mean over the answers about each document, in characters.
fn lengths(arm: &ArmView) -> Vec<Option<f64>> {
    let documents = arm.heard.documents.iter();
    let length = |probed: &attacks::signals::probes::Probed| {
        let replies = probed.exchanges.iter();
        let replies = replies.filter_map(|exchange| exchange.reply.as_deref());
        mean(replies.map(|reply| reply.answer.chars().count() as f64))
    };
    documents.map(length).collect()
}

/// The mean over the strategies that have the signal.
fn by_document(arm: &ArmView, signal: Signal) -> Vec<Option<f64>> {
    let columns = arm.heard.columns.iter();
    let columns: Vec<_> = columns.filter(|column| column.signal == signal).collect();
    let of = |document: usize| mean(columns.iter().filter_map(|column| column.values[document]));
    (0..arm.heard.documents.len()).map(of).collect()
}

fn extracted(values: &[Option<f64>], truth: &Truth, confidence: f64) -> Option<Extracted> {
    let of_kind = |member: bool| {
        let known = values.iter().zip(truth.iter());
        mean(known.filter_map(|(value, truth)| value.filter(|_| truth == Some(member))))
    };
    Some(Extracted {
        members: of_kind(true)?,
        non_members: of_kind(false)?,
        auc: area(values.iter().copied(), truth, confidence)?,
    })
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}
