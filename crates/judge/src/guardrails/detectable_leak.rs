//! Could so few records have shown a leak at the threshold?

use super::{Evidence, Status};
use crate::AttackMeasures;
use crate::epsilon::Claim;
use crate::gate::{Gate, Measure};
use crate::power::{self, largest_epsilon, minimum_detectable, more_canaries};

pub const ID: &str = "detectable-leak";

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let (members, nonmembers, people) = counted(evidence)?;
    let gate = evidence.gate;
    if let Measure::Epsilon(delta) = gate.measure {
        return Some(bound(evidence, members, nonmembers, delta));
    }
    let least = least(evidence)?;
    let found = format!(
        "{members} members and {nonmembers} non-members{people} are enough to see {} of {least:.3} or \
         more (5% level, 80% power)",
        gate.measure
    );
    if least <= gate.threshold {
        return Some((Status::Ok, found));
    }
    let detail = format!(
        "{found}, but a leak at the threshold {} could stay unseen; give {}",
        gate.threshold,
        needed(gate, evidence.tried())
    );
    Some((Status::Violated, detail))
}

/// A lower bound is no larger than what the best attack could have proved with so many records.
fn bound(evidence: &Evidence, members: usize, nonmembers: usize, delta: f64) -> (Status, String) {
    let (gate, tried) = (evidence.gate, evidence.tried());
    let coins = evidence.guessing();
    if let Some(found) = coins.and_then(|attack| by_coins(gate, attack, tried, delta)) {
        return found;
    }
    let most = largest_epsilon(members, nonmembers, gate.confidence_for(tried), delta);
    let found = format!(
        "{members} members and {nonmembers} non-members could have shown an ε of {most:.3} at the \
         most, had an attack told all of them apart (δ = {delta:e})"
    );
    if most >= gate.threshold {
        return (Status::Ok, found);
    }
    let detail = format!(
        "{found}, so that an ε at the threshold {} would stay unseen whatever leaks; give {}",
        gate.threshold,
        needed(gate, tried)
    );
    (Status::Violated, detail)
}

/// The same of canaries, whose bound rests on guesses about coins: of the tier that could show most.
fn by_coins(
    gate: &Gate,
    attack: &AttackMeasures,
    tried: usize,
    delta: f64,
) -> Option<(Status, String)> {
    let claim = Claim {
        confidence: gate.confidence_for(tried),
        delta,
    };
    let (most, coins) = attack.showable_by_coins(&claim)?;
    let found = format!(
        "{} canaries{} could have shown an ε of {most:.3} at the most, had an attack put all of them in \
         order (δ = {delta:e})",
        coins.records,
        repeated(coins.repetitions)
    );
    if most >= gate.threshold {
        return Some((Status::Ok, found));
    }
    let needed = attack.canaries_needed(gate.threshold, coins, &claim);
    let more = more_canaries(needed, coins.repetitions);
    let detail = format!(
        "{found}, so that an ε at the threshold {} would stay unseen whatever leaks; {more}",
        gate.threshold
    );
    Some((Status::Violated, detail))
}

fn repeated(repetitions: u64) -> String {
    match repetitions {
        1 => String::new(),
        times => format!(" that were trained on {times} times"),
    }
}

/// The smallest value of the gated measure that these records show.
pub fn least(evidence: &Evidence) -> Option<f64> {
    let (members, nonmembers, _) = counted(evidence)?;
    match evidence.gate.measure {
        Measure::Epsilon(_) => None,
        measure => minimum_detectable(measure, members, nonmembers),
    }
}

/// How many of each kind show something, and what they are where they are people: those alone are in or
/// out by themselves.
fn counted(evidence: &Evidence) -> Option<(usize, usize, &'static str)> {
    if let Some(persons) = evidence.persons {
        let judged = evidence.gated_by_person();
        let (members, nonmembers) = judged.map_or((0, 0), |attack| {
            let (members, nonmembers) = attack.judged_counts();
            (members as usize, nonmembers as usize)
        });
        let people = (
            members.min(persons.members),
            nonmembers.min(persons.nonmembers),
        );
        return Some((people.0, people.1, ", counted in people,"));
    }
    // Before anybody attacks, all that there will be.
    if evidence.attacks.is_empty() {
        let few = evidence.members == 0 || evidence.nonmembers == 0;
        return (!few).then_some((evidence.members, evidence.nonmembers, ""));
    }
    // Records that the attack abstained on show nothing, and scores that vary together show less.
    let attack = evidence.gated_attack()?;
    let (members, nonmembers) = attack.independent_counts();
    let fitted = match attack.times_the_variance > 1.0 {
        true => ", counted as independent ones because the strongest attack was fitted on them,",
        false => "",
    };
    Some((
        different(members, evidence),
        different(nonmembers, evidence),
        fitted,
    ))
}

/// Copies of a record say what the record says: as many as are different count.
fn different(records: u64, evidence: &Evidence) -> usize {
    let repeated = evidence.duplicates.filter(|facts| !facts.counted_once);
    let share = repeated.map_or(1.0, |facts| {
        facts.different as f64 / facts.records.max(1) as f64
    });
    (records as f64 * share).round() as usize
}

/// How many records a leak at the threshold needs, in words.
pub fn needed(gate: &Gate, attacks: usize) -> String {
    match power::needed(gate, attacks) {
        Some(count) => format!("{count} of each kind"),
        None => "a threshold above chance: no number of records is enough for this one".into(),
    }
}
