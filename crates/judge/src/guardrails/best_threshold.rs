//! Does a single threshold tell apart what an average over all thresholds does not?
//!
//! Members whose scores all lie between those of the others, or on one value, leave an AUC at one half and are known
//! all the same. What one threshold tells beyond what it may where the leak is even is no part of what the gate allows.

use stats::normal::{normal_cdf, normal_quantile};

use super::{Evidence, Status, percent};
use crate::AttackMeasures;
use crate::gate::Measure;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let gate = evidence.gate;
    let gated = evidence.gated_attack()?;
    let reading = gate.measure.read(gated, gate.confidence)?;
    if gate.measure != Measure::Auc || gate.threshold >= 1.0 || gate.fails(&reading) {
        return None;
    }
    let allowed = even(gate.threshold.max(0.5));
    let confidence = gate.confidence_for(evidence.attacks.len());
    let surest = |attack: &AttackMeasures| least(attack, confidence);
    let attacks = evidence.attacks.iter();
    let worst = attacks.max_by(|one, other| surest(one).total_cmp(&surest(other)))?;
    if surest(worst) <= allowed {
        return None;
    }
    let found = &worst.balanced_accuracy;
    let detail = format!(
        "although its AUC is {:.3}, one threshold on {} is right in {} of the cases where every second record is a \
         member ({} of {} members lie above it and {} of {} others), more than an even leak at the threshold {} \
         allows; gate on --measure advantage, to have that judged",
        worst.auc.value,
        worst.id,
        percent(found.value, 1.0),
        found.tp,
        found.n_members,
        found.fp,
        found.n_nonmembers,
        gate.threshold
    );
    Some((Status::Violated, detail))
}

/// The advantage of the best threshold on two normals of equal spread that have this AUC.
fn even(auc: f64) -> f64 {
    let apart = std::f64::consts::SQRT_2 * normal_quantile(auc);
    2.0 * normal_cdf(apart / 2.0) - 1.0
}

/// The lower end of the advantage at this confidence: its reach grows with the square root of ln(4/α).
fn least(attack: &AttackMeasures, confidence: f64) -> f64 {
    let advantage = &attack.advantage;
    let width = |confidence: f64| (4.0 / (1.0 - confidence)).ln();
    let wider = (width(confidence) / width(advantage.confidence)).sqrt();
    advantage.value - wider * (advantage.value - advantage.low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_leak_has_the_advantage_of_two_normals() {
        assert_eq!(even(0.5), 0.0);
        assert!((even(0.65) - 0.214_75).abs() < 1e-3);
        assert!(even(0.99) > 0.89);
    }
}
