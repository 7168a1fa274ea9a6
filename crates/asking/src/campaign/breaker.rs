//! A service that fails again and again is asked once more, left alone for a while, then asked once, and given
//! up after several such rounds. Questions may fail by themselves, too: asked once means a question that
//! was answered before, where there is one.

use std::sync::atomic::{AtomicBool, Ordering};
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
    /// It was seen to be well though questions fail, and nothing since speaks against it.
    well: AtomicBool,
}

/// Whether one may ask.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Now; and how it went must be [told](Breaker::note).
    Ask,
    /// The same, to see how the service fares.
    Try,
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
            well: AtomicBool::new(false),
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
                Ok(Turn::Try)
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

    /// Whether what fails seems to fail by itself.
    pub fn is_well(&self) -> bool {
        self.well.load(Ordering::Relaxed)
    }

    /// Another question was answered: what fails, fails by itself.
    pub fn prove(&self) {
        self.well.store(true, Ordering::Relaxed);
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

    /// `tried`: whether it was asked to see how the service fares. What was under way before says nothing of that.
    pub fn note(&self, fault: Option<&Fault>, tried: bool) {
        self.count(fault, tried);
        self.told.notify_waiters();
    }

    fn count(&self, fault: Option<&Fault>, tried: bool) {
        let mut state = self.state();
        if self.over.requested() {
            return;
        }
        let Some(fault) = fault else {
            *state = State::default();
            return;
        };
        let tried = tried && std::mem::take(&mut state.trying);
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
            if !std::mem::replace(&mut state.open, true) {
                // Nobody need wait: it will be seen at once whether the service or the questions are at fault.
                return;
            }
            self.well.store(false, Ordering::Relaxed);
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

    impl Breaker {
        /// Takes a turn, which must be this one, and tells how it went.
        fn goes(&self, turn: Turn, fault: Option<&Fault>) {
            let taken = self.turn().unwrap();
            assert_eq!(taken, turn);
            self.note(fault, taken == Turn::Try);
        }
    }

    #[test]
    fn opens_tries_one_and_gives_up() {
        let breaker = Breaker::new(3, Duration::ZERO);
        for _ in 0..3 {
            breaker.goes(Turn::Ask, Some(&fault(FailureKind::Timeout)));
        }
        for _ in 0..=ROUNDS {
            assert_eq!(breaker.turn().unwrap(), Turn::Try, "one may try");
            assert_eq!(breaker.turn().unwrap(), Turn::Trial, "another waits");
            breaker.note(Some(&fault(FailureKind::ServerError)), true);
        }
        let given_up = breaker.turn().unwrap_err();
        assert_eq!(given_up.kind, FaultKind::GivenUp);
        assert!(given_up.error.to_string().contains("down"));
    }

    #[test]
    fn one_success_closes_it() {
        let breaker = Breaker::new(2, Duration::ZERO);
        for _ in 0..5 {
            breaker.note(Some(&fault(FailureKind::Cut)), false);
            breaker.note(Some(&fault(FailureKind::Cut)), false);
            breaker.goes(Turn::Try, None);
            assert_eq!(breaker.turn().unwrap(), Turn::Ask);
            assert_eq!(breaker.turn().unwrap(), Turn::Ask);
        }
    }

    #[test]
    fn a_service_that_is_seen_to_be_well_is_never_given_up() {
        let breaker = Breaker::new(2, Duration::ZERO);
        let mut proofs = 0;
        for _ in 0..99 {
            let tried = breaker.turn().unwrap() == Turn::Try;
            if breaker.is_trying() {
                breaker.prove();
                proofs += 1;
            }
            breaker.note(Some(&fault(FailureKind::ServerError)), tried);
        }
        // After 2, 4 and then every 8 failures.
        assert_eq!(proofs, 2 + (98 - 6) / 8);
        breaker.note(None, false);
        breaker.note(Some(&fault(FailureKind::ServerError)), false);
        breaker.note(Some(&fault(FailureKind::ServerError)), false);
        assert!(breaker.state().open, "trust ends with an answer");
    }

    #[test]
    fn nobody_waits_for_a_service_that_answers_other_questions() {
        let breaker = Breaker::new(2, Duration::from_secs(1000));
        let schema = fault(FailureKind::Schema);
        for _ in 0..20 {
            for _ in 0..2 {
                breaker.goes(Turn::Ask, Some(&schema));
            }
            assert_eq!(breaker.turn().unwrap(), Turn::Try, "one may try at once");
            // Others were under way, and fail while it is asked how the service fares.
            breaker.note(Some(&schema), false);
            assert!(breaker.is_trying());
            breaker.prove();
            assert!(breaker.is_well());
            breaker.note(None, true);
        }
    }

    #[test]
    fn questions_that_are_refused_do_not_speak_against_the_service() {
        let breaker = Breaker::new(2, Duration::ZERO);
        let refused = |status| fault(FailureKind::Refused(status));
        for _ in 0..9 {
            breaker.note(Some(&refused(413)), false);
        }
        assert!(!breaker.state().open);
        breaker.note(Some(&refused(401)), false);
        breaker.note(Some(&refused(401)), false);
        assert!(breaker.state().open);
        breaker.goes(Turn::Try, Some(&refused(422)));
        assert!(!breaker.state().open);
    }

    #[test]
    fn it_pauses_and_forgets_a_trial_that_was_never_sent() {
        let connection = fault(FailureKind::Connection);
        let breaker = Breaker::new(1, Duration::from_secs(1000));
        breaker.goes(Turn::Ask, Some(&connection));
        breaker.goes(Turn::Try, Some(&connection));
        let turn = breaker.turn().unwrap();
        assert!(matches!(turn, Turn::After(wait) if wait > Duration::from_secs(900)));
        let breaker = Breaker::new(1, Duration::ZERO);
        breaker.goes(Turn::Ask, Some(&connection));
        let spent = Error::new(ErrorKind::Setting, "spent");
        let spent = Fault::lasting(FaultKind::Spent, spent);
        breaker.goes(Turn::Try, Some(&spent));
        assert_eq!(breaker.turn().unwrap(), Turn::Try);
    }
}
