//! The first question of each kind goes alone: what is wrong with a target shows before much is
//! spent.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use super::ledger::Ledger;
use super::work::{Open, Work};
use super::{Attempt, FailureKind, Fault, FaultKind, Respondent, RetryPolicy, Trial};
use crate::store::Key;

/// Nobody waits long to hear that a service does not answer as it should.
pub(super) const TRIAL_RETRIES: usize = 2;
/// Questions that may fail by themselves before the service is blamed.
const TRIALS: usize = 3;

impl<R: Respondent> Work<'_, R> {
    /// Tries every kind, and takes what was asked out of what is left.
    pub async fn try_each(
        &self,
        rest: &mut Open,
        ledger: &Ledger,
        policy: &RetryPolicy<'_>,
    ) -> Attempt<()> {
        let turns = rest.iter().filter_map(|open| Some(self.trial(open)?.turn));
        for turn in turns.collect::<BTreeSet<u8>>() {
            self.try_one(turn, rest, ledger, policy).await?;
        }
        Ok(())
    }

    async fn try_one(
        &self,
        turn: u8,
        rest: &mut Open,
        ledger: &Ledger,
        policy: &RetryPolicy<'_>,
    ) -> Attempt<()> {
        let now = |open: &(Key, usize)| self.trial(open).is_some_and(|trial| trial.turn == turn);
        for number in 1..=TRIALS {
            let Some(first) = rest.iter().position(now) else {
                return Ok(());
            };
            let open = rest.remove(first);
            let fault = match self.ask_one(open, ledger, policy).await {
                Ok(()) => return Ok(()),
                Err(fault) if fault.kind == FaultKind::Spent => return Ok(()),
                Err(fault) => fault,
            };
            let last = number == TRIALS || !rest.iter().any(now);
            if let Some(trial) = self.trial(&open)
                && (is_fatal(&fault) || (!proven(&trial) && (is_hopeless(&fault) || last)))
            {
                return Err(fault.map_error(|error| error.within(trial.failed)));
            }
            self.settle_fault(&open.0, &fault, ledger).await?;
        }
        Ok(())
    }

    fn trial(&self, (_, place): &(Key, usize)) -> Option<Trial<'_>> {
        self.campaign.respondent.trial(&self.questions[*place])
    }
}

/// Whether this kind was answered before, in these questions or in earlier ones.
fn proven(trial: &Trial) -> bool {
    trial.answered.load(Ordering::Relaxed)
}

/// Failures that are no question's fault and that no other question would mend.
fn is_fatal(fault: &Fault) -> bool {
    let elsewhere = |status: u16| matches!(status, 0 | 300..=399 | 401 | 403 | 404 | 405);
    match fault.failure() {
        None | Some(FailureKind::Connection) => true,
        Some(FailureKind::Refused(status)) => elsewhere(status),
        Some(_) => false,
    }
}

/// The answer came but is not what the target says, or nothing came in all the time it had: other
/// questions would only cost as much again.
fn is_hopeless(fault: &Fault) -> bool {
    use FailureKind::{NotJson, Schema, Timeout};
    matches!(fault.failure(), Some(Schema | NotJson | Timeout))
}
