//! Do scores tell records apart, or are they constant or mostly tied?

use super::{Evidence, Status};
use crate::AttackMeasures;
use crate::attacker::LABEL_ONLY;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let ids = |wanted: &dyn Fn(&AttackMeasures) -> bool| -> Vec<&str> {
        let found = evidence.attacks.iter().filter(|attack| wanted(attack));
        found.map(|attack| attack.id.as_str()).collect()
    };
    let constant = ids(&|attack| attack.distinct_scores == 1);
    let gated = evidence.gated_attack().map(|attack| attack.id.as_str());
    let tied = ids(&|attack| {
        let (members, nonmembers) = attack.judged_counts();
        // Right or wrong is two scores, whatever the signals are: that is news only where it decides.
        let by_nature = LABEL_ONLY.contains(&attack.id.as_str()) && gated != Some(&attack.id);
        attack.distinct_scores > 1 && attack.largest_tie * 2 > members + nonmembers && !by_nature
    });
    let mut parts = Vec::new();
    if !constant.is_empty() {
        parts.push(format!(
            "the same score for every record: {}",
            constant.join(", ")
        ));
    }
    if !tied.is_empty() {
        parts.push(format!(
            "one score for more than half of the records: {}",
            tied.join(", ")
        ));
    }
    if parts.is_empty() {
        return Some((Status::Ok, "scores tell records apart".into()));
    }
    let gated_is_constant = evidence
        .gated_attack()
        .is_some_and(|attack| attack.distinct_scores == 1);
    // Documents that are all answered alike are a finding; texts whose sources all look alike are none.
    let service = evidence.probes.filter(|facts| facts.echoes.is_none());
    // Lots decide between canaries that are tied: most of the guesses that a bound rests on were not made.
    let by_lot = gated.is_some_and(|gated| tied.contains(&gated)) && evidence.guessing().is_some();
    let status = if by_lot || gated_is_constant && service.is_none() {
        Status::Violated
    } else {
        Status::Warn
    };
    // A service that answers alike about every document gives nothing away.
    let why = match evidence.probes {
        None => "check that signals were not rounded or clipped",
        Some(_) => "the service answers alike about these documents",
    };
    let detail = format!(
        "{}; ties cannot be ordered, so measures at low false-positive rates say nothing there; {why}",
        parts.join("; ")
    );
    Some((status, detail))
}
