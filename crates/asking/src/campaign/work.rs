//! A campaign at work: those questions that the store cannot answer are sent, several at once.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use base::Event;
use futures_util::future::join_all;
use rayon::prelude::*;
use tokio::sync::mpsc;

use super::books::{self, Books};
use super::breaker::Breaker;
use super::ledger::{self, Kept, Ledger};
use super::trial::TRIAL_RETRIES;
use super::{
    Asked, Attempt, Campaign, Failures, Fault, FaultKind, Halt, Outcome, PreparedRequest,
    Respondent, RetryPolicy, Run, Tally,
};
use crate::store::{Key, Store};
use crate::{Error, Result};

const LONGEST_FIRST_BREAK: Duration = Duration::from_secs(5);

/// A question that is to be asked: what it is known by, and its place.
pub(super) type ToAsk = (Key, usize);
/// Questions that are to be asked.
pub(super) type Open = Vec<ToAsk>;
/// Questions that failed and are asked again once all others were.
pub(super) type Aside = VecDeque<(ToAsk, Fault)>;

/// What the store has for questions under their keys, read as it is read now, or how they failed.
pub(crate) fn replayed<R>(
    respondent: &R,
    questions: &[R::Question],
    keys: &[Key],
    store: &Store,
) -> Result<Vec<Outcome<R::Answer>>>
where
    R: Respondent + Sync,
    R::Question: Sync,
    R::Answer: Send,
{
    let rows = store.rows(keys)?;
    let asked = keys.par_iter().zip(questions).zip(rows);
    let outcomes = asked.map(|((key, question), row)| match row {
        Some(row) => {
            let answer = store.unpacked(row)?;
            Ok(Outcome::stored(respondent.read(question, &answer).answer))
        }
        None => books::remembered(key, store),
    });
    outcomes.collect()
}

/// What the store has for a question, read as it is read now.
pub(crate) fn stored<R: Respondent>(
    respondent: &R,
    question: &R::Question,
    store: &Store,
) -> Result<Option<Outcome<R::Answer>>> {
    stored_under(
        &respondent.prepare(question)?.key,
        respondent,
        question,
        store,
    )
}

fn stored_under<R: Respondent>(
    key: &Key,
    respondent: &R,
    question: &R::Question,
    store: &Store,
) -> Result<Option<Outcome<R::Answer>>> {
    let answer = store.answer(key)?;
    let read = |answer| Outcome::stored(respondent.read(question, &answer).answer);
    Ok(answer.map(read))
}

impl<R: Respondent> Campaign<'_, R> {
    /// Asks every question that the store cannot answer.
    ///
    /// The first of each kind goes alone; if it cannot be answered, nothing more is sent, and that
    /// is the error. What later failures mean, the limits say.
    pub fn run(&self, questions: &[R::Question]) -> Run<Asked<R::Answer>> {
        let begun = Instant::now();
        let mut places: HashMap<Key, Vec<usize>> = HashMap::new();
        let mut order = Vec::new();
        for (place, question) in questions.iter().enumerate() {
            let key = self.respondent.prepare(question)?.key;
            let same = places.entry(key).or_default();
            if same.is_empty() {
                order.push((key, place));
            }
            same.push(place);
        }
        let mut outcomes = Vec::new();
        outcomes.resize_with(questions.len(), Outcome::default);
        let work = Work {
            campaign: self,
            questions,
            places,
            outcomes: RefCell::new(outcomes),
            tally: RefCell::default(),
            given_up: RefCell::default(),
        };
        let open = work.take_stored(&order)?;
        let to_ask: usize = open.iter().map(|(key, _)| work.places[key].len()).sum();
        self.progress.tell(Event::Found {
            stored: questions.len() - to_ask,
        });
        if !open.is_empty() {
            work.ask_open(open)?;
        }
        Ok(work.finish(begun))
    }
}

pub(super) struct Work<'a, R: Respondent> {
    pub campaign: &'a Campaign<'a, R>,
    pub questions: &'a [R::Question],
    /// Equal questions are asked once.
    places: HashMap<Key, Vec<usize>>,
    outcomes: RefCell<Vec<Outcome<R::Answer>>>,
    tally: RefCell<Tally>,
    given_up: RefCell<Option<Box<Error>>>,
}

impl<R: Respondent> Work<'_, R> {
    fn take_stored(&self, order: &[(Key, usize)]) -> Run<Open> {
        let Campaign {
            respondent, store, ..
        } = self.campaign;
        let mut open = Vec::new();
        for &(key, place) in order {
            if self.campaign.progress.cancelled() {
                return Err(Fault::interrupted().into());
            }
            match stored_under(&key, *respondent, &self.questions[place], store)? {
                Some(answered @ Outcome::Answered(_)) => {
                    self.settle(&key, answered, true);
                }
                // What could not be read, or is not there, is asked for.
                _ => open.push((key, place)),
            }
        }
        Ok(open)
    }

    fn ask_open(&self, open: Open) -> Run<()> {
        let Campaign { limits, store, .. } = self.campaign;
        let begun = Instant::now();
        let keys = open.clone();
        let spending = store.spending()?;
        let (jobs, received) = mpsc::channel(limits.concurrency);
        let ledger = Ledger::new(jobs, *limits, spending.tokens);
        let (asked, left) = std::thread::scope(|scope| {
            scope.spawn(|| ledger::write(store, received, limits.max_requests));
            let asked = self.campaign.runtime.block_on(self.ask_with(open, &ledger));
            self.tally.borrow_mut().sent = ledger.sent.get();
            (asked, ledger.close())
        });
        let given_back = store.give_back(left);
        self.tally.borrow_mut().seconds = begun.elapsed().as_secs_f64();
        let booked = match self.campaign.respondent.name() {
            Some(name) => Books::add(store, name, &self.tally.borrow()),
            None => Ok(()),
        };
        asked?;
        given_back?;
        booked?;
        self.remember_failures(&keys)
    }

    /// What was not asked this time may have failed before.
    fn remember_failures(&self, keys: &[(Key, usize)]) -> Run<()> {
        for (key, place) in keys {
            if matches!(self.outcomes.borrow()[*place], Outcome::NotAsked) {
                let remembered = books::remembered(key, self.campaign.store)?;
                if !matches!(remembered, Outcome::NotAsked) {
                    self.settle(key, remembered, true);
                }
            }
        }
        Ok(())
    }

    async fn ask_with(&self, mut rest: Open, ledger: &Ledger) -> Run<()> {
        let limits = &self.campaign.limits;
        // Left alone at first for a part of the time that an answer may take.
        let pause = (limits.timeout / 8).min(LONGEST_FIRST_BREAK);
        let breaker = Breaker::new(2 * limits.concurrency + 8, pause);
        let policy = RetryPolicy {
            pace: self.campaign.pace,
            retries: limits.retries,
            progress: self.campaign.progress,
            breaker: Some(&breaker),
            sets_aside: limits.failures == Failures::AreOutcomes && limits.retries > 0,
        };
        let hasty = RetryPolicy {
            retries: limits.retries.min(TRIAL_RETRIES),
            sets_aside: false,
            ..policy
        };
        self.put_failed_last(&mut rest)?;
        let aside = self.try_each(&mut rest, ledger, &hasty).await?;
        self.ask_rest(&rest, aside, ledger, &policy).await
    }

    /// Questions that failed in an earlier run may fail again: nobody is to wait for them.
    fn put_failed_last(&self, rest: &mut Open) -> Attempt<()> {
        let keys: Vec<Key> = rest.iter().map(|(key, _)| *key).collect();
        let failed = books::failed(&keys, self.campaign.store).map_err(Fault::ours)?;
        let (last, first): (Vec<_>, Vec<_>) =
            (rest.drain(..).zip(failed)).partition(|(_, failed)| *failed);
        rest.extend(first.into_iter().chain(last).map(|(open, _)| open));
        Ok(())
    }

    async fn ask_rest(
        &self,
        rest: &Open,
        aside: Aside,
        ledger: &Ledger,
        policy: &RetryPolicy<'_>,
    ) -> Run<()> {
        let next = Cell::new(0);
        let to_ask = rest.len() + aside.len();
        let aside = RefCell::new(aside);
        let stop: RefCell<Option<Halt>> = RefCell::new(None);
        let take = || match rest.get(next.replace(next.get() + 1)) {
            Some(&open) => Some((open, None)),
            None => {
                let (open, failed) = aside.borrow_mut().pop_front()?;
                Some((open, Some(failed)))
            }
        };
        let worker = async || {
            while stop.borrow().is_none() {
                let Some((open, failed)) = take() else {
                    return;
                };
                match self.ask_on(open, failed, ledger, policy).await {
                    Ok(()) => {}
                    Err(fault) if fault.aside => aside.borrow_mut().push_back((open, fault)),
                    Err(fault) => {
                        if let Err(halt) = self.bear(open, fault, ledger).await {
                            stop.borrow_mut().get_or_insert(halt);
                        }
                    }
                }
            }
        };
        let limits = &self.campaign.limits;
        let workers = limits.concurrency.min(to_ask);
        join_all((0..workers).map(|_| worker())).await;
        let Some(halt) = stop.into_inner() else {
            return Ok(());
        };
        // The rest stay what they are: not asked.
        match (halt.fault.kind, limits.failures) {
            (FaultKind::Spent, Failures::AreOutcomes) => {
                // These were, and nothing is left to ask them again.
                for ((key, _), fault) in aside.into_inner() {
                    self.settle_fault(&key, &fault, ledger).await?;
                }
                Ok(())
            }
            (FaultKind::GivenUp, Failures::AreOutcomes) => {
                self.given_up.replace(Some(halt.fault.error));
                Ok(())
            }
            _ => Err(halt),
        }
    }

    /// One question's failure is its outcome, or the end of all.
    async fn bear(&self, (key, place): (Key, usize), fault: Fault, ledger: &Ledger) -> Run<()> {
        match (fault.failure(), self.campaign.limits.failures) {
            (None, _) => Err(fault.into()),
            (Some(_), Failures::EndAll) => Err(Halt {
                fault,
                question: Some(place),
            }),
            (Some(_), Failures::AreOutcomes) => {
                self.settle_fault(&key, &fault, ledger).await?;
                Ok(())
            }
        }
    }

    pub async fn settle_fault(&self, key: &Key, fault: &Fault, ledger: &Ledger) -> Attempt<()> {
        if let Some(failed) = Outcome::failed(fault) {
            let message = &fault.error.to_string();
            self.campaign.progress.tell(Event::Failed { message });
            self.settle(key, failed, false);
        }
        match books::failure(fault) {
            Some(failure) => ledger.remember(*key, failure).await,
            None => Ok(()),
        }
    }

    /// Puts an outcome into every place that asked for it: how many these are.
    fn settle(&self, key: &Key, outcome: Outcome<R::Answer>, stored: bool) -> usize {
        let places = &self.places[key];
        for &place in places {
            let question = &self.questions[place];
            if matches!(outcome, Outcome::Answered(_))
                && let Some(trial) = self.campaign.respondent.trial(question)
            {
                trial.answered.store(true, Ordering::Relaxed);
                self.campaign.respondent.keep_answered(question, !stored);
            }
            self.tally.borrow_mut().count(&outcome, stored);
            self.outcomes.borrow_mut()[place] = outcome.clone();
        }
        places.len()
    }

    pub async fn ask_one(
        &self,
        open: ToAsk,
        ledger: &Ledger,
        policy: &RetryPolicy<'_>,
    ) -> Attempt<()> {
        self.ask_on(open, None, ledger, policy).await
    }

    /// `failed`: why it was set aside when it was asked before.
    async fn ask_on(
        &self,
        (key, place): ToAsk,
        failed: Option<Fault>,
        ledger: &Ledger,
        policy: &RetryPolicy<'_>,
    ) -> Attempt<()> {
        let question = &self.questions[place];
        let request = self.campaign.respondent.prepare(question);
        let request = Arc::new(request.map_err(Fault::ours)?);
        let tries = Cell::new(u64::from(failed.is_some()));
        let answer = policy.ask_on(failed, || {
            let again = tries.replace(tries.get() + 1) > 0;
            self.counted(question, &request, again, ledger, policy.breaker)
        });
        let answer = answer.await?;
        let tokens = self.campaign.respondent.tokens(&answer);
        let count = self.settle(&key, Outcome::Answered(answer), false);
        self.campaign.progress.tell(Event::Advanced {
            count,
            tokens: tokens * count,
        });
        Ok(())
    }

    /// One request, and what went wrong with it on the tally.
    async fn counted(
        &self,
        question: &R::Question,
        request: &Arc<PreparedRequest>,
        again: bool,
        ledger: &Ledger,
        breaker: Option<&Breaker>,
    ) -> Attempt<R::Answer> {
        let answer = match self.see_it_well(question, ledger, breaker).await {
            Ok(()) => {
                ledger.take().await?;
                self.tally.borrow_mut().retried += u64::from(again);
                self.once(question, request, ledger).await
            }
            Err(fault) => Err(fault),
        };
        if let Some(kind) = answer.as_ref().err().and_then(Fault::failure) {
            let mut tally = self.tally.borrow_mut();
            *tally.faults.entry(kind).or_default() += 1;
        }
        answer
    }

    /// After many failures, asks what was answered before: only who fails at that, too, is given up.
    async fn see_it_well(
        &self,
        question: &R::Question,
        ledger: &Ledger,
        breaker: Option<&Breaker>,
    ) -> Attempt<()> {
        let Some(breaker) = breaker.filter(|breaker| breaker.is_trying()) else {
            return Ok(());
        };
        let Some(known) = self.ask_known(question, ledger).await else {
            return Ok(());
        };
        match known? {
            Err(fault) if !fault.is_one_questions() => Err(fault),
            _ => {
                breaker.prove();
                Ok(())
            }
        }
    }

    /// Asks what was answered before, and how that went now; nothing where nothing was. Fails where nothing may be
    /// asked.
    pub async fn ask_known(
        &self,
        question: &R::Question,
        ledger: &Ledger,
    ) -> Option<Attempt<Attempt<()>>> {
        let known = self.campaign.respondent.answered(question)?;
        Some(self.ask_again(&known, ledger).await)
    }

    async fn ask_again(&self, known: &R::Question, ledger: &Ledger) -> Attempt<Attempt<()>> {
        let respondent = self.campaign.respondent;
        let request = respondent.prepare(known).map_err(Fault::ours)?;
        ledger.take().await?;
        self.tally.borrow_mut().retried += 1;
        let answer = respondent.send(known, &request).await;
        let read = answer.and_then(|answer| respondent.read(known, &answer).answer);
        Ok(read.map(|_| ()))
    }

    /// What comes is on the disk before it is used.
    async fn once(
        &self,
        question: &R::Question,
        request: &Arc<PreparedRequest>,
        ledger: &Ledger,
    ) -> Attempt<R::Answer> {
        let respondent = self.campaign.respondent;
        let answer = respondent.send(question, request).await?;
        let reading = respondent.read(question, &answer);
        self.tally.borrow_mut().add_tokens(&reading.tokens);
        if reading.keep {
            let kept = Kept {
                request: request.clone(),
                answer,
                tokens: reading.tokens.total(),
            };
            ledger.keep(kept).await?;
        }
        reading.answer
    }

    fn finish(self, begun: Instant) -> Asked<R::Answer> {
        let outcomes = self.outcomes.into_inner();
        let mut tally = self.tally.into_inner();
        let unasked = outcomes
            .iter()
            .filter(|outcome| matches!(outcome, Outcome::NotAsked));
        tally.not_asked = unasked.count() as u64;
        tally.seconds = begun.elapsed().as_secs_f64();
        Asked {
            outcomes,
            tally,
            given_up: self.given_up.into_inner(),
        }
    }
}
