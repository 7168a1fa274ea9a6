//! The first question of each arm goes alone: what is wrong with a target shows before much is
//! spent.

use std::sync::atomic::Ordering;

use attacks::signals::probes::Arm;

use super::asking::{Open, Work, worth_keeping};
use super::ledger::Ledger;
use crate::http::fault::{Fault, FaultKind};
use crate::http::patience::Patience;
use crate::store::Key;

/// Nobody waits long to hear that a service does not answer as it should.
pub(super) const TRIAL_RETRIES: usize = 2;
/// Questions that may fail by themselves before the service is blamed.
const TRIALS: usize = 3;

impl Work<'_> {
    /// Asks the first question of an arm, and takes it out of what is left.
    pub async fn try_arm(
        &self,
        arm: Arm,
        rest: &mut Open,
        ledger: &Ledger,
        patience: &Patience<'_>,
    ) -> std::result::Result<(), Fault> {
        let of_arm = |&(_, place): &(Key, usize)| self.asks[place].arm == arm;
        for trial in 1..=TRIALS {
            let Some(first) = rest.iter().position(of_arm) else {
                return Ok(());
            };
            let (key, place) = rest.remove(first);
            let mut fault = match self.ask_one(&key, place, ledger, patience).await {
                Ok(()) => return Ok(()),
                Err(fault) if fault.kind == FaultKind::Spent => return Ok(()),
                Err(fault) => fault,
            };
            let last = trial == TRIALS || !rest.iter().any(of_arm);
            if fatal(&fault) || (!self.proven(arm) && (hopeless(&fault) || last)) {
                fault.error.message = format!("{}: {}", trial_words(arm), fault.error.message);
                return Err(fault);
            }
            self.settle_fault(&key, &fault);
        }
        Ok(())
    }

    /// Whether this arm has answered before, to these questions or to earlier ones.
    fn proven(&self, arm: Arm) -> bool {
        self.service.has_answered(arm).load(Ordering::Relaxed)
    }
}

/// Failures that are no question's fault and that no other question would mend.
fn fatal(fault: &Fault) -> bool {
    let elsewhere = |status: u16| matches!(status, 300..=399 | 401 | 403 | 404 | 405);
    match fault.kind {
        FaultKind::Connection => true,
        FaultKind::Refused => fault.status.is_none_or(elsewhere),
        kind => !kind.of_service(),
    }
}

/// The answer came but is not what the target says, or nothing came in all the time it had: other
/// questions would only cost as much again.
fn hopeless(fault: &Fault) -> bool {
    worth_keeping(fault.kind) || fault.kind == FaultKind::Timeout
}

fn trial_words(arm: Arm) -> &'static str {
    match arm {
        Arm::Retrieval => "the first question failed",
        Arm::NoRetrieval => "the first question without retrieval failed",
    }
}
