//! A few questions that are asked twice, to see whether the service says the same.

use attacks::signals::probes::Arm;
use collect::rag::Outcome;
use judge::probes::Repeats;

use super::Subject;
use super::asking::{Heard, Rounds, answer};
use super::spent::Spent;
use crate::Error;
use crate::retrieval::repeats::repeated;

/// A question with retrieval that was asked a second time.
pub struct Again {
    pub subject: usize,
    pub row: usize,
    pub outcome: Outcome,
}

impl Rounds<'_> {
    /// Asks a few of the answered questions a second time, from all over the texts.
    pub fn repeat(&self, heard: &[Heard], spent: &mut Spent) -> Result<Vec<Again>, Error> {
        let answered: Vec<(usize, usize)> = heard
            .iter()
            .enumerate()
            .flat_map(|(place, heard)| heard.answered_rows().map(move |row| (place, row)))
            .collect();
        let count = self.checked.config.source.repeats.min(answered.len());
        if count == 0 {
            return Ok(Vec::new());
        }
        self.follow.phase("a few again", count);
        let chosen = (0..count).map(|one| answered[one * answered.len() / count]);
        let chosen: Vec<(usize, usize)> = chosen.collect();
        let query = |&(place, row): &(usize, usize)| self.subjects[place].query(row);
        let queries = chosen.iter().map(query).collect();
        let outcomes = self.ask_arm(Arm::Retrieval, queries, 1, spent)?;
        let again = chosen.into_iter().zip(outcomes);
        Ok(again
            .map(|((subject, row), outcome)| Again {
                subject,
                row,
                outcome,
            })
            .collect())
    }
}

/// How many got other words the second time; nothing where none was answered twice.
pub fn repeats(again: &[Again], subjects: &[Subject], heard: &[Heard]) -> Option<Repeats> {
    let both = again.iter().filter_map(|again| {
        let first = answer(&heard[again.subject].with[again.row])?;
        let second = answer(&again.outcome)?;
        Some((subjects[again.subject].query(again.row), first, second))
    });
    let both: Vec<(String, &str, &str)> = both.collect();
    let times = both
        .iter()
        .flat_map(|(query, first, second)| [(query, 0, *first), (query, 1, *second)]);
    repeated(times.map(|(query, time, answer)| (query.as_str(), time, answer)))
}
