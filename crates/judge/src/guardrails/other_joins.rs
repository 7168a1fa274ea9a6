//! Would another way of joining a person's records have failed?
//!
//! Faint signs in every record show in their sum, one loud record in the largest. An audit that looks at
//! one of them alone misses the other kind of leak.

use super::beyond_chance::by_chance;
use super::{Evidence, Status, tells};
use crate::AttackMeasures;
use crate::persons::{Join, Persons};
use crate::verdict::gated;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let persons = evidence.persons?;
    let gate = evidence.gate;
    let reaches = |attack: &AttackMeasures| {
        let reading = gate.measure.read(attack, gate.confidence);
        reading.filter(|reading| reading.value >= gate.threshold)
    };
    // What fails needs no other reason.
    if evidence.gated_by_person().and_then(reaches).is_some() {
        return None;
    }
    let tried = evidence.tried() * (1 + persons.others.len());
    let confidence = gate.confidence_for(tried);
    let found = comparable(persons).find_map(|(join, attacks)| {
        let attack = match evidence.holdout {
            true => attacks
                .iter()
                .find(|one| Some(one.id.as_str()) == evidence.gated),
            false => gated(attacks, gate),
        }?;
        let reading = reaches(attack)?;
        let believed = by_chance(gate.measure, attack, confidence, tried).is_none();
        believed.then_some((join, attack, reading.value))
    });
    let Some((join, attack, value)) = found else {
        let detail = format!(
            "joined in other ways than by {}, people are not told apart beyond the threshold either",
            persons.join.as_str()
        );
        return (!persons.others.is_empty()).then_some((Status::Ok, detail));
    };
    let detail = format!(
        "joined by {}, {} of {} is {value:.3} by person, at or above the threshold {}: what the join by {} \
         does not show is there; audit with --join {}",
        join.as_str(),
        gate.measure,
        attack.id,
        gate.threshold,
        persons.join.as_str(),
        join.as_str()
    );
    Some((Status::Violated, detail))
}

/// Ways of joining that numbers of records do not decide.
fn comparable(persons: &Persons) -> impl Iterator<Item = (Join, &[AttackMeasures])> {
    let count = persons.count_auc.as_ref();
    let telling = count.is_some_and(|count| tells(count).is_some());
    let others = persons.others.iter();
    others
        .filter(move |(join, _)| !telling || *join == Join::Mean)
        .map(|(join, attacks)| (*join, attacks.as_slice()))
}

#[cfg(test)]
mod tests {
    use attacks::scores::Scores;
    use stats::streams::{Seed, standard_normal};

    use super::*;
    use crate::gate::{Gate, Measure};
    use crate::persons::{Groups, judge_persons};
    use crate::{Options, Truth};

    /// 200 + 200 people of ten records each; each member's records lie higher by a little, and one record
    /// of every tenth member by a lot.
    fn found(join: Join, measure: &str, threshold: f64, all: f64, one: f64) -> Option<Status> {
        let mut rng = Seed(4).stream("people");
        let score = |record: usize| {
            let person = record / 10;
            let loud = person.is_multiple_of(5) && record.is_multiple_of(10);
            let member = f64::from(u8::from(person < 200));
            standard_normal(&mut rng) + member * (all + f64::from(u8::from(loud)) * one)
        };
        let scores: Scores = (0..4000).map(score).map(Ok).collect();
        let truth = Truth::new((0..4000).map(|record| record < 2000)).unwrap();
        let groups = Groups::new("person", (0..4000).map(|record| Some(record / 10)));
        let options = Options {
            bootstrap_replicates: 0,
            ..Options::default()
        };
        let scores = [("x".to_owned(), scores)];
        let persons = judge_persons(&scores, &truth, &groups, join, &options);
        let gate = Gate {
            measure: Measure::parse(measure).unwrap(),
            threshold,
            ..Gate::default()
        };
        let evidence = Evidence {
            persons: Some(&persons),
            ..Evidence::new(200, 200, &gate, &options.fprs)
        };
        check(&evidence).map(|(status, _)| status)
    }

    #[test]
    fn what_another_join_shows_takes_a_pass() {
        // Faint signs in every record are lost in the largest.
        assert_eq!(
            found(Join::Max, "auc", 0.65, 0.25, 0.0),
            Some(Status::Violated)
        );
        assert_eq!(found(Join::Sum, "auc", 0.65, 0.25, 0.0), None);
        // Nothing there.
        for join in [Join::Sum, Join::Mean, Join::Max] {
            assert_eq!(found(join, "auc", 0.65, 0.0, 0.0), Some(Status::Ok));
            assert_eq!(found(join, "tpr@0.01", 0.15, 0.0, 0.0), Some(Status::Ok));
        }
    }

    #[test]
    fn one_loud_record_is_seen_by_the_sum_too() {
        assert_eq!(found(Join::Sum, "tpr@0.01", 0.15, 0.0, 9.0), None);
        assert_eq!(found(Join::Max, "tpr@0.01", 0.15, 0.0, 9.0), None);
    }
}
