//! Asking the service everything, and the audit of what it said.

use base::{Event, Progress};
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use asking::rag::transcript;
use asking::rag::{Ask, Asked, Books, Outcome, Tally};
use asking::store::{Dates, Key, Store};
use attacks::signals::probes::Document;
use judge::rag::StoredAnswers;
use rayon::prelude::*;
use report::rag::DocumentsAsked;

use super::ahead::Ahead;
use super::controls;
use super::handing_over::{failures, heard, recorded, repeats, requests, sources_named};
use super::helper::{Helped, Perplexity};
use super::questions::{AskingEstimate, Question, questions};
use super::rounds::{Heard, Rounds};
use super::sample::Sample;
use super::{Plan, Quoting};
use crate::Error;
use crate::kinds::rag::attack::ProbeRequest;

/// The questions of one audit.
pub struct Probing<'a> {
    pub(super) plan: &'a Plan,
    documents: Vec<Document>,
    pub(super) questions: Vec<Question>,
    /// What the store knows the questions by, once somebody asks.
    keys: OnceLock<Vec<Key>>,
    /// By document, whether an earlier run left answers about it, once that was looked at.
    pub(super) stored_before: OnceLock<Vec<bool>>,
    pub(super) helped: Helped,
}

/// What was heard.
pub struct Collected {
    pub(super) replies: Vec<Outcome>,
    /// Questions that were not needed.
    pub(super) spared: usize,
    /// Documents about which more was to be asked, or would have been.
    pub(super) unfinished: HashSet<usize>,
    pub(super) tally: Tally,
    /// The days on which the answers came.
    pub(super) days: Option<String>,
    /// What is known of those that an earlier run left.
    pub(super) stored: Option<StoredAnswers>,
    /// What all runs took, where nobody was asked now.
    pub(super) books: Option<Books>,
    /// Why the service was given up, where it was.
    pub(super) given_up: Option<String>,
}

impl<'a> Probing<'a> {
    /// With the questions that a helper wrote, where one did.
    pub fn new(plan: &'a Plan, helped: Helped) -> Self {
        let mut documents: Vec<Document> = plan
            .documents
            .iter()
            .map(|listed| listed.document.clone())
            .collect();
        helped.apply(&mut documents);
        Self {
            questions: questions(plan, &documents),
            keys: OnceLock::new(),
            stored_before: OnceLock::new(),
            documents,
            plan,
            helped,
        }
    }

    pub fn estimate(&self, store: Option<&Store>) -> Result<AskingEstimate, Error> {
        let service = &self.plan.service;
        let stored = match store {
            Some(store) => service.stored(&self.asks(), store)?,
            None => 0,
        };
        let mut estimate = AskingEstimate::new(
            self.plan,
            &self.questions,
            (stored, self.rechecks(stored)),
            self.helped.open(),
        );
        if self.plan.config.probes.adaptive {
            let rounds = self.rounds();
            let mut calibrations = BTreeMap::new();
            if let Some(store) = store.filter(|_| stored > 0) {
                let heard = rounds.ask(|places, asks| self.stored_at(places, asks, store))?;
                let spared = self.questions.iter().zip(heard.spared);
                let spared = spared.filter(|(_, spared)| *spared);
                let spared: Vec<Ask> = spared.map(|(question, _)| question.ask()).collect();
                estimate.spared = spared.len() - service.stored(&spared, store)?;
                calibrations = heard.calibrations;
            }
            let expected = rounds.expected(&calibrations).round() as usize;
            let further = expected + self.helped.open();
            let most = estimate.to_ask();
            estimate.expected = Some((further.saturating_sub(stored) + estimate.recheck).min(most));
        }
        let (to_ask, at_once) = (
            estimate.will_ask() as f64,
            self.plan.config.transport.concurrency,
        );
        if let Some((mean, answers)) = store.map(Store::mean_seconds).transpose()?.flatten() {
            estimate.by_latency = Some((mean * to_ask / at_once as f64, answers));
        }
        Ok(estimate)
    }

    /// What questions would give to the service of documents that it does not hold.
    pub fn quoting(&self) -> Quoting {
        Quoting::new(self.plan, &self.documents, &self.questions)
    }

    pub fn len(&self) -> usize {
        self.questions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    pub(super) fn asks(&self) -> Vec<Ask> {
        self.questions.iter().map(Question::ask).collect()
    }

    /// When the stored answers to the questions came.
    pub(super) fn dates(&self, store: &Store) -> Result<Option<Dates>, Error> {
        store.dates(self.keys()?)
    }

    fn keys(&self) -> Result<&[Key], Error> {
        if let Some(keys) = self.keys.get() {
            return Ok(keys);
        }
        // Not all at once: they are as long as everything that is asked.
        let asks = self.questions.par_iter().map(Question::ask);
        let keys = self.plan.service.keys(asks)?;
        Ok(self.keys.get_or_init(|| keys))
    }

    /// What the store has for the questions at these places.
    pub(super) fn stored_at(
        &self,
        places: &[usize],
        asks: &[Ask],
        store: &Store,
    ) -> Result<Asked, Error> {
        let keys = self.keys()?;
        let keys: Vec<Key> = places.iter().map(|place| keys[*place]).collect();
        self.plan.service.replay_under(asks, &keys, store)
    }

    /// Asks what the store does not have and what is needed; with `replay`, nobody is asked. `stored`: what
    /// was found out about answers that are there already. Questions that were not needed are forgotten.
    pub fn collect(
        &mut self,
        store: &Store,
        replay: bool,
        stored: Option<StoredAnswers>,
        progress: Progress<'_>,
    ) -> Result<Collected, Error> {
        let service = &self.plan.service;
        let mut ahead = Ahead::new(self, store);
        let Heard {
            outcomes,
            spared,
            unfinished,
            tally,
            given_up,
            ..
        } = self.rounds().ask(|places, asks| match replay {
            true => ahead.answers(places, asks),
            false => Ok(service.ask_while_answered(asks, store, progress)?),
        })?;
        let given_up = given_up.map(|error| {
            progress.warn(&format!("warning: {error}"));
            error.message
        });
        let count = spared.iter().filter(|spared| **spared).count();
        progress.tell(Event::Advanced { count, tokens: 0 });
        let kept = || spared.iter().map(|spared| !spared);
        retain(&mut self.questions, kept());
        if let Some(keys) = self.keys.get_mut() {
            retain(keys, kept());
        }
        let outcomes = outcomes.into_iter().zip(spared);
        let outcomes = outcomes.filter_map(|(outcome, spared)| (!spared).then_some(outcome));
        let outcomes: Vec<Outcome> = outcomes.collect();
        if !outcomes
            .iter()
            .any(|outcome| matches!(outcome, Outcome::Answered(_)))
        {
            return Err(self.unanswered(replay, tally.not_asked as usize));
        }
        let dates = self.dates(store)?;
        Ok(Collected {
            replies: outcomes,
            spared: count,
            unfinished,
            tally,
            days: dates.map(|dates| dates.days()),
            stored,
            books: match replay {
                true => service.books(store)?,
                false => None,
            },
            given_up,
        })
    }

    pub(super) fn rounds(&self) -> Rounds<'_> {
        Rounds {
            attacks: &self.plan.resolved.attacks,
            documents: &self.documents,
            questions: &self.questions,
            adaptive: self.plan.config.probes.adaptive,
        }
    }

    fn unanswered(&self, replay: bool, not_asked: usize) -> Error {
        let probe = "guestlist probe shows one question and its answer";
        match (replay, self.plan.config.transport.max_requests) {
            (true, _) => Error::usage("the store holds no answer to any of the questions", probe),
            (false, Some(most)) if not_asked == self.len() => Error::usage(
                format!(
                    "the budget of {most} requests was spent before the first question was asked"
                ),
                "raise max_requests and run again; `guestlist plan --max-requests N` proposes what N requests \
                 can show",
            ),
            _ => Error::usage(
                format!("none of {} questions was answered", self.len()),
                probe,
            ),
        }
    }

    /// The documents that are judged, and why these, where they are not all.
    fn sample(&self, collected: &Collected) -> Result<(Sample, DocumentsAsked), Error> {
        let sample = Sample::new(
            self.plan,
            &self.questions,
            &collected.replies,
            &collected.unfinished,
        );
        let replayed = collected
            .stored
            .as_ref()
            .is_some_and(|stored| stored.replayed);
        let ended = match (sample.is_all(), &collected.given_up) {
            (true, _) => None,
            (false, Some(_)) => Some("the service no longer answered"),
            (false, None) if replayed => Some("no further answers stored"),
            (false, None) => Some("budget spent"),
        };
        if let Some(why) = ended {
            sample.check(self.plan, &format!("{why}, and that"))?;
        }
        let documents = DocumentsAsked {
            planned: self.documents.len(),
            asked: sample.asked,
            ended: ended.map(str::to_owned),
        };
        Ok((sample, documents))
    }

    /// Has a helper read the answers of `s2`, where one is named.
    pub fn read_answers(
        &self,
        collected: &mut Collected,
        store: &Store,
        progress: Progress<'_>,
    ) -> Result<Option<String>, Error> {
        let Some(settings) = &self.plan.config.helper.perplexity else {
            return Ok(None);
        };
        let scoring = &self.plan.config.helper.scoring;
        let mut helper = Perplexity::open(settings, &self.plan.place.base, scoring)?;
        let places: Vec<usize> = (0..self.questions.len())
            .filter(|&place| self.questions[place].probe.strategy == "s2")
            .filter(|&place| matches!(&collected.replies[place], Outcome::Answered(_)))
            .collect();
        let answers: Vec<String> = places
            .iter()
            .map(|&place| match &collected.replies[place] {
                Outcome::Answered(reply) => reply.answer.to_string(),
                _ => String::new(),
            })
            .collect();
        let values = helper.read(&answers, store, progress)?;
        for (place, value) in places.into_iter().zip(values) {
            if let Outcome::Answered(reply) = &mut collected.replies[place] {
                Arc::make_mut(reply).perplexity = value;
            }
        }
        Ok(Some(helper.about()))
    }

    /// Writes every exchange about documents that are judged, for people and for `guestlist audit`.
    pub fn write(&self, collected: &Collected) -> Result<PathBuf, Error> {
        let path = self.plan.folder().join("transcript.jsonl");
        let (sample, _) = self.sample(collected)?;
        let controls: Vec<Document> = (self.plan.controls.iter())
            .map(|control| control.document())
            .collect();
        let members = self.plan.documents.iter().map(|listed| listed.member);
        let documents = self.documents.iter().zip(members);
        let documents = documents.chain(controls.iter().map(|control| (control, None)));
        let mut judged = Vec::new();
        // Where a document stands among those that are judged.
        let places: Vec<Option<usize>> = (documents.enumerate())
            .map(|(place, document)| {
                let holds = sample.holds(place);
                judged.extend(holds.then_some(document));
                holds.then(|| judged.len() - 1)
            })
            .collect();
        let exchanges = self.questions.iter().zip(&collected.replies);
        transcript::write_rows(
            &path,
            &judged,
            exchanges.filter_map(|(question, outcome)| recorded(question, outcome, &places)),
        )?;
        Ok(path)
    }

    /// What the judge is handed.
    pub fn request(
        self,
        collected: Collected,
        perplexity: Option<String>,
        command: String,
    ) -> Result<ProbeRequest, Error> {
        let plan = self.plan;
        let config = &plan.config;
        let (sample, asked) = self.sample(&collected)?;
        let mut requests = requests(&self.questions, &collected);
        let repeats = repeats(&self.questions, &collected.replies);
        let failed = failures(&self.questions, &collected.replies, &sample);
        let mut helpers: Vec<String> = self.helped.about().into_iter().collect();
        helpers.extend(perplexity.map(|words| format!("{words} read the answers of s2")));
        let resolved = &plan.resolved;
        let records = sample.asked;
        let inputs = plan.inputs.clone();
        let mut context = config
            .audit
            .context(resolved, records, config.seed, command, inputs);
        context.notes = self.helped.notes();
        let (slicing, persons) = plan.cut(&sample)?;
        context.slicing = slicing;
        context.resample();
        context.belong_to(persons);
        if asked.ended.is_some() {
            context.notes.push(format!(
                "{asked}: these are a random sample of all, and judged as one"
            ));
        }
        requests.documents = Some(asked);
        let stored = collected.stored.map(|stored| StoredAnswers {
            stored_tells: self.stored_tells(&sample),
            ..stored
        });
        let (documents, controls) = heard(plan, self.documents, self.questions, collected.replies);
        let documents = sample.of(documents);
        Ok(ProbeRequest {
            format: "retrieval service",
            documents,
            controls: controls::found(&controls),
            stored,
            repeats,
            sources_named: sources_named(&config.target),
            failed,
            left_out_tells: sample.tells,
            attacks: resolved.attacks.clone(),
            context,
            service: Some(plan.service.about()),
            helpers,
            requests,
        })
    }
}

/// What is kept, in the order in which it stands.
fn retain<T>(of: &mut Vec<T>, mut kept: impl Iterator<Item = bool>) {
    of.retain(|_| kept.next().unwrap_or(true));
}
