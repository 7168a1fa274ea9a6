//! Does anything that is seen in answers, or beside them, tell members apart by itself?
//!
//! An audit reads what its attacks read: a service that says "I don't know" to everything and shows the document as its
//! source passes whoever asks for facts alone. So everything that was measured is looked at, whichever way it points.

use super::{Evidence, PLAIN_AUC, Status, fails_anyway};
use crate::gate::{Measure, Reading};
use crate::measure::Auc;
use crate::rag::SignalTells;

/// Over all signals together, both sides counted.
const LEVEL: f64 = 0.01;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let signals = &evidence.probes?.signals;
    // What is the same for every document is none.
    let varies = |one: &&SignalTells| one.auc.value != 0.5 || one.auc.standard_error != Some(0.0);
    let signals: Vec<&SignalTells> = signals.iter().filter(varies).collect();
    if signals.is_empty() || fails_anyway(evidence) {
        return None;
    }
    let confidence = 1.0 - LEVEL / signals.len() as f64;
    let telling = signals.iter().rev().filter_map(|one| {
        let auc = one.auc.at_confidence(confidence);
        is_of_the_store(&auc, one.without_retrieval).then_some((*one, auc))
    });
    // Of those that tell as much, the first.
    let found = telling.max_by(|a, b| {
        let forbidden = forbidden(evidence, &a.1).cmp(&forbidden(evidence, &b.1));
        forbidden.then(distance(&a.1).total_cmp(&distance(&b.1)))
    });
    let Some((signal, auc)) = found else {
        return Some((Status::Ok, nothing(signals.len())));
    };
    let detail = format!(
        "{} tells members from non-members by itself (AUC {:.3}, {:.3} to {:.3}, corrected for {} signals)",
        signal.what,
        auc.value,
        auc.low,
        auc.high,
        signals.len()
    );
    let status = match (forbidden(evidence, &auc), evidence.gate.measure) {
        (true, _) => Status::Violated,
        (false, Measure::Auc) => {
            return Some((
                Status::Ok,
                format!("{detail}, less than the threshold forbids"),
            ));
        }
        (false, _) => Status::Warn,
    };
    Some((status, format!("{detail}; {}", remedy(evidence, signal))))
}

/// Beyond chance, and beyond what the model says by itself.
fn is_of_the_store(auc: &Auc, without: Option<f64>) -> bool {
    let without = without.unwrap_or(0.5);
    auc.low > without.max(0.5) || auc.high < without.min(0.5)
}

fn distance(auc: &Auc) -> f64 {
    (auc.value - 0.5).abs()
}

/// Whether an attack that reached as much would fail, were it read the right way round.
fn forbidden(evidence: &Evidence, auc: &Auc) -> bool {
    let upward = match auc.value >= 0.5 {
        true => (auc.value, auc.low, auc.high),
        false => (1.0 - auc.value, 1.0 - auc.high, 1.0 - auc.low),
    };
    let (value, low, high) = upward;
    match evidence.gate.measure {
        Measure::Auc => evidence.gate.fails(&Reading { value, low, high }),
        _ => value >= PLAIN_AUC,
    }
}

fn remedy(evidence: &Evidence, signal: &SignalTells) -> String {
    let reads = signal.read_by.as_str();
    if reads.is_empty() {
        return "no attack reads it, and whoever asks sees it: leave it out of what the service sends, or make it alike \
                whether or not the store holds a document"
            .to_owned();
    }
    match evidence.attacks.iter().any(|attack| attack.id == reads) {
        true => format!(
            "{reads} weighs it among others and finds less, but who reads it alone finds as much: answer alike, and show \
             the same, whether or not the store holds a document"
        ),
        false => format!(
            "no attack of this audit reads it: add {reads} to the attacks and run again (answers that are stored are used \
             again)"
        ),
    }
}

fn nothing(signals: usize) -> String {
    let what = match signals {
        1 => "1 signal was".to_owned(),
        count => format!("{count} signals were"),
    };
    format!("{what} looked at, and none tells members from non-members by itself")
}

#[cfg(test)]
mod tests {
    use stats::roc::Roc;

    use super::*;
    use crate::gate::{Gate, Rule};
    use crate::measure::AucScale;
    use crate::measure::auc::auc;
    use crate::rag::ProbeFacts;

    /// Of a value that so many of 60 members have, and so many of 60 others.
    fn signal(members: usize, others: usize) -> SignalTells {
        let of = |count: usize, member: bool| {
            (0..60).map(move |place| (f64::from(u8::from(place < count)), member))
        };
        let roc = Roc::new(of(members, true).chain(of(others, false))).unwrap();
        SignalTells {
            what: "whether any answer shows the document".into(),
            read_by: "citation".into(),
            auc: auc(&roc, 0.95, AucScale::Logit),
            without_retrieval: None,
        }
    }

    fn found(signals: Vec<SignalTells>, gate: &Gate) -> Option<(Status, String)> {
        let facts = ProbeFacts {
            signals,
            ..ProbeFacts::default()
        };
        check(&Evidence {
            probes: Some(&facts),
            ..Evidence::new(60, 60, gate, &[])
        })
    }

    fn status(signals: Vec<SignalTells>) -> Option<Status> {
        found(signals, &Gate::default()).map(|(status, _)| status)
    }

    #[test]
    fn a_signal_that_tells_takes_a_pass_whichever_way_it_points() {
        let (status_found, words) = found(vec![signal(60, 0)], &Gate::default()).unwrap();
        assert_eq!(status_found, Status::Violated);
        assert!(
            words.contains("AUC 1.000") && words.contains("add citation"),
            "{words}"
        );
        assert_eq!(status(vec![signal(0, 60)]), Some(Status::Violated));
        assert_eq!(status(vec![signal(40, 5)]), Some(Status::Violated));
        assert_eq!(status(vec![signal(34, 30)]), Some(Status::Ok));
        assert_eq!(status(vec![signal(60, 60)]), None, "nothing varies");
    }

    #[test]
    fn many_signals_are_corrected_for_their_number() {
        // One of them alone lies beyond chance at the level.
        assert_eq!(status(vec![signal(36, 17)]), Some(Status::Violated));
        let many = vec![signal(36, 17); 100];
        assert_eq!(status(many), Some(Status::Ok));
    }

    #[test]
    fn what_the_model_says_by_itself_is_no_leak_of_the_store() {
        let known = |without_retrieval| SignalTells {
            without_retrieval: Some(without_retrieval),
            ..signal(60, 0)
        };
        assert_eq!(status(vec![known(0.99)]), Some(Status::Ok));
        assert_eq!(status(vec![known(0.6)]), Some(Status::Violated));
    }

    #[test]
    fn the_gate_says_what_is_forbidden() {
        let proven = Gate {
            rule: Rule::Proven,
            ..Gate::default()
        };
        let status = |signal, gate: &Gate| found(vec![signal], gate).map(|(status, _)| status);
        assert_eq!(status(signal(36, 17), &proven), Some(Status::Ok));
        let rate = Gate {
            measure: Measure::TprAtFpr(0.01),
            threshold: 0.1,
            ..Gate::default()
        };
        assert_eq!(status(signal(60, 0), &rate), Some(Status::Violated));
        assert_eq!(status(signal(40, 5), &rate), Some(Status::Warn));
    }
}
