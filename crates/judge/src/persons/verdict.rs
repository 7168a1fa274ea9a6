//! The gate at both levels: a violation by record or by person fails, and a pass needs both.

use super::Persons;
use crate::gate::{Gate, Measure};
use crate::verdict::{Choice, Decision, Level, Verdict, decide, measured};
use crate::{AttackMeasures, Error};

/// The level that decides, and the other beside it where it was measured.
pub struct Levels {
    pub deciding: Result<Decision, Error>,
    pub beside: Option<Decision>,
}

impl Levels {
    /// What fails decides, people first; where neither fails, people decide, because they are who was
    /// in or out.
    pub fn new(
        by_record: Result<Decision, Error>,
        persons: Option<&Persons>,
        gate: &Gate,
        choice: Choice,
    ) -> Self {
        let Some(persons) = persons else {
            return Levels {
                deciding: by_record,
                beside: None,
            };
        };
        let by_record = by_record.map(|decision| at(decision, Level::Record));
        let by_person = decide(&persons.attacks, gate, choice);
        let by_person = by_person.map(|decision| at(decision, Level::Person));
        let by_person = by_person.map_err(|error| unmeasured(&error, persons));
        // Records that went in or out together prove no ε: people alone do.
        if let Measure::Epsilon(_) = gate.measure {
            return Levels {
                deciding: by_person,
                beside: None,
            };
        }
        match (by_record, by_person) {
            (Ok(record), Ok(person)) => {
                match person.fails_by_its_value() || !record.fails_by_its_value() {
                    true => Levels {
                        deciding: Ok(person),
                        beside: Some(record),
                    },
                    false => Levels {
                        deciding: Ok(record),
                        beside: Some(person),
                    },
                }
            }
            // One level is enough to fail, and not enough to pass.
            (Ok(known), Err(error)) | (Err(error), Ok(known)) => match known.fails_by_its_value() {
                true => Levels {
                    deciding: Ok(known),
                    beside: None,
                },
                false => Levels {
                    deciding: Err(error),
                    beside: None,
                },
            },
            (Err(error), Err(_)) => Levels {
                deciding: Err(error),
                beside: None,
            },
        }
    }
}

impl Verdict {
    /// Says what the other level has, behind the line that decided.
    pub fn tell_level(&mut self, beside: Option<&Decision>) {
        let (Some(beside), Some(decided)) = (beside, &self.gate) else {
            return;
        };
        let line = measured(decided, decided.fails_by_its_value());
        let place = self.reasons.iter().position(|reason| *reason == line);
        let place = place.map_or(self.reasons.len(), |place| place + 1);
        let line = measured(beside, beside.fails_by_its_value());
        self.reasons.insert(place, line);
    }
}

fn at(decision: Decision, level: Level) -> Decision {
    Decision {
        level: Some(level),
        ..decision
    }
}

fn unmeasured(error: &Error, persons: &Persons) -> Error {
    let none: &[AttackMeasures] = &[];
    let why = match persons.attacks == none {
        true => "their scores cannot be joined and judged".to_owned(),
        false => error.message.clone(),
    };
    Error::input(
        format!(
            "by person nothing was decided, of {} people who are members and {} who are not: {why}",
            persons.members, persons.nonmembers
        ),
        "give more people of both kinds, each in or out as a whole; or leave the group out",
    )
}

#[cfg(test)]
mod tests {
    use attacks::scores::Scores;

    use super::*;
    use crate::persons::{Groups, Join, judge_persons};
    use crate::verdict::{Outcome, verdict};
    use crate::{Options, Truth, measure};

    /// So many people with as many records; each member's records lie higher by a little.
    fn world(each: usize, lift: f64) -> (Vec<(String, Scores)>, Truth, Groups) {
        let records = 80 * each;
        let person = |record: usize| record / each;
        let score = |record: usize| {
            let noise = (record * 7919 % 1009) as f64 / 1009.0;
            noise + if person(record) < 40 { lift } else { 0.0 }
        };
        let scores = (0..records).map(|record| Ok(score(record))).collect();
        let truth = Truth::new((0..records).map(|record| person(record) < 40)).unwrap();
        let groups = Groups::new("person", (0..records).map(|record| Some(person(record))));
        (vec![("x".to_owned(), scores)], truth, groups)
    }

    fn levels(each: usize, lift: f64) -> Levels {
        let (scores, truth, groups) = world(each, lift);
        let (options, gate) = (Options::default(), Gate::default());
        let persons = judge_persons(&scores, &truth, &groups, Join::Sum, &options);
        let measures = [measure("x", &scores[0].1, &truth, &options).unwrap()];
        let by_record = decide(&measures, &gate, Choice::Best);
        Levels::new(by_record, Some(&persons), &gate, Choice::Best)
    }

    #[test]
    fn what_persons_show_fails_though_records_do_not() {
        let found = levels(25, 0.1);
        let mut said = verdict(found.deciding, None, &[], false);
        said.tell_level(found.beside.as_ref());
        assert_eq!(said.outcome, Outcome::Fail);
        assert_eq!(said.gate.as_ref().unwrap().level, Some(Level::Person));
        assert!(
            said.reasons[0].starts_with("by person, AUC of x"),
            "{:?}",
            said.reasons
        );
        assert!(
            said.reasons[1].starts_with("by record, AUC of x"),
            "{:?}",
            said.reasons
        );
        assert!(said.reasons[1].contains("below the threshold"));
    }

    #[test]
    fn people_decide_where_neither_fails_and_records_may_fail_alone() {
        let quiet = levels(5, 0.0);
        assert_eq!(quiet.deciding.unwrap().level, Some(Level::Person));
        assert_eq!(quiet.beside.unwrap().level, Some(Level::Record));
        let (gate, choice) = (Gate::default(), Choice::Best);
        let (scores, truth, groups) = world(5, 0.5);
        let options = Options::default();
        let measures = [measure("x", &scores[0].1, &truth, &options).unwrap()];
        let nobody = Persons {
            attacks: Vec::new(),
            ..judge_persons(&scores, &truth, &groups, Join::Sum, &options)
        };
        let by_record = decide(&measures, &gate, choice);
        let alone = Levels::new(by_record, Some(&nobody), &gate, choice);
        assert_eq!(alone.deciding.unwrap().level, Some(Level::Record));
        let (scores, truth, _) = world(5, 0.0);
        let measures = [measure("x", &scores[0].1, &truth, &options).unwrap()];
        let undecided = Levels::new(
            decide(&measures, &gate, choice),
            Some(&nobody),
            &gate,
            choice,
        );
        let error = undecided.deciding.unwrap_err();
        assert!(
            error.message.starts_with("by person nothing was decided"),
            "{error}"
        );
    }
}
