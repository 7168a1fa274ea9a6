//! Stored answers, read ahead of the rounds that ask for them: many together take less time than a few after the
//! other, and not all are held at once.

use std::collections::VecDeque;

use asking::rag::{Ask, Asked, Outcome};
use asking::store::Store;

use super::probing::Probing;
use crate::Error;

/// Questions that are looked up together. A round of questions about a few documents spans far fewer.
const TOGETHER: usize = 1 << 12;

pub struct Ahead<'a> {
    probing: &'a Probing<'a>,
    store: &'a Store,
    /// The place of the first answer that is held.
    first: usize,
    outcomes: VecDeque<Outcome>,
}

impl<'a> Ahead<'a> {
    pub fn new(probing: &'a Probing<'a>, store: &'a Store) -> Self {
        Self {
            probing,
            store,
            first: 0,
            outcomes: VecDeque::new(),
        }
    }

    /// The answers at these places, which rise and are asked for once.
    pub fn answers(&mut self, places: &[usize], asks: &[Ask]) -> Result<Asked, Error> {
        let (Some(&least), Some(&most)) = (places.first(), places.last()) else {
            return Ok(Asked::default());
        };
        if least < self.first || most - least > TOGETHER {
            return self.probing.stored_at(places, asks, self.store);
        }
        while self.first + self.outcomes.len() <= most {
            self.go_on(least)?;
        }
        let mut asked = Asked::default();
        for place in places {
            let outcome = std::mem::take(&mut self.outcomes[place - self.first]);
            asked.tally.count(&outcome, true);
            asked.outcomes.push(outcome);
        }
        Ok(asked)
    }

    /// Lets go of what lies far behind, and reads what comes next.
    fn go_on(&mut self, least: usize) -> Result<(), Error> {
        let behind = least.saturating_sub(TOGETHER + self.first);
        let behind = behind.min(self.outcomes.len());
        self.outcomes.drain(..behind);
        self.first += behind;
        let next = self.first + self.outcomes.len();
        let end = self.probing.len().min(next + TOGETHER);
        let places: Vec<usize> = (next..end).collect();
        let questions = &self.probing.questions[next..end];
        let asks: Vec<Ask> = questions.iter().map(|question| question.ask()).collect();
        let found = self.probing.stored_at(&places, &asks, self.store)?;
        self.outcomes.extend(found.outcomes);
        Ok(())
    }
}
