//! When a request may go out: not faster than allowed, not while the server wants to be
//! left alone, and again after a failure that may pass.

use std::future::{Future, pending};
use std::num::NonZeroU32;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use backon::{BackoffBuilder, ExponentialBuilder};
use base::{Event, Progress};
use futures_util::future::{Either, select};

use super::breaker::{Breaker, Turn};
use super::{Attempt, Fault};

const MINUTE: Duration = Duration::from_secs(60);
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// A server may ask for a day; nobody wants to wait that long without a word.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(600);
/// What is in flight when somebody asks to stop was paid for: it gets this long.
const GRACE: Duration = Duration::from_secs(2);
/// Shorter pauses are nobody's concern.
const WORTH_MENTIONING: Duration = Duration::from_millis(900);

/// How fast one server may be asked; shared by all requests to it.
#[derive(Default)]
pub(crate) struct Pace {
    /// Between two requests.
    interval: Option<Duration>,
    /// When the next request may go out.
    next: Mutex<Option<Instant>>,
    /// Nothing is sent before.
    hold: Mutex<Option<Instant>>,
}

impl Pace {
    pub fn new(per_minute: Option<u32>) -> Self {
        let per_minute = per_minute.and_then(NonZeroU32::new);
        Self {
            interval: per_minute.map(|most| MINUTE / most.get()),
            ..Self::default()
        }
    }

    /// Takes the next place in line: one at a time, evenly, for a burst is what rate limits punish.
    /// Everybody has a place of his own, so that waking late costs nobody else his.
    fn place(&self) -> Duration {
        let Some(interval) = self.interval else {
            return Duration::ZERO;
        };
        let now = Instant::now();
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let place = next.map_or(now, |next| next.max(now));
        *next = Some(place + interval);
        place - now
    }

    /// How much of a wait that the server asked for is left.
    fn held(&self) -> Duration {
        let until = *self.hold.lock().unwrap_or_else(PoisonError::into_inner);
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        left.unwrap_or_default()
    }

    fn hold(&self, wait: Duration) {
        let until = Some(Instant::now() + wait);
        let mut hold = self.hold.lock().unwrap_or_else(PoisonError::into_inner);
        *hold = until.max(*hold);
    }
}

/// When one piece of work asks, and how often.
#[derive(Clone, Copy)]
pub(crate) struct RetryPolicy<'a> {
    pub pace: &'a Pace,
    /// How often a request is tried again.
    pub retries: usize,
    pub progress: Progress<'a>,
    /// What keeps a service that has stopped answering from being pressed on.
    pub breaker: Option<&'a Breaker>,
    /// Whether a question that may fail by itself is [set aside](Fault::aside) after its first try,
    /// in place of keeping others waiting.
    pub sets_aside: bool,
}

impl RetryPolicy<'_> {
    /// Asks until there is an answer, the failure is there to stay, or somebody wants to stop.
    pub async fn ask<T, F>(&self, once: impl FnMut() -> F) -> Attempt<T>
    where
        F: Future<Output = Attempt<T>>,
    {
        self.ask_on(None, once).await
    }

    /// The same of a question that was set aside: `failed` is why.
    pub async fn ask_on<T, F>(
        &self,
        mut failed: Option<Fault>,
        mut once: impl FnMut() -> F,
    ) -> Attempt<T>
    where
        F: Future<Output = Attempt<T>>,
    {
        let mut first = failed.is_none();
        let mut pauses = ExponentialBuilder::default()
            .with_min_delay(FIRST_PAUSE)
            .with_max_delay(LONGEST_PAUSE)
            .with_max_times(self.retries)
            .with_jitter()
            .build();
        loop {
            if let Some(fault) = failed.take() {
                let Some(pause) = pauses.next() else {
                    return Err(tired(fault, self.retries));
                };
                // While it was set aside others had their turn, and who is well need not be left alone.
                let waited = fault.aside && self.breaker.is_some_and(Breaker::is_well);
                if !waited {
                    self.back_off(pause, &fault).await?;
                }
            }
            let tries = self.turn().await?;
            let outcome = self
                .unless_stopped(once())
                .await
                .and_then(|outcome| outcome);
            if let Some(breaker) = self.breaker {
                breaker.note(outcome.as_ref().err(), tries);
            }
            let mut fault = match outcome {
                Ok(answer) => return Ok(answer),
                Err(fault) if fault.passing => fault,
                Err(fault) => return Err(fault),
            };
            if first && self.sets_aside && fault.may_be_one_questions() {
                fault.aside = true;
                return Err(fault);
            }
            first = false;
            failed = Some(fault);
        }
    }

    /// Waits for permission to send, and says whether it is to be seen how the service fares.
    async fn turn(&self) -> Attempt<bool> {
        loop {
            // Looks at the wish to stop even where there is nothing to wait for.
            self.pause(self.pace.held()).await?;
            if !self.pace.held().is_zero() {
                continue;
            }
            let place = self.pace.place();
            self.mention(place, "requests_per_minute");
            self.pause(place).await?;
            if !self.pace.held().is_zero() {
                continue;
            }
            // Last: whoever is let through here must ask.
            let Some(breaker) = self.breaker else {
                return Ok(false);
            };
            match breaker.turn()? {
                Turn::Ask => return Ok(false),
                Turn::Try => return Ok(true),
                Turn::After(wait) => {
                    self.mention(wait, "too many failures in a row");
                    self.pause(wait).await?;
                }
                Turn::Trial => self.until(breaker.told()).await?,
            }
        }
    }

    async fn back_off(&self, pause: Duration, fault: &Fault) -> Attempt<()> {
        let Some(after) = fault.after else {
            self.mention(pause, &fault.error.message);
            return self.pause(pause).await;
        };
        // All others hold back too: the server meant every one of us.
        let wait = after.min(LONGEST_RETRY_AFTER) + pause / 10;
        self.pace.hold(wait);
        self.mention(wait, &fault.error.message);
        Ok(())
    }

    fn mention(&self, wait: Duration, why: &str) {
        if wait >= WORTH_MENTIONING {
            self.progress.tell(Event::Waiting {
                seconds: wait.as_secs_f64(),
                why,
            });
        }
    }

    async fn pause(&self, wait: Duration) -> Attempt<()> {
        if self.progress.cancelled() {
            return Err(Fault::interrupted());
        }
        match wait.is_zero() {
            true => Ok(()),
            false => self.until(tokio::time::sleep(wait)).await,
        }
    }

    async fn until(&self, done: impl Future<Output = ()>) -> Attempt<()> {
        let cancelled = pin!(self.progress.cancel().cancelled());
        let given_up = pin!(async {
            match self.breaker {
                Some(breaker) => breaker.given_up().await,
                None => pending().await,
            }
        });
        match select(pin!(done), select(cancelled, given_up)).await {
            Either::Left(_) => Ok(()),
            Either::Right((Either::Left(_), _)) => Err(Fault::interrupted()),
            Either::Right((Either::Right((fault, _)), _)) => Err(fault),
        }
    }

    async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Attempt<T> {
        let stop = async {
            self.progress.cancel().cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        match select(pin!(work), pin!(stop)).await {
            Either::Left((done, _)) => Ok(done),
            Either::Right(_) => Err(Fault::interrupted()),
        }
    }
}

fn tired(mut fault: Fault, retries: usize) -> Fault {
    // Whoever sets it aside once more would never end.
    fault.aside = false;
    if retries > 0 {
        fault.error.message = format!("{} (tried {} times)", fault.error.message, retries + 1);
    }
    fault
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_line_are_an_interval_apart() {
        let pace = Pace::new(Some(600));
        let begun = Instant::now();
        let waits: Vec<Duration> = (0..50).map(|_| pace.place()).collect();
        let took = begun.elapsed();
        for (number, wait) in waits.iter().enumerate() {
            let place = Duration::from_millis(100) * number as u32;
            assert!(
                *wait <= place && *wait + took >= place,
                "{number}: {wait:?}"
            );
        }
        assert_eq!(Pace::new(None).place(), Duration::ZERO);
    }
}
