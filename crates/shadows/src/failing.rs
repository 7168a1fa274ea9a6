//! The first models of a run: where they all fail of one cause, the others would too.

use crate::executor::Failure;

/// Fewer failures than this are no pattern.
const FEWEST: usize = 2;

/// What became of the models that ended so far.
#[derive(Debug, Default)]
pub struct FirstModels {
    /// What the failed ones died of; nothing once one was trained, or where causes differ.
    cause: Option<(String, String)>,
    failed: usize,
    trained: usize,
}

impl FirstModels {
    pub fn finished(&mut self) {
        self.trained += 1;
    }

    pub fn failed(&mut self, failure: &Failure) {
        let (error, last_words) = failure.cause();
        let cause = (error.to_owned(), last_words.to_owned());
        let alike = self.failed == 0 || self.cause.as_ref() == Some(&cause);
        self.cause = alike.then_some(cause);
        self.failed += 1;
    }

    /// Whether the others would end alike: none was trained, and as many as are trained at once, two
    /// at the least, failed of the same cause.
    pub fn all_fail_alike(&self, at_once: usize) -> bool {
        let enough = self.failed >= at_once.max(FEWEST);
        self.trained == 0 && enough && self.cause.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{Error, ErrorKind};

    fn failure(model: usize, error: &str, last: &str) -> Failure {
        let tail = format!("--- model {model}, attempt 2\n{last}");
        failed_of(model, error, &[tail])
    }

    fn failed_of(model: usize, error: &str, tails: &[String]) -> Failure {
        let error = Error::new(ErrorKind::Training, error);
        Failure::new(model, &error, PathBuf::new(), tails)
    }

    /// A node's own log comes late, or not at all, where it is busy.
    #[test]
    fn what_a_node_says_parts_no_causes() {
        let own = |model| format!("--- model {model}\nImportError: torch");
        let mut first = FirstModels::default();
        first.failed(&failed_of(0, "exit code 2", &[own(0)]));
        let with_node = [own(1), "error: the training program ended".to_owned()];
        first.failed(&failed_of(1, "exit code 2", &with_node));
        assert!(first.all_fail_alike(2));
        // Where the program left no word, its node's count.
        let mut first = FirstModels::default();
        for (model, node) in [(0, "no such image"), (1, "no memory")] {
            first.failed(&failed_of(
                model,
                "exit code 2",
                &[String::new(), node.to_owned()],
            ));
        }
        assert!(!first.all_fail_alike(2));
    }

    #[test]
    fn failures_of_one_cause_end_the_run_when_every_worker_had_one() {
        let mut first = FirstModels::default();
        for model in 0..3 {
            assert!(!first.all_fail_alike(3));
            first.failed(&failure(model, "exit status: 1", "ImportError: torch"));
        }
        assert!(first.all_fail_alike(3) && first.all_fail_alike(1));
        assert!(!first.all_fail_alike(4));
    }

    #[test]
    fn a_single_failure_is_no_pattern() {
        let mut first = FirstModels::default();
        first.failed(&failure(0, "exit status: 1", "ImportError: torch"));
        assert!(!first.all_fail_alike(1));
    }

    #[test]
    fn other_causes_and_a_trained_model_let_it_go_on() {
        let mut first = FirstModels::default();
        first.failed(&failure(0, "exit status: 1", "ImportError: torch"));
        first.failed(&failure(1, "exit status: 1", "out of memory"));
        first.failed(&failure(2, "exit status: 1", "out of memory"));
        assert!(!first.all_fail_alike(1));
        let mut first = FirstModels::default();
        first.finished();
        first.failed(&failure(2, "exit status: 1", "ImportError: torch"));
        first.failed(&failure(3, "exit status: 1", "ImportError: torch"));
        assert!(!first.all_fail_alike(1));
    }
}
