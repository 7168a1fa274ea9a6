//! Did attacks leave records out?

use attacks::scores::Abstention;

use super::{Evidence, Status, percent};
use crate::AttackMeasures;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    // Of those that were an attack's own to judge.
    let share = |attack: &AttackMeasures| {
        let judged = (attack.n_members + attack.n_nonmembers) as f64;
        let left = left_out(attack) as f64;
        left / (judged + left).max(1.0)
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
        "{} abstained on {} of the records: {}; the gated attack abstained on {}",
        most.id,
        percent(share(most), 1.0),
        reasons.join(", "),
        percent(gated, 1.0),
    );
    let status = if gated > 0.5 {
        Status::Violated
    } else if gated > 0.01 || share(most) > 0.1 {
        Status::Warn
    } else {
        Status::Ok
    };
    Some((status, detail))
}

/// Without the records that are none of the attack's business: those of another source, and those
/// that no episode drew, which were left out by lot.
fn left_out(attack: &AttackMeasures) -> usize {
    let count = |why: Abstention| attack.abstained_by_reason.get(why.as_str()).copied();
    let meant = [Abstention::OtherSource, Abstention::NotAsked].map(count);
    attack.abstained - meant.into_iter().flatten().sum::<usize>()
}
