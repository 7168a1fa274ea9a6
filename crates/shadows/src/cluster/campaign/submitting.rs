//! What is due is submitted.

use super::submission::Submission;
use super::{Campaign, count};
use crate::Result;
use crate::cluster::Refusal;

impl Campaign<'_> {
    /// Submits what is due; what the cluster cannot take now stays due.
    pub(super) fn submit(&mut self) -> Result<()> {
        let due: Vec<usize> = self.due.difference(&self.held).copied().collect();
        let portions = self.cluster.portions(&due, self.load());
        if !portions.is_empty() {
            // A node would find out too, but only after waiting its turn.
            (self.is_same)()?;
        }
        let (mut models, mut jobs) = (0, Vec::new());
        let mut outcome = Ok(());
        for portion in portions {
            match self.cluster.submit(&portion) {
                Ok(job) => {
                    models += portion.len();
                    self.sent(&portion, &job);
                    jobs.push(job);
                }
                Err(refusal) => {
                    outcome = self.refused(refusal);
                    break;
                }
            }
        }
        if models > 0 {
            self.progress.note(&format!(
                "{} submitted to {}{}",
                count(models, "is", "are"),
                self.cluster.system(),
                self.cluster.submitted_as(&jobs)
            ));
        }
        outcome
    }

    fn sent(&mut self, models: &[usize], job: &str) {
        for &model in models {
            *self.attempts.entry(model).or_default() += 1;
            self.due.remove(&model);
            let log = self.cluster.log(model);
            self.out
                .insert(model, Submission::new(job.to_owned(), &log));
        }
    }

    fn refused(&mut self, refusal: Refusal) -> Result<()> {
        if self.progress.cancelled() {
            return Err(self.interrupted());
        }
        if refusal.passing {
            self.lament(&refusal.error);
            return Ok(());
        }
        let table = self.cluster.system().to_lowercase();
        let hint = format!("check [{table}] in the configuration");
        let error = *refusal.error;
        Err(match error.hint {
            Some(_) => error,
            None => error.hint(hint),
        })
    }
}
