//! Is it the store that leaks, or does the model know the documents by itself?

use super::{Evidence, Status};
use crate::AttackMeasures;
use crate::gate::Measure;

/// A difference that chance explains with less than this probability counts.
const SURE: f64 = 0.05;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.probes?;
    if facts.compares_arms {
        let detail =
            "the gated attack itself weighs answers with retrieval against answers without";
        return Some((Status::Ok, detail.into()));
    }
    let Some(without) = &facts.without_retrieval else {
        let detail = "the service was not asked without retrieval: what its model knows by itself \
                      counts as a leak of the store; add [target.off] if it can be switched off";
        return Some((Status::Warn, detail.into()));
    };
    let difference = without.difference.as_ref();
    let told = difference.map_or(String::new(), |difference| {
        format!(
            "; with retrieval {:.3}, difference {:+.3} ({:+.3} to {:+.3}, paired)",
            difference.first, difference.value, difference.low, difference.high
        )
    });
    let found = format!(
        "without retrieval {} reaches AUC {:.3} ({:.3} to {:.3}){told}",
        without.attack, without.auc, without.low, without.high
    );
    if without.low <= 0.5 {
        return Some((Status::Ok, found));
    }
    let fails = evidence
        .gated_attack()
        .is_some_and(|attack| leaks(evidence, attack));
    let gains = difference.is_some_and(|difference| difference.p_value < SURE);
    Some(match fails && !gains {
        true => {
            let detail = format!(
                "{found}: the attack does as well without the store, so that its AUC is no leak of \
                 the store; choose documents that the model cannot know, drawn from one pool"
            );
            (Status::Violated, detail)
        }
        false => {
            let detail =
                format!("{found}: part of what the attack finds is there without the store");
            (Status::Warn, detail)
        }
    })
}

/// Whether the attack finds what the gate forbids.
fn leaks(evidence: &Evidence, attack: &AttackMeasures) -> bool {
    let gate = evidence.gate;
    match gate.measure {
        Measure::Epsilon(_) => {
            let reading = gate
                .measure
                .read(attack, gate.confidence_for(evidence.tried()));
            reading.is_some_and(|reading| gate.fails(&reading))
        }
        _ => attack.auc.value >= gate.threshold,
    }
}
