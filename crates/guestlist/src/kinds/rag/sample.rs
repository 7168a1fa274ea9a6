//! Which documents were asked about completely before a budget was spent or the service was given up.
//! They come in an order drawn by lot, so that they are a random sample, and are judged as one.

use std::collections::HashSet;

use asking::rag::Outcome;
use judge::measure::Auc;

use super::Plan;
use super::attack::tells;
use super::order::asking_order;
use super::questions::Question;
use crate::Error;
use stats::streams::Seed;

pub struct Sample {
    /// By document.
    complete: Vec<bool>,
    pub asked: usize,
    /// How well being left out tells members apart, among documents that had their turn; nothing where
    /// none of these was left out.
    pub tells: Option<Auc>,
}

impl Sample {
    /// `unfinished`: documents that are left out whatever was asked about them, because how much depended on
    /// their answers.
    pub fn new(
        plan: &Plan,
        questions: &[Question],
        replies: &[Outcome],
        unfinished: &HashSet<usize>,
    ) -> Self {
        let all = 0..plan.documents.len();
        let mut complete: Vec<bool> = all.map(|place| !unfinished.contains(&place)).collect();
        for (question, outcome) in questions.iter().zip(replies) {
            let open = question.repeat == 0 && matches!(outcome, Outcome::NotAsked);
            // Controls stand behind the documents.
            if open && let Some(complete) = complete.get_mut(question.document) {
                *complete = false;
            }
        }
        let order = asking_order(&plan.documents, Seed(plan.config.seed));
        let last = order.iter().rposition(|place| complete[*place]);
        let turns = &order[..last.map_or(0, |last| last + 1)];
        let left_out = |place: &usize| f64::from(u8::from(!complete[*place]));
        let tells = match turns.iter().all(|place| complete[*place]) {
            true => None,
            false => tells(
                turns
                    .iter()
                    .map(|place| (Some(left_out(place)), plan.documents[*place].member)),
            ),
        };
        Self {
            asked: complete.iter().filter(|complete| **complete).count(),
            complete,
            tells,
        }
    }

    pub fn is_all(&self) -> bool {
        self.asked == self.complete.len()
    }

    /// Whether a document, or a control behind them, is judged.
    pub fn holds(&self, document: usize) -> bool {
        self.complete.get(document).copied().unwrap_or(true)
    }

    /// Only what belongs to documents of the sample, in their order.
    pub fn of<T>(&self, values: Vec<T>) -> Vec<T> {
        let values = values.into_iter().zip(&self.complete);
        values
            .filter_map(|(value, complete)| complete.then_some(value))
            .collect()
    }

    /// A sample without members, or without others, shows nothing.
    pub fn check(&self, plan: &Plan, why: &str) -> Result<(), Error> {
        for (set, name) in [(true, "member"), (false, "non-member")] {
            let of_set = |listed: &formats::texts::LabelledDocument| listed.member == Some(set);
            let mut judged = plan.documents.iter().zip(&self.complete);
            let there = plan.documents.iter().any(of_set);
            if there && !judged.any(|(listed, complete)| *complete && of_set(listed)) {
                return Err(Error::usage(
                    format!("{why} before all questions about a single {name} were asked"),
                    remedy(why),
                ));
            }
        }
        Ok(())
    }
}

/// What helps against too small a sample depends on what ended it.
fn remedy(why: &str) -> &'static str {
    if why.contains("service") {
        return "what came is kept: look after the service (`guestlist probe` shows one question and its \
                answer) and run again to go on";
    }
    if why.contains("stored") {
        return "run again without --replay to have the rest asked";
    }
    "what came is kept: run again with a larger budget, or name fewer attacks; \
     `guestlist plan --max-requests N` proposes what N requests can show"
}

#[cfg(test)]
mod tests {
    use super::remedy;

    #[test]
    fn the_remedy_is_for_what_ended_the_run() {
        assert!(
            remedy("the service no longer answered, and that").contains("look after the service")
        );
        assert!(remedy("no further answers stored, and that").contains("--replay"));
        assert!(remedy("budget spent, and that").contains("larger budget"));
    }
}
