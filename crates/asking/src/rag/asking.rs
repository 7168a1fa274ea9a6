//! Asking many questions: those that the store cannot answer are sent, several at once, a trial of
//! each arm before the rest.

use base::{Event, Progress};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use attacks::signals::probes::Arm;
use futures_util::future::join_all;
use tokio::sync::mpsc;

use super::ledger::{self, Kept, Ledger};
use super::line::Line;
use super::outcome::{Ask, Asked, FailureKind, Outcome, Tally};
use super::reading::Read;
use super::service::Service;
use super::trial::TRIAL_RETRIES;
use super::usage::Tokens;
use crate::http::breaker::Breaker;
use crate::http::fault::{Fault, FaultKind};
use crate::http::patience::Patience;
use crate::store::{Answer, Key, Store};
use crate::{Error, Result};

const LONGEST_FIRST_BREAK: Duration = Duration::from_secs(5);

impl Service {
    /// Asks every question that the store cannot answer. What comes is stored before it is used.
    ///
    /// The first question of each arm goes alone; if the service cannot be reached, refuses us, or
    /// does not answer as the target says, nothing more is sent and that is the error. Later
    /// failures are outcomes.
    pub fn ask_all(&self, asks: &[Ask], store: &Store, progress: Progress<'_>) -> Result<Asked> {
        let begun = Instant::now();
        let mut places: HashMap<Key, Vec<usize>> = HashMap::new();
        let mut order = Vec::new();
        for (place, ask) in asks.iter().enumerate() {
            let line = self.line(ask.arm)?;
            let key = line.call.asking(&ask.query, ask.repeat).key;
            let same = places.entry(key).or_default();
            if same.is_empty() {
                order.push((key, place));
            }
            same.push(place);
        }
        let work = Work {
            service: self,
            asks,
            places: &places,
            progress,
            outcomes: RefCell::new(vec![Outcome::NotAsked; asks.len()]),
            tally: RefCell::default(),
        };
        let open = work.take_stored(&order, store)?;
        let to_ask: usize = open.iter().map(|(key, _)| places[key].len()).sum();
        progress.tell(Event::Found {
            stored: asks.len() - to_ask,
        });
        if !open.is_empty() {
            work.ask_open(&open, store)?;
        }
        let mut tally = work.tally.into_inner();
        let outcomes = work.outcomes.into_inner();
        let unasked = outcomes
            .iter()
            .filter(|outcome| **outcome == Outcome::NotAsked);
        tally.not_asked = unasked.count() as u64;
        tally.seconds = begun.elapsed().as_secs_f64();
        Ok(Asked { outcomes, tally })
    }
}

impl Line {
    /// What the store has for a question, read as the target says now.
    pub(super) fn stored(&self, key: &Key, store: &Store) -> Result<Option<Outcome>> {
        let Some(answer) = store.answer(key)? else {
            return Ok(None);
        };
        Ok(Some(match self.read(answer.status, &answer.body) {
            Ok(mut read) => {
                read.reply.seconds = answer.seconds.unwrap_or_default();
                Outcome::Answered(read.reply)
            }
            Err(unreadable) => Outcome::Failed {
                kind: match unreadable.kind {
                    FaultKind::NotJson => FailureKind::NotJson,
                    _ => FailureKind::Schema,
                },
                message: unreadable.error.to_string(),
            },
        }))
    }
}

pub(super) struct Work<'a> {
    pub service: &'a Service,
    pub asks: &'a [Ask],
    /// Equal questions are asked once.
    places: &'a HashMap<Key, Vec<usize>>,
    progress: Progress<'a>,
    outcomes: RefCell<Vec<Outcome>>,
    tally: RefCell<Tally>,
}

pub(super) type Open = Vec<(Key, usize)>;

impl Work<'_> {
    fn take_stored(&self, order: &[(Key, usize)], store: &Store) -> Result<Open> {
        let mut open = Vec::new();
        for &(key, place) in order {
            if self.progress.cancelled() {
                return Err(Fault::interrupted().error);
            }
            let line = self.service.line(self.asks[place].arm)?;
            match line.stored(&key, store)? {
                Some(answered @ Outcome::Answered(_)) => self.settle(&key, answered, true),
                // What could not be read, or is not there, is asked for.
                _ => open.push((key, place)),
            }
        }
        Ok(open)
    }

    /// Puts an outcome into every place that asked for it.
    fn settle(&self, key: &Key, outcome: Outcome, stored: bool) {
        let places = &self.places[key];
        for &place in places {
            if matches!(outcome, Outcome::Answered(_)) {
                let arm = self.asks[place].arm;
                self.service
                    .has_answered(arm)
                    .store(true, Ordering::Relaxed);
            }
            self.tally.borrow_mut().count(&outcome, stored);
            self.outcomes.borrow_mut()[place] = outcome.clone();
        }
    }

    fn ask_open(&self, open: &Open, store: &Store) -> Result<()> {
        let transport = &self.service.transport;
        let spending = store.spending()?;
        let (jobs, received) = mpsc::channel(transport.concurrency);
        let limit = transport.max_requests;
        let ledger = Ledger::new(
            jobs,
            transport.concurrency,
            limit.is_some(),
            spending.tokens,
            transport.max_tokens,
        );
        let (asked, left) = std::thread::scope(|scope| {
            scope.spawn(|| ledger::write(store, received, limit));
            let asked = self.service.runtime.block_on(self.ask_with(open, &ledger));
            self.tally.borrow_mut().sent = ledger.sent.get();
            (asked, ledger.close())
        });
        let given_back = store.give_back(left);
        asked.map_err(|fault| fault.error)?;
        given_back
    }

    async fn ask_with(&self, open: &Open, ledger: &Ledger) -> std::result::Result<(), Fault> {
        let transport = &self.service.transport;
        // Left alone at first for a part of the time that an answer may take.
        let pause = (transport.timeout() / 8).min(LONGEST_FIRST_BREAK);
        let breaker = Breaker::new(2 * transport.concurrency + 8, pause);
        let patience = Patience {
            pace: &self.service.pace,
            retries: transport.retries,
            progress: self.progress,
            breaker: Some(&breaker),
        };
        let hasty = Patience {
            retries: transport.retries.min(TRIAL_RETRIES),
            ..patience
        };
        let mut rest = open.clone();
        for arm in [Arm::Retrieval, Arm::NoRetrieval] {
            self.try_arm(arm, &mut rest, ledger, &hasty).await?;
        }
        self.ask_rest(&rest, ledger, &patience).await
    }

    async fn ask_rest(
        &self,
        rest: &Open,
        ledger: &Ledger,
        patience: &Patience<'_>,
    ) -> std::result::Result<(), Fault> {
        let next = Cell::new(0);
        let stop: RefCell<Option<Fault>> = RefCell::new(None);
        let worker = async || {
            while stop.borrow().is_none() {
                let Some(&(key, place)) = rest.get(next.replace(next.get() + 1)) else {
                    return;
                };
                match self.ask_one(&key, place, ledger, patience).await {
                    Err(fault) if !fault.kind.of_service() => {
                        stop.borrow_mut().get_or_insert(fault);
                    }
                    Err(fault) => self.settle_fault(&key, &fault),
                    Ok(()) => {}
                }
            }
        };
        let workers = self.service.transport.concurrency.min(rest.len());
        join_all((0..workers).map(|_| worker())).await;
        match stop.into_inner() {
            // The rest stay what they are: not asked.
            None => Ok(()),
            Some(fault) if fault.kind == FaultKind::Spent => Ok(()),
            Some(fault) => Err(fault),
        }
    }

    pub fn settle_fault(&self, key: &Key, fault: &Fault) {
        let Some(kind) = FailureKind::of(fault) else {
            return;
        };
        let message = fault.error.to_string();
        self.progress.tell(Event::Failed { message: &message });
        self.settle(key, Outcome::Failed { kind, message }, false);
    }

    pub async fn ask_one(
        &self,
        key: &Key,
        place: usize,
        ledger: &Ledger,
        patience: &Patience<'_>,
    ) -> std::result::Result<(), Fault> {
        let tries = Cell::new(0_u64);
        let read = patience.ask(|| {
            let again = tries.replace(tries.get() + 1) > 0;
            self.counted(place, again, ledger)
        });
        let read = read.await?;
        self.progress.advance(1);
        self.settle(key, Outcome::Answered(read.reply), false);
        Ok(())
    }

    /// One request, and what went wrong with it on the tally.
    async fn counted(
        &self,
        place: usize,
        again: bool,
        ledger: &Ledger,
    ) -> std::result::Result<Read, Fault> {
        let read = self.once(place, again, ledger).await;
        if let Some(kind) = read.as_ref().err().and_then(FailureKind::of) {
            let mut tally = self.tally.borrow_mut();
            *tally.faults.entry(kind).or_default() += 1;
        }
        read
    }

    /// One request. What can be read as an answer, or might once the paths are mended, is stored.
    async fn once(
        &self,
        place: usize,
        again: bool,
        ledger: &Ledger,
    ) -> std::result::Result<Read, Fault> {
        let ask = &self.asks[place];
        let line = self.service.line(ask.arm).map_err(setting)?;
        let asking = line.call.asking(&ask.query, ask.repeat);
        ledger.take().await?;
        self.tally.borrow_mut().retried += u64::from(again);
        let raw = line.send(&ask.query, &asking).await?;
        let read = line.read(raw.status, &raw.body);
        let answer = |read: &Read| Tokens::estimate(&ask.query, &read.reply.answer);
        let tokens = match &read {
            Ok(read) => read.tokens.unwrap_or_else(|| answer(read)),
            Err(unreadable) if !worth_keeping(unreadable.kind) => Tokens::default(),
            Err(_) => Tokens::estimate(&ask.query, ""),
        };
        self.tally.borrow_mut().add_tokens(&tokens);
        if read
            .as_ref()
            .err()
            .is_none_or(|unreadable| worth_keeping(unreadable.kind))
        {
            let answer = Answer {
                status: raw.status,
                body: raw.body,
                received: SystemTime::now(),
                seconds: Some(raw.seconds),
            };
            let tokens = tokens.total();
            let kept = Kept {
                asking,
                answer,
                tokens,
            };
            ledger.keep(kept).await?;
        }
        match read {
            Ok(mut read) => {
                read.reply.seconds = raw.seconds;
                Ok(read)
            }
            Err(unreadable) => Err(Fault {
                status: Some(raw.status),
                ..Fault::new(unreadable.kind, unreadable.error, true)
            }),
        }
    }
}

/// A part of an answer is no answer.
pub(super) fn worth_keeping(kind: FaultKind) -> bool {
    matches!(kind, FaultKind::Schema | FaultKind::NotJson)
}

fn setting(error: Error) -> Fault {
    Fault::new(FaultKind::Store, error, false)
}
