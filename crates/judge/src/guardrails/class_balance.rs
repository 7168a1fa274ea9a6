//! Are there enough records of both kinds, in about equal number?

use super::{Evidence, Status, percent};

const FEWEST: usize = 10;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let (members, nonmembers) = (evidence.members, evidence.nonmembers);
    let total = members + nonmembers;
    let share = members as f64 / total as f64;
    let counts = format!("{members} members and {nonmembers} non-members");
    // Who has records of both kinds counts with both: by record they speak, and by person a guardrail of
    // its own keeps them from passing.
    let people = evidence.persons.map(|persons| {
        let mixed = persons.mixed;
        (persons.members + mixed, persons.nonmembers + mixed)
    });
    if let Some((inside, outside)) = people.filter(|(a, b)| *a.min(b) < FEWEST) {
        let detail = format!(
            "people with members among their records: {inside}, with non-members: {outside}; fewer than \
             {FEWEST} of a kind decide nothing; add people"
        );
        return Some((Status::Violated, detail));
    }
    Some(if members.min(nonmembers) < FEWEST {
        let needed = format!("{counts}: fewer than {FEWEST} of a kind decide nothing; add records");
        (Status::Violated, needed)
    } else if !(0.4..=0.6).contains(&share) {
        let detail = format!(
            "{counts} ({} members): accuracy and precision depend on this share; AUC and TPR at \
             FPR do not",
            percent(members as f64, total as f64)
        );
        (Status::Warn, detail)
    } else {
        (Status::Ok, counts)
    })
}
