//! Were people in or out as a whole?
//!
//! Somebody with members and non-members among the records was in the training set, and yet counts as
//! a non-member for a part. What the model knows of such people makes their non-members look like
//! members, and there is no truth by person to judge.

use super::{Evidence, Status};

/// One of so many people with several records may have both kinds.
const MOST_MIXED: usize = 10;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let persons = evidence.persons?;
    let (group, mixed, several) = (&persons.group, persons.mixed, persons.several);
    let people = persons.members + persons.nonmembers + mixed;
    if several == 0 {
        let detail = format!(
            "{group} names {people} people with one record each: by person is the same as by record; name \
             what the records of one person share"
        );
        return Some((Status::Warn, detail));
    }
    if mixed == 0 {
        let detail = format!(
            "{people} people, {several} of them with several records, are in or out as a whole"
        );
        return Some((Status::Ok, detail));
    }
    let found = format!(
        "{mixed} of {several} people with several records have members and non-members among them, so \
         that they are neither in nor out and are left out by person"
    );
    // Who was drawn by person and got a few records elsewhere is a slip; more is another way of drawing.
    Some(match mixed * MOST_MIXED > several {
        true => {
            let detail = format!(
                "{found}: the sets were not drawn by person, and a leak by person cannot be seen; draw \
                 people as a whole (data.group of a classifier does), or leave {group} out to judge \
                 records alone"
            );
            (Status::Violated, detail)
        }
        false => {
            let detail = format!(
                "{found}; their non-members are known to the model and make a leak look smaller: move \
                 each person's records to one side"
            );
            (Status::Warn, detail)
        }
    })
}
