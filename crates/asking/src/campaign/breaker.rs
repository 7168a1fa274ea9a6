//! A service that fails again and again is left alone for a while, then asked once, and given up
//! after several such rounds. Questions may fail by themselves, too: asked once means a question that
//! was answered before, where there is one.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base::Cancel;
use tokio::sync::Notify;

use super::{Attempt, Fault, FaultKind};
use crate::{Error, ErrorKind};

/// How often a service is left alone before it is given up.
const ROUNDS: u32 = 4;
/// A service that was seen to be well may fail this many times as often, as a power of two.
const MOST_TRUST: u32 = 2;

pub(crate) struct Breaker {
    /// So many failures in a row are no accident.
    most: usize,
    first_pause: Duration,
    state: Mutex<State>,
    /// Somebody has told how it went.
    told: Notify,
    /// The service is given up, for good.
    over: Cancel,
}

/// Whether one may ask.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Now; and how it went must be [told](Breaker::note).
    Ask,
    /// Not for so long.
    After(Duration),
    /// Not before somebody else has [told](Breaker::told) how it went.
    Trial,
}

#[derive(Default)]
struct State {
    failures: usize,
    rounds: u32,
    open: bool,
    /// While open: nothing is sent before.
    until: Option<Instant>,
    /// While open: somebody is asking, to see how the service fares.
    trying: bool,
    /// How often it was seen to be well since it last answered what it was asked.
    proofs: u32,
    last: String,
}

impl Breaker {
    pub fn new(most: usize, first_pause: Duration) -> Self {
        Self {
            most,
            first_pause,
            state: Mutex::default(),
            told: Notify::new(),
            over: Cancel::new(),
        }
    }

    pub fn turn(&self) -> Attempt<Turn> {
        let mut state = self.state();
        if self.over.requested() {
            return Err(given_up(&state.last));
        }
        if !state.open {
            return Ok(Turn::Ask);
        }
        let left = state
            .until
            .map(|until| until.saturating_duration_since(Instant::now()));
        match left.filter(|left| !left.is_zero()) {
            Some(left) => Ok(Turn::After(left)),
            None if state.trying => Ok(Turn::Trial),
            None => {
                state.trying = true;
                Ok(Turn::Ask)
            }
        }
    }

    /// Ready once the service is given up: nobody need wait for anything else.
    pub async fn given_up(&self) -> Fault {
        self.over.cancelled().await;
        given_up(&self.state().last)
    }

    /// Ready once somebody has told how it went.
    pub fn told(&self) -> impl Future<Output = ()> {
        self.told.notified()
    }

    /// Whether somebody is asking, to see how the service fares.
    pub fn is_trying(&self) -> bool {
        self.state().trying
    }

    /// Another question was answered: what fails, fails by itself.
    pub fn prove(&self) {
        let mut state = self.state();
        if !self.over.requested() {
            *state = State {
                proofs: state.proofs + 1,
                ..State::default()
            };
        }
        drop(state);
        self.told.notify_waiters();
    }

    pub fn note(&self, fault: Option<&Fault>) {
        self.count(fault);
        self.told.notify_waiters();
    }

    fn count(&self, fault: Option<&Fault>) {
        let mut state = self.state();
        if self.over.requested() {
            return;
        }
        let Some(fault) = fault else {
            *state = State::default();
            return;
        };
        let tried = std::mem::take(&mut state.trying);
        if fault.is_one_questions() && tried {
            // Somebody is there and answers.
            *state = State::default();
        }
        if fault.failure().is_none() || fault.is_one_questions() {
            return;
        }
        state.failures += 1;
        state.last.clone_from(&fault.error.message);
        let most = self.most << state.proofs.min(MOST_TRUST);
        if state.failures >= most && (tried || !state.open) {
            let seen_well = !state.open && state.proofs > 0;
            state.open = true;
            if seen_well {
                // Nobody need wait: it will be seen at once whether it still is.
                return;
            }
            state.rounds += 1;
            let pause = self.first_pause * 2_u32.pow(state.rounds.min(8) - 1);
            state.until = Some(Instant::now() + pause);
            if state.rounds > ROUNDS {
                self.over.request();
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn given_up(last: &str) -> Fault {
    let message = format!("the service no longer answers; its last failure: {last}");
    let error = Error::new(ErrorKind::Server, message)
        .hint("what came is kept: look after the service and run again to go on");
    Fault::lasting(FaultKind::GivenUp, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::FailureKind;

    fn fault(kind: FailureKind) -> Fault {
        Fault::new(kind, Error::new(ErrorKind::Server, "down"), true)
    }

    #[test]
    fn opens_tries_one_and_gives_up() {
        let breaker = Breaker::new(3, Duration::ZERO);
        for _ in 0..3 {
            assert_eq!(breaker.turn().unwrap(), Turn::Ask);
            breaker.note(Some(&fault(FailureKind::Timeout)));
        }
        for _ in 0..ROUNDS {
            assert_eq!(breaker.turn().unwrap(), Turn::Ask, "one may try");
            assert_eq!(breaker.turn().unwrap(), Turn::Trial, "another waits");
            breaker.note(Some(&fault(FailureKind::ServerError)));
        }
        let given_up = breaker.turn().unwrap_err();
        assert_eq!(given_up.kind, FaultKind::GivenUp);
        assert!(given_up.error.to_string().contains("down"));
    }

    #[test]
    fn one_success_closes_it() {
        let breaker = Breaker::new(2, Duration::ZERO);
        for _ in 0..5 {
            breaker.note(Some(&fault(FailureKind::Cut)));
            breaker.note(Some(&fault(FailureKind::Cut)));
            assert_eq!(breaker.turn().unwrap(), Turn::Ask);
            breaker.note(None);
            assert_eq!(breaker.turn().unwrap(), Turn::Ask);
            assert_eq!(breaker.turn().unwrap(), Turn::Ask);
        }
    }

    #[test]
    fn a_service_that_is_seen_to_be_well_is_never_given_up() {
        let breaker = Breaker::new(2, Duration::ZERO);
        let mut proofs = 0;
        for _ in 0..99 {
            assert_eq!(breaker.turn().unwrap(), Turn::Ask);
            if breaker.is_trying() {
                breaker.prove();
                proofs += 1;
            }
            breaker.note(Some(&fault(FailureKind::ServerError)));
        }
        // After 2, 4 and then every 8 failures.
        assert_eq!(proofs, 2 + (98 - 6) / 8);
        breaker.note(None);
        breaker.note(Some(&fault(FailureKind::ServerError)));
        breaker.note(Some(&fault(FailureKind::ServerError)));
        assert!(breaker.state().open, "trust ends with an answer");
    }

    #[test]
    fn questions_that_are_refused_do_not_speak_against_the_service() {
        let breaker = Breaker::new(2, Duration::ZERO);
        let refused = |status| fault(FailureKind::Refused(status));
        for _ in 0..9 {
            breaker.note(Some(&refused(413)));
        }
        assert!(!breaker.state().open);
        breaker.note(Some(&refused(401)));
        breaker.note(Some(&refused(401)));
        assert!(breaker.state().open);
        assert_eq!(breaker.turn().unwrap(), Turn::Ask);
        breaker.note(Some(&refused(422)));
        assert!(!breaker.state().open);
    }

    #[test]
    fn it_pauses_and_forgets_a_trial_that_was_never_sent() {
        let breaker = Breaker::new(1, Duration::from_secs(1000));
        breaker.note(Some(&fault(FailureKind::Connection)));
        let turn = breaker.turn().unwrap();
        assert!(matches!(turn, Turn::After(wait) if wait > Duration::from_secs(900)));
        let breaker = Breaker::new(1, Duration::ZERO);
        breaker.note(Some(&fault(FailureKind::Connection)));
        assert_eq!(breaker.turn().unwrap(), Turn::Ask);
        let spent = Error::new(ErrorKind::Setting, "spent");
        breaker.note(Some(&Fault::lasting(FaultKind::Spent, spent)));
        assert_eq!(breaker.turn().unwrap(), Turn::Ask);
    }
}
