//! Copies of a record say what the record says: where there are many, one of each is judged, so that
//! intervals and verdict count what is different and not how often it was written down.

use attacks::signals::shadow::ShadowSignals;
use formats::data::Units;
use formats::shadow::ShadowTable;
use judge::Truth;
use judge::guardrails::DuplicateFacts;

use super::copies;

/// Above this share of records with a copy, one of each is judged.
const MANY: f64 = 0.02;

/// What is known of copies.
pub struct Copies {
    pub facts: DuplicateFacts,
    /// The rows that are judged, where not all are.
    pub judged: Option<Vec<usize>>,
}

impl Copies {
    /// The same where none is left out.
    pub fn all_judged(self) -> Self {
        Copies {
            facts: DuplicateFacts {
                counted_once: false,
                ..self.facts
            },
            judged: None,
        }
    }
}

/// Which records are the same: by the records' data where these are known, else by the outputs.
pub fn units(signals: &ShadowSignals, table: &ShadowTable) -> Option<Units> {
    table.units.clone().or_else(|| copies::units(signals))
}

pub fn copies(units: &Units, table: &ShadowTable, truth: &Truth) -> Copies {
    let by_outputs = table.units.is_none();
    let records = truth.known();
    let records = records.map(|(record, member)| (units.unit(record), member));
    let facts = DuplicateFacts::new(records);
    let many = facts.repeated as f64 > MANY * facts.records as f64;
    let judged = many.then(|| firsts(units, truth));
    Copies {
        facts: DuplicateFacts {
            by_outputs,
            counted_once: judged.is_some(),
            ..facts
        },
        judged,
    }
}

/// The first record of every unit, on either side of the truth.
fn firsts(units: &Units, truth: &Truth) -> Vec<usize> {
    let mut seen = vec![[false; 2]; units.count()];
    let first = |(record, member): (usize, bool)| {
        let seen = &mut seen[units.unit(record)][usize::from(member)];
        (!std::mem::replace(seen, true)).then_some(record)
    };
    truth.known().filter_map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_record_of_every_unit_and_side_is_kept() {
        let units = Units::by_key([0, 0, 1, 1, 2, 2]);
        let truth = Truth::new([true, true, true, false, false, false]).unwrap();
        assert_eq!(firsts(&units, &truth), [0, 2, 3, 4]);
    }
}
