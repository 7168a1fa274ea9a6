//! Are copies of a record members and non-members at once?
//!
//! A copy of a member that counts as a non-member is known to the model all the same. The more of
//! them there are, the closer every attack comes to one half.

use serde::{Deserialize, Serialize};

use super::{Evidence, Status, percent};

/// Beyond this share of the records, copies on both sides hide what a gate asks about.
pub(super) const MOST_DIVIDED: f64 = 0.02;
/// Copies on one side narrow intervals noticeably beyond this share.
const MANY_COPIES: f64 = 0.01;

/// What is known of records that are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DuplicateFacts {
    pub records: usize,
    /// How many different ones there are.
    pub different: usize,
    /// Records that have a copy, and those of them that have one on the other side of the truth.
    pub repeated: usize,
    pub divided: usize,
    /// They were told by what models answer, because nobody had the data.
    pub by_outputs: bool,
    /// One of each was judged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counted_once: bool,
}

impl DuplicateFacts {
    /// Of each record the number of its unit, which copies share, and whether it is a member.
    pub fn new(records: impl IntoIterator<Item = (usize, bool)>) -> Self {
        let mut units: Vec<[usize; 2]> = Vec::new();
        for (unit, member) in records {
            if units.len() <= unit {
                units.resize(unit + 1, [0; 2]);
            }
            units[unit][usize::from(member)] += 1;
        }
        let sum = |of: fn(&[usize; 2]) -> bool| {
            let chosen = units.iter().filter(|sides| of(sides));
            chosen.map(|[out, inside]| out + inside).sum()
        };
        Self {
            records: sum(|_| true),
            different: units.iter().filter(|sides| **sides != [0, 0]).count(),
            repeated: sum(|sides| sides[0] + sides[1] > 1),
            divided: sum(|sides| sides[0] > 0 && sides[1] > 0),
            by_outputs: false,
            counted_once: false,
        }
    }

    fn copies(&self) -> &'static str {
        match self.by_outputs {
            true => "have the same outputs as another under every model, to the last bit or nearly",
            false => "are exact copies of another",
        }
    }
}

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.duplicates?;
    let share = |part: usize| part as f64 / facts.records as f64;
    if facts.repeated == 0 {
        return Some((Status::Ok, "no record is a copy of another".to_owned()));
    }
    if facts.divided > 0 {
        let status = match share(facts.divided) > MOST_DIVIDED {
            true => Status::Violated,
            false => Status::Warn,
        };
        return Some((status, divided(facts)));
    }
    let status = match share(facts.repeated) > MANY_COPIES {
        true => Status::Warn,
        false => Status::Ok,
    };
    Some((status, one_sided(facts)))
}

fn divided(facts: &DuplicateFacts) -> String {
    let remedy = match facts.by_outputs {
        true => "keep one of each, or train again with all copies of a record in a model or none",
        false => "keep one of each, or set duplicates = \"together\" under [data]",
    };
    format!(
        "{} of {} records ({}) {}, and are members and non-members at once: the model knows such \
         non-members, and a leak looks smaller than it is; {remedy}",
        facts.divided,
        facts.records,
        percent(facts.divided as f64, facts.records as f64),
        facts.copies(),
    )
}

fn one_sided(facts: &DuplicateFacts) -> String {
    let remedy = match facts.counted_once {
        true => "and one of each was judged",
        false => "so that intervals are too narrow: keep one of each",
    };
    format!(
        "{} of {} records {}, all of them on one side of the truth; only {} records are different, \
         {remedy}",
        facts.repeated,
        facts.records,
        facts.copies(),
        facts.different
    )
}
