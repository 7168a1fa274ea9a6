//! The first question of each kind goes alone: what is wrong with a target shows before much is
//! spent.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use super::ledger::Ledger;
use super::work::{Aside, Open, ToAsk, Work};
use super::{Attempt, FailureKind, Fault, FaultKind, Respondent, RetryPolicy, Trial};
use crate::store::Key;

/// Nobody waits long to hear that a service does not answer as it should.
pub(super) const TRIAL_RETRIES: usize = 2;
/// Questions that may fail by themselves before the service is blamed.
const TRIALS: usize = 3;

impl<R: Respondent> Work<'_, R> {
    /// Tries every kind, and takes what was asked out of what is left: what is to be tried again, once all others
    /// were asked, comes back.
    pub async fn try_each(
        &self,
        rest: &mut Open,
        ledger: &Ledger,
        policy: &RetryPolicy<'_>,
    ) -> Attempt<Aside> {
        let turns = rest.iter().filter_map(|open| Some(self.trial(open)?.turn));
        let mut aside = Aside::new();
        for turn in turns.collect::<BTreeSet<u8>>() {
            aside.extend(self.try_one(turn, rest, ledger, policy).await?);
        }
        Ok(aside)
    }

    async fn try_one(
        &self,
        turn: u8,
        rest: &mut Open,
        ledger: &Ledger,
        policy: &RetryPolicy<'_>,
    ) -> Attempt<Option<(ToAsk, Fault)>> {
        let now = |open: &(Key, usize)| self.trial(open).is_some_and(|trial| trial.turn == turn);
        for number in 1..=TRIALS {
            let Some(place) = chosen(number, rest.iter().map(now)) else {
                return Ok(None);
            };
            let open = rest.remove(place);
            let trusted = self.trial(&open).is_some_and(|trial| proven(&trial));
            let policy = match trusted {
                true => &RetryPolicy {
                    retries: 0,
                    ..*policy
                },
                false => policy,
            };
            let fault = match self.ask_one(open, ledger, policy).await {
                Ok(()) => return Ok(None),
                Err(fault) if fault.kind == FaultKind::Spent => return Ok(None),
                Err(fault) => fault,
            };
            if trusted && self.is_one_questions(&open, &fault, ledger).await? {
                if fault.passing {
                    let aside = Fault {
                        aside: true,
                        ..fault
                    };
                    return Ok(Some((open, aside)));
                }
                self.settle_fault(&open.0, &fault, ledger).await?;
                return Ok(None);
            }
            let last = number == TRIALS || !rest.iter().any(now);
            if let Some(trial) = self.trial(&open)
                && (is_fatal(&fault) || (!proven(&trial) && (is_hopeless(&fault) || last)))
            {
                return Err(fault.map_error(|error| error.within(trial.failed)));
            }
            self.settle_fault(&open.0, &fault, ledger).await?;
        }
        Ok(None)
    }

    /// Whether a kind that was answered before is answered still, so that what failed fails by itself. Who is wrong
    /// about all is asked what was answered before.
    async fn is_one_questions(
        &self,
        (_, place): &(Key, usize),
        fault: &Fault,
        ledger: &Ledger,
    ) -> Attempt<bool> {
        match fault.failure() {
            None => Ok(false),
            Some(_) if !is_fatal(fault) => Ok(true),
            Some(_) => match self.ask_known(&self.questions[*place], ledger).await {
                // Nothing is left to find out with.
                Some(Err(spent)) if spent.kind == FaultKind::Spent => Ok(true),
                Some(known) => Ok(known?.is_ok()),
                None => Ok(false),
            },
        }
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

/// The first of those that may be tried, then the last, then one in the middle: what stands together is about one
/// thing, at which a service may fail that answers everything else.
fn chosen(number: usize, may: impl Iterator<Item = bool>) -> Option<usize> {
    let places: Vec<usize> = may
        .enumerate()
        .filter_map(|(place, may)| may.then_some(place))
        .collect();
    match number {
        1 => places.first().copied(),
        2 => places.last().copied(),
        _ => places.get(places.len() / 2).copied(),
    }
}
