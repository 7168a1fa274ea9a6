//! Did attacks leave records out, and would they be worse among those that they judged?

use attacks::scores::Abstention;

use super::{Evidence, Status, percent};
use crate::AttackMeasures;
use crate::gate::Reading;

/// Fewer judged records of a kind than this say nothing against a pass.
const FEWEST: u64 = 20;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    // Of those that were an attack's own to judge.
    let share = |attack: &AttackMeasures| {
        let all = (attack.n_members + attack.n_nonmembers) as f64;
        left_out(attack) as f64 / all.max(1.0)
    };
    let most = evidence
        .attacks
        .iter()
        .max_by_key(|attack| left_out(attack))?;
    let gated = evidence.gated_attack().map_or(0.0, share);
    let most_left_out = left_out(most);
    if most_left_out == 0 {
        let left = evidence.attacks.iter().map(|attack| attack.abstained).max();
        let words = match left.unwrap_or(0) {
            0 => "every attack judged every record".to_owned(),
            left => format!(
                "every attack judged every record that was its own to judge: up to {left} were of \
                 another source, or drawn by no episode"
            ),
        };
        return Some((Status::Ok, words));
    }
    let reasons: Vec<String> = most
        .abstained_by_reason
        .iter()
        .map(|(reason, count)| format!("{reason} ({count})"))
        .collect();
    let detail = format!(
        "{} abstained on {} of the records: {}; the gated attack abstained on {}; an abstention counts \
         as knowing nothing",
        most.id,
        percent(share(most), 1.0),
        reasons.join(", "),
        percent(gated, 1.0),
    );
    if let Some((attack, reading)) = exposed_among_judged(evidence) {
        let found = format!(
            "{detail}; among the records that {} judged, its {} is {:.3}, at or above the threshold {}: the \
             others may be as exposed; add shadows or what else it lacks, or leave those records out",
            attack.id, evidence.gate.measure, reading.value, evidence.gate.threshold
        );
        return Some((Status::Violated, found));
    }
    let status = if gated > 0.5 {
        Status::Violated
    } else if gated > 0.01 || share(most) > 0.1 {
        Status::Warn
    } else {
        Status::Ok
    };
    Some((status, detail))
}

/// An attack that would fail the gate on the records that it judged, though the gate passes over all:
/// knowing nothing of the others must not turn a leak into a pass. The gated attack is read by the
/// gate's own rule; of another, picked out of many, the whole interval must lie above.
fn exposed_among_judged<'a>(evidence: &Evidence<'a>) -> Option<(&'a AttackMeasures, Reading)> {
    let gate = evidence.gate;
    let gated = evidence.gated_attack()?;
    let reading = gate.measure.read(gated, gate.confidence)?;
    if gate.fails(&reading) {
        return None;
    }
    let tried = gate.confidence_for(evidence.attacks.len());
    let exposed = evidence.attacks.iter().filter_map(|attack| {
        let judged = attack.judged.as_ref()?;
        let reading = gate.measure.read_judged(judged, tried)?;
        let fails = match attack.id == gated.id {
            true => gate.fails(&reading),
            false => reading.low >= gate.threshold,
        };
        let enough = judged.n_members.min(judged.n_nonmembers) >= FEWEST;
        (fails && enough).then_some((attack, reading))
    });
    exposed.max_by(|a, b| a.1.value.total_cmp(&b.1.value))
}

/// Without the records that are none of the attack's business: those of another source, and those
/// that no episode drew, which were left out by lot.
fn left_out(attack: &AttackMeasures) -> usize {
    let count = |why: Abstention| attack.abstained_by_reason.get(why.as_str()).copied();
    let meant = [Abstention::OtherSource, Abstention::NotAsked].map(count);
    attack.abstained - meant.into_iter().flatten().sum::<usize>()
}
