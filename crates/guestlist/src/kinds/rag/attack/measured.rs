//! What is measured beside the attacks themselves: the same without retrieval, and every signal
//! alone.

use attacks::rag::signals::Column;
use attacks::scores::Scores;
use judge::Truth;
use judge::measure::{Auc, AucScale, auc::auc, paired};
use report::rag::{RetrievalAttack, SignalMeasure};
use stats::roc::Roc;

use super::{ArmView, ProbeRequest};

pub fn attacks(
    request: &ProbeRequest,
    on: &[(String, Scores)],
    off: &[(String, Scores)],
    truth: &Truth,
) -> Vec<RetrievalAttack> {
    let confidence = request.context.measuring.confidence;
    let measured = |(id, scores): &(String, Scores)| {
        let without = off.iter().find(|(other, _)| other == id);
        let without = without.map(|(_, scores)| scores);
        RetrievalAttack {
            id: id.clone(),
            requests_per_document: requests_per_document(request, id),
            without_retrieval: without.and_then(|off| area(off.iter(), truth, confidence)),
            difference: without.and_then(|off| paired(scores, off, truth, confidence)),
        }
    };
    on.iter().map(measured).collect()
}

/// Questions of the attack's own strategy; those of `s2` serve `s2-fitted` too.
fn requests_per_document(request: &ProbeRequest, id: &str) -> f64 {
    let strategy = id.strip_suffix("-fitted").unwrap_or(id);
    let asked = request.documents.iter().flat_map(|heard| &heard.on);
    let asked = asked
        .filter(|exchange| exchange.probe.strategy == strategy)
        .count();
    asked as f64 / request.documents.len().max(1) as f64
}

pub fn signals(
    on: &ArmView,
    off: Option<&ArmView>,
    truth: &Truth,
    confidence: f64,
) -> Vec<SignalMeasure> {
    let off = off.map_or(&[][..], |off| &off.heard.columns);
    let measured = |column: &Column| {
        let same =
            |other: &&Column| other.strategy == column.strategy && other.signal == column.signal;
        let without = off.iter().find(same);
        Some(SignalMeasure {
            auc: area(column.values.iter().copied(), truth, confidence)?,
            without_retrieval: without
                .and_then(|column| area(column.values.iter().copied(), truth, confidence)),
            signal: column.signal.name().to_owned(),
            strategy: column.strategy.clone(),
        })
    };
    on.heard.columns.iter().filter_map(measured).collect()
}

pub fn area(
    values: impl Iterator<Item = Option<f64>>,
    truth: &Truth,
    confidence: f64,
) -> Option<Auc> {
    Some(tells(values.zip(truth.iter()))?.at_confidence(confidence))
}

/// How well a value tells members from others; nothing where one kind has no value.
pub fn tells(values: impl Iterator<Item = (Option<f64>, Option<bool>)>) -> Option<Auc> {
    let roc = Roc::new(values.filter_map(|(value, member)| Some((value?, member?))))?;
    Some(auc(&roc, 0.95, AucScale::Logit))
}
