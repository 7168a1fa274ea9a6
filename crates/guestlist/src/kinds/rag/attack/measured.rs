//! What is measured beside the attacks themselves: the same without retrieval, and every signal
//! alone.

use attacks::Attack;
use attacks::rag::ProbeAttack;
use attacks::rag::signals::{Column, Signal};
use attacks::scores::Scores;
use attacks::settings::Settings;
use judge::Truth;
use judge::measure::{Auc, AucScale, auc::auc, paired};
use judge::rag::SignalTells;
use report::rag::{RetrievalAttack, SignalMeasure};
use stats::roc::Roc;

use super::metadata::traits_tell;
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

/// What tells members apart by itself, for a guardrail: what stands among the sources of any answer, the signals that
/// were measured, and what stands beside answers in numbers and words. Time is left out where whoever audits leaves it out.
pub fn signals_tell(
    measured: &[SignalMeasure],
    (on, off): (&ArmView, Option<&ArmView>),
    truth: &Truth,
    request: &ProbeRequest,
) -> Vec<SignalTells> {
    let timed = times_answers(&request.context.settings);
    let counts = |one: &&SignalMeasure| timed || one.signal != Signal::Latency.name();
    let alone = measured.iter().filter(counts).map(|one| SignalTells {
        what: format!(
            "the signal {} of answers to the questions of {}",
            one.signal, one.strategy
        ),
        read_by: read_by(&one.signal).to_owned(),
        auc: one.auc.clone(),
        without_retrieval: one.without_retrieval.as_ref().map(|auc| auc.value),
    });
    let sources = named(on, truth).map(|auc| SignalTells {
        what: "whether any answer shows or names the document as a source".to_owned(),
        read_by: read_by(Signal::Citation.name()).to_owned(),
        auc,
        without_retrieval: off.and_then(|off| Some(named(off, truth)?.value)),
    });
    let beside = traits_tell(request, (on, off), truth, timed);
    sources.into_iter().chain(alone).chain(beside).collect()
}

/// The attack that reads a signal for what it is.
fn read_by(signal: &str) -> &'static str {
    let mut all = Signal::ALL.into_iter();
    match all.find(|one| one.name() == signal) {
        Some(Signal::Citation) => "citation",
        Some(Signal::Refusal | Signal::Unknown) => "refusals",
        _ => "cross-fitted",
    }
}

/// How well it tells members apart whether any answer of any strategy shows or names the document: what is looked up and
/// not shown does not count.
fn named(arm: &ArmView, truth: &Truth) -> Option<Auc> {
    let columns = arm.heard.columns.iter();
    let columns: Vec<&Column> = columns
        .filter(|column| column.signal == Signal::Citation)
        .collect();
    let named = |place: usize| {
        let shares = columns.iter().filter_map(|column| column.values[place]);
        let most = shares.reduce(f64::max)?;
        Some(f64::from(u8::from(most > 0.0)))
    };
    tells((0..truth.len()).map(named).zip(truth.iter()))
}

/// As `cross-fitted` is told.
fn times_answers(settings: &Settings) -> bool {
    let known = <&'static dyn ProbeAttack as Attack>::settings().into_iter();
    let mut latency = known.filter(|setting| setting.key == "cross-fitted.latency");
    latency.all(|setting| settings.choice(setting) != "no")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_is_read_by_an_attack_that_there_is_and_time_can_be_left_out() {
        for signal in Signal::ALL {
            let attack = read_by(signal.name());
            let mut known = attacks::rag::ATTACKS.iter();
            assert!(known.any(|one| one.card().id == attack), "{attack}");
        }
        let mut settings = Settings::default();
        assert!(times_answers(&settings));
        let known = <&'static dyn ProbeAttack as Attack>::settings();
        settings.set(&known, "cross-fitted.latency", "no").unwrap();
        assert!(!times_answers(&settings));
    }
}
