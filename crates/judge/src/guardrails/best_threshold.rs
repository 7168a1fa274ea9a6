//! Does a single threshold tell apart what an average over all thresholds does not?
//!
//! Members whose scores all lie between those of the others, or on one value, leave an AUC at one half and are known
//! all the same. What one threshold tells beyond what it may where the leak is even is no part of what the gate allows.

use super::{Evidence, Status, percent, turned};
use crate::measure::{Advantage, BalancedAccuracy};
use crate::{AttackMeasures, even};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let gate = evidence.gate;
    let gated = evidence.gated_attack()?;
    let reading = gate.measure.read(gated, gate.confidence)?;
    if gate.fails(&reading) {
        return None;
    }
    let allowed = even::advantage(gate)?;
    let confidence = gate.confidence_for(evidence.attacks.len());
    let attacks = evidence.attacks.iter();
    let sides = attacks.flat_map(|attack| sides(evidence, attack));
    let surest = |side: &Side| least(&Advantage::from(side.found), confidence);
    let worst = sides.max_by(|one, other| surest(one).total_cmp(&surest(other)))?;
    if surest(&worst) <= allowed {
        return None;
    }
    let found = worst.found;
    let detail = format!(
        "although its AUC is {:.3}, one threshold on {} is right in {} of the cases where every second record is a \
         member ({} of {} members lie {} it and {} of {} others), more than an even leak at the threshold {} \
         allows; gate on --measure advantage, to have that judged",
        worst.attack.auc.value,
        worst.attack.id,
        percent(found.value, 1.0),
        found.tp,
        found.n_members,
        worst.lie,
        found.fp,
        found.n_nonmembers,
        gate.threshold
    );
    Some((Status::Violated, detail))
}

/// What lies on one side of an attack's best threshold.
struct Side<'a> {
    attack: &'a AttackMeasures,
    found: &'a BalancedAccuracy,
    lie: &'static str,
}

/// Above one threshold, and below another: a score turned round is an attack like any other.
fn sides<'a>(evidence: &Evidence, attack: &'a AttackMeasures) -> impl Iterator<Item = Side<'a>> {
    let turned = turned(evidence, attack);
    let both = [
        Some((&attack.balanced_accuracy, "above")),
        turned.map(|turned| (&turned.balanced_accuracy, "below")),
    ];
    let side = move |(found, lie)| Side { attack, found, lie };
    both.into_iter().flatten().map(side)
}

/// The lower end of the advantage at this confidence: its reach grows with the square root of ln(4/α).
fn least(advantage: &Advantage, confidence: f64) -> f64 {
    let width = |confidence: f64| (4.0 / (1.0 - confidence)).ln();
    let wider = (width(confidence) / width(advantage.confidence)).sqrt();
    advantage.value - wider * (advantage.value - advantage.low)
}
