//! A few questions that are asked twice, to see whether the service says the same.

use asking::rag::Outcome;
use attacks::signals::probes::Arm;
use base::Unit;
use judge::rag::Repeats;

use super::PerturbedText;
use super::rounds::{AskedText, Rounds, answer};
use super::services::Question;
use super::spent::Spent;
use crate::Error;
use crate::kinds::rag::repeats::repeated;

/// A question with retrieval that was asked a second time.
pub struct Again {
    pub subject: usize,
    pub row: usize,
    pub outcome: Outcome,
}

impl Rounds<'_> {
    /// Asks a few of the answered questions a second time.
    pub fn repeat(&self, heard: &[AskedText], spent: &mut Spent) -> Result<Vec<Again>, Error> {
        let chosen = chosen(heard, self.basis.settings.repeats);
        if chosen.is_empty() {
            return Ok(Vec::new());
        }
        self.progress
            .phase("a few again", chosen.len(), Unit::Questions);
        let question = |&(subject, row): &(usize, usize)| Question {
            subject,
            row: Some(row),
        };
        let questions: Vec<Question> = chosen.iter().map(question).collect();
        let outcomes = self.ask_arm(Arm::Retrieval, &questions, 1, spent)?;
        let again = |((subject, row), outcome)| Again {
            subject,
            row,
            outcome,
        };
        Ok(chosen.into_iter().zip(outcomes).map(again).collect())
    }
}

/// So many of the answered questions, from all over the texts: text and row of each.
fn chosen(heard: &[AskedText], wanted: usize) -> Vec<(usize, usize)> {
    let answered: Vec<(usize, usize)> = heard
        .iter()
        .enumerate()
        .flat_map(|(subject, heard)| heard.answered_rows().map(move |row| (subject, row)))
        .collect();
    let count = wanted.min(answered.len());
    (0..count)
        .map(|one| answered[one * answered.len() / count])
        .collect()
}

/// How many got other words the second time; nothing where none was answered twice.
pub fn repeats(
    again: &[Again],
    subjects: &[PerturbedText],
    heard: &[AskedText],
) -> Option<Repeats> {
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
