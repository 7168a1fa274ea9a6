//! Is it still the service that gave the stored answers? A few of them are asked again.

use base::Progress;
use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use asking::rag::{Ask, Outcome};
use asking::store::Store;
use attacks::signals::probes::Arm;
use judge::measure::Auc;
use judge::rag::{StoredAnswers, chance_of_so_unlike};
use stats::streams::{Seed, shuffle};
use text::likeness;

use super::attack::tells;
use super::questions::Question;
use super::sample::Sample;
use super::{ProbeSettings, Probing};
use crate::Error;
use crate::pipeline::Source;

/// Answers differ by more than chance explains with this probability.
const LEVEL: f64 = 0.01;

/// Answers that are stored, by their place among the questions.
struct Earlier {
    outcomes: Vec<Outcome>,
    days: String,
    reused: usize,
}

impl Probing<'_> {
    /// Asks a few of the stored answers again, most of them about members, and stops where they are
    /// unlike. Nothing where no answer is stored.
    pub fn recheck(
        &self,
        store: &Store,
        progress: Progress<'_>,
    ) -> Result<Option<StoredAnswers>, Error> {
        let Some(earlier) = self.earlier(store)? else {
            return Ok(None);
        };
        self.stored_before
            .get_or_init(|| self.stored_about(&earlier));
        let usable = self.usable(&earlier);
        let chosen = self.chosen(&usable);
        let usable = usable.len();
        let mut usual = self.usual(&earlier);
        let (fresh, mut sent) = self.ask_anew(&chosen, 0, store, progress)?;
        if usual.len() < chosen.len() {
            // How far answers of one day differ is not known: the same once more.
            let (second, more) = self.ask_anew(&chosen, 1, store, progress)?;
            usual = alike(&fresh, &second);
            sent += more;
        }
        let stored: Vec<Outcome> = chosen
            .iter()
            .map(|&place| earlier.outcomes[place].clone())
            .collect();
        let today = alike(&stored, &fresh);
        let seed = Seed(self.plan.config.seed);
        if !today.is_empty() && chance_of_so_unlike(&usual, &today, seed) < LEVEL {
            return Err(self.changed(&today, &usual, &earlier.days));
        }
        Ok(Some(StoredAnswers {
            asked_again: today.len(),
            sent,
            reworded: reworded(&today),
            reworded_on_one_day: reworded(&usual),
            wanted: usable.min(ProbeSettings::LEAST_RECHECK),
            ..earlier.told()
        }))
    }

    /// What is stored, where nobody is to be asked.
    pub fn replayed(&self, store: &Store) -> Result<Option<StoredAnswers>, Error> {
        let dates = self.dates(store)?;
        Ok(dates.map(|dates| StoredAnswers {
            reused: dates.answers,
            since: dates.days(),
            replayed: true,
            ..StoredAnswers::default()
        }))
    }

    /// How many requests asking again takes, where so many answers are stored.
    pub(super) fn rechecks(&self, stored: usize) -> usize {
        let count = self.plan.config.probes.recheck.min(stored);
        let known = self.questions.iter().filter(|question| question.is_again());
        match known.count() < count {
            true => 2 * count,
            false => count,
        }
    }

    fn earlier(&self, store: &Store) -> Result<Option<Earlier>, Error> {
        let service = &self.plan.service;
        let Some(dates) = self.dates(store)? else {
            return Ok(None);
        };
        Ok(Some(Earlier {
            outcomes: service.replay(&self.asks(), store)?.outcomes,
            days: dates.days(),
            reused: dates.answers,
        }))
    }

    /// Places of stored answers with retrieval.
    fn usable(&self, earlier: &Earlier) -> Vec<usize> {
        let usable = |place: &usize| {
            let question = &self.questions[*place];
            question.is_first() && matches!(earlier.outcomes[*place], Outcome::Answered(_))
        };
        (0..self.questions.len()).filter(usable).collect()
    }

    /// Documents about which anything is stored. How much depends on how soon answers settle a document.
    fn stored_about(&self, earlier: &Earlier) -> Vec<bool> {
        let mut stored = vec![false; self.plan.documents.len()];
        for (question, outcome) in self.questions.iter().zip(&earlier.outcomes) {
            // Controls stand behind the documents.
            if let Some(stored) = stored.get_mut(question.document) {
                *stored |= matches!(outcome, Outcome::Answered(_));
            }
        }
        stored
    }

    /// How well it tells members apart, among documents that are judged, about whom anything was stored; nothing
    /// where something was about all.
    pub(super) fn stored_tells(&self, sample: &Sample) -> Option<Auc> {
        let known = self.stored_before.get()?.iter().zip(&self.plan.documents);
        let judged = known
            .enumerate()
            .filter(|(place, _)| sample.holds(*place))
            .map(|(_, (stored, listed))| (*stored, listed.member));
        if judged.clone().all(|(stored, _)| stored) {
            return None;
        }
        tells(judged.map(|(stored, member)| (Some(f64::from(u8::from(stored))), member)))
    }

    /// Places of stored answers, others in every run: three in four about members, where there are so many,
    /// for what the service says of these is what a change of its store alters.
    fn chosen(&self, usable: &[usize]) -> Vec<usize> {
        let mut places = usable.to_vec();
        let seed = Seed(self.plan.config.seed);
        shuffle(
            &mut seed.numbered("asked again", u64::from(stamp())),
            &mut places,
        );
        let member = |place: &usize| {
            let listed = self.plan.documents.get(self.questions[*place].document);
            listed.is_some_and(|listed| listed.member == Some(true))
        };
        let (members, others): (Vec<usize>, Vec<usize>) = places.into_iter().partition(member);
        let count = self.plan.config.probes.recheck;
        let most = (3 * count / 4).max(count.saturating_sub(others.len()));
        let most = most.min(members.len());
        let others = others.into_iter().take(count - most);
        members.into_iter().take(most).chain(others).collect()
    }

    /// How alike two answers to one question were when they came on one day.
    fn usual(&self, earlier: &Earlier) -> Vec<f64> {
        let questions = || self.questions.iter().zip(&earlier.outcomes);
        let first: HashMap<&str, &Outcome> = questions()
            .filter(|(question, _)| question.is_first())
            .map(|(question, outcome)| (question.probe.query.as_str(), outcome))
            .collect();
        let again = questions().filter(|(question, _)| question.is_again());
        let pairs = again.filter_map(|(question, outcome)| {
            let first = first.get(question.probe.query.as_str())?;
            like(first, outcome)
        });
        pairs.collect()
    }

    /// Under a number that no answer in the store has, so that they are sent.
    fn ask_anew(
        &self,
        places: &[usize],
        time: u32,
        store: &Store,
        progress: Progress<'_>,
    ) -> Result<(Vec<Outcome>, u64), Error> {
        let stamp = stamp().wrapping_add(time);
        let ask = |&place: &usize| Ask {
            repeat: stamp,
            ..self.questions[place].ask()
        };
        let asks: Vec<Ask> = places.iter().map(ask).collect();
        let asked = self.plan.service.ask_all(&asks, store, progress)?;
        Ok((asked.outcomes, asked.tally.sent))
    }

    fn changed(&self, today: &[f64], usual: &[f64], days: &str) -> Error {
        Error::usage(
            format!(
                "the service has changed since {days}: of {} stored answers that were asked again {} have \
                 other words now, against {} of {} that were asked twice on one day",
                today.len(),
                reworded(today),
                reworded(usual),
                usual.len()
            ),
            match self.plan.config.audit.source {
                Source::Program => {
                    "ask everything anew with ask_again=True, or keep the old answers and give another \
                     folder; replay=True judges the old answers as they are"
                }
                _ => {
                    "ask everything anew with --ask-again, or keep the old answers and set run.folder to \
                     another folder; --replay judges the old answers as they are"
                }
            },
        )
    }
}

/// Answers that are not the same to the word.
fn reworded(likenesses: &[f64]) -> usize {
    likenesses.iter().filter(|value| **value < 1.0).count()
}

impl Question {
    /// Asked with retrieval, for the first time.
    fn is_first(&self) -> bool {
        self.repeat == 0 && self.arm == Arm::Retrieval
    }

    /// Asked a second time to see how alike two answers are; controls come again for another reason.
    fn is_again(&self) -> bool {
        self.repeat > 0 && !self.is_control()
    }
}

impl Earlier {
    fn told(&self) -> StoredAnswers {
        StoredAnswers {
            reused: self.reused,
            since: self.days.clone(),
            ..StoredAnswers::default()
        }
    }
}

/// Tenths of seconds, which go round in thirteen years.
fn stamp() -> u32 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let tenths = now.unwrap_or_default().as_millis() / 100;
    (tenths % u128::from(u32::MAX)) as u32
}

/// Of the pairs that both have an answer.
fn alike(one: &[Outcome], other: &[Outcome]) -> Vec<f64> {
    let pairs = one.iter().zip(other);
    pairs.filter_map(|(one, other)| like(one, other)).collect()
}

fn like(one: &Outcome, other: &Outcome) -> Option<f64> {
    match (one, other) {
        (Outcome::Answered(one), Outcome::Answered(other)) => {
            Some(likeness(&one.answer, &other.answer))
        }
        _ => None,
    }
}
