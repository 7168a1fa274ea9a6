//! Are a few members exposed, though the average over all is not?

use super::{Evidence, Status};
use crate::AttackMeasures;
use crate::measure::{Level, log_mia::Regime};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let gated = evidence.gated_attack()?;
    let reading = (evidence.gate.measure).read(gated, evidence.gate.confidence)?;
    if evidence.gate.fails(&reading) {
        return None;
    }
    let sure = |attack: &&AttackMeasures| exposed(attack).is_some();
    let surest = (evidence.attacks.iter().filter(sure))
        .min_by(|a, b| a.log_mia.a.p_value.total_cmp(&b.log_mia.a.p_value))?;
    let regime = exposed(surest)?;
    let detail = format!(
        "although the gate's measure is below its threshold, {} catches {} of {} members with {} false \
         accusations, which chance explains with p = {:.1e} at the most: a few members are exposed; \
         gate on a rate too, such as tpr@0.01",
        surest.id,
        regime.tp,
        regime.n_members,
        regime.fp,
        regime.corrected_p_value.unwrap_or(regime.p_value),
    );
    Some((Status::Warn, detail))
}

/// The regime of Log-MIA in which an attack is severe beyond chance.
fn exposed(attack: &AttackMeasures) -> Option<&Regime> {
    [&attack.log_mia.a, &attack.log_mia.b]
        .into_iter()
        .find(|regime| regime.level == Level::Severe)
}
