//! Did attacks leave records out, and would they be worse among those that they judged?

use attacks::scores::Abstention;

use super::{Evidence, Status, percent};
use crate::AttackMeasures;
use crate::gate::Reading;

/// Fewer judged records of a kind than this say nothing against a pass.
const FEWEST: u64 = 20;
/// Standard errors of a difference of shares beyond which it is no chance, whichever of many attacks shows it.
const UNEQUAL: f64 = 5.0;

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
    if let Some((attack, members, others)) = telling(evidence) {
        let found = format!(
            "{detail}; {} has no score for {} of the members and {} of the others: who has none tells who is a \
             member, and counts for nothing here; give every record a score, or leave records out by lot",
            attack.id,
            percent(members, 1.0),
            percent(others, 1.0),
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

/// An attack that leaves out members and others unequally, beyond chance, in an audit that would pass: then a missing
/// score is a sign of membership itself. The shares of either kind are given.
fn telling<'a>(evidence: &Evidence<'a>) -> Option<(&'a AttackMeasures, f64, f64)> {
    let gate = evidence.gate;
    let reading = gate
        .measure
        .read(evidence.gated_attack()?, gate.confidence)?;
    if gate.fails(&reading) {
        return None;
    }
    let unequal = evidence.attacks.iter().filter_map(|attack| {
        // What is left out by its source or by lot is no attack's doing.
        if left_out(attack) != attack.abstained {
            return None;
        }
        let (judged, other_judged) = attack.judged_counts();
        let (all, other_all) = (attack.n_members as f64, attack.n_nonmembers as f64);
        let (left, other_left) = (all - judged as f64, other_all - other_judged as f64);
        let pooled = (left + other_left) / (all + other_all);
        let error = (pooled * (1.0 - pooled) * (1.0 / all + 1.0 / other_all)).sqrt();
        let (share, other_share) = (left / all, other_left / other_all);
        ((share - other_share).abs() > UNEQUAL * error).then_some((attack, share, other_share))
    });
    unequal.max_by(|a, b| (a.1 - a.2).abs().total_cmp(&(b.1 - b.2).abs()))
}

/// Without the records that are none of the attack's business: those of another source, and those
/// that no episode drew, which were left out by lot.
fn left_out(attack: &AttackMeasures) -> usize {
    let count = |why: Abstention| attack.abstained_by_reason.get(why.as_str()).copied();
    let meant = [Abstention::OtherSource, Abstention::NotAsked].map(count);
    attack.abstained - meant.into_iter().flatten().sum::<usize>()
}

#[cfg(test)]
mod tests {
    use attacks::scores::Scores;

    use super::*;
    use crate::gate::Gate;
    use crate::{Options, Truth, measure};

    /// Of 300 members and 300 others: so many of each have no score, and all others the same chance of any.
    fn status(members: usize, others: usize) -> Status {
        let truth = Truth::new((0..600).map(|record| record < 300)).unwrap();
        let scores: Scores = (0..600)
            .map(
                |record| match record % 300 < [members, others][record / 300] {
                    true => Err(Abstention::NotGiven),
                    false => Ok((record * 7 % 300) as f64),
                },
            )
            .collect();
        let measured = [measure("loss", &scores, &truth, &Options::default()).unwrap()];
        let gate = Gate::default();
        let evidence = Evidence {
            attacks: &measured,
            gated: Some("loss"),
            ..Evidence::new(300, 300, &gate, &[])
        };
        check(&evidence).unwrap().0
    }

    #[test]
    fn scores_that_only_one_kind_lacks_tell_it() {
        assert_eq!(status(120, 0), Status::Violated);
        assert_eq!(status(0, 120), Status::Violated);
        assert_eq!(status(60, 60), Status::Warn);
        assert_eq!(status(66, 60), Status::Warn);
        assert_eq!(status(0, 0), Status::Ok);
    }
}
