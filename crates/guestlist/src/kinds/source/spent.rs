//! What the asking took, over all rounds.

use asking::rag::Tally;
use report::rag::Requests;

/// Tallies of several rounds together.
#[derive(Clone, Debug, Default)]
pub struct Spent {
    questions: usize,
    total: Tally,
}

impl Spent {
    pub fn add(&mut self, questions: usize, tally: &Tally) {
        self.questions += questions;
        let total = &mut self.total;
        total.sent += tally.sent;
        total.retried += tally.retried;
        total.answered += tally.answered;
        total.from_store += tally.from_store;
        total.not_asked += tally.not_asked;
        total.tokens_in += tally.tokens_in;
        total.tokens_out += tally.tokens_out;
        total.tokens_estimated += tally.tokens_estimated;
        total.seconds += tally.seconds;
        for (kind, count) in &tally.failed {
            *total.failed.entry(*kind).or_default() += count;
        }
        for (kind, count) in &tally.faults {
            *total.faults.entry(*kind).or_default() += count;
        }
    }

    pub fn questions(&self) -> usize {
        self.questions
    }

    pub fn requests(&self) -> Requests {
        let total = &self.total;
        let named = |counts: &std::collections::BTreeMap<asking::rag::FailureKind, u64>| {
            counts
                .iter()
                .map(|(kind, count)| (kind.to_string(), *count as usize))
                .collect()
        };
        Requests {
            documents: None,
            questions: self.questions,
            answered: (total.answered + total.from_store) as usize,
            from_store: total.from_store as usize,
            sent: total.sent,
            retried: total.retried,
            not_asked: total.not_asked as usize,
            failed: named(&total.failed),
            faults: named(&total.faults),
            tokens_in: total.tokens_in,
            tokens_out: total.tokens_out,
            tokens_estimated: total.tokens_estimated > 0,
            days: None,
            spared: 0,
        }
    }
}
