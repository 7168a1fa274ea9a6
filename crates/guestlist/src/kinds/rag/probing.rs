//! Asking the service everything, and the audit of what it said.

use base::Progress;
use std::collections::BTreeMap;
use std::path::PathBuf;

use asking::rag::transcript::{self, Recorded, Transcript};
use asking::rag::{Ask, Asked, Outcome, Tally, TargetSettings};
use asking::store::Store;
use attacks::signals::probes::{Arm, Document, Exchange, Reply};
use judge::rag::{Repeats, SourcesNamed, StoredAnswers};
use report::Inputs;
use report::rag::Requests;

use super::controls;
use super::helper::{Helped, Perplexity};
use super::questions::{AskingEstimate, Question, questions};
use super::repeats::repeated;
use super::{Plan, Quoting};
use crate::Error;
use crate::kinds::rag::attack::{AskedDocument, ProbeRequest};
use crate::pipeline::digests;

/// The questions of one audit.
pub struct Probing<'a> {
    pub(super) plan: &'a Plan,
    documents: Vec<Document>,
    pub(super) questions: Vec<Question>,
    pub(super) helped: Helped,
}

/// What was heard.
pub struct Collected {
    pub(super) replies: Vec<Outcome>,
    pub(super) tally: Tally,
    /// The days on which the answers came.
    pub(super) days: Option<String>,
    /// What is known of those that an earlier run left.
    pub(super) stored: Option<StoredAnswers>,
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
            documents,
            plan,
            helped,
        }
    }

    pub fn estimate(&self, store: Option<&Store>) -> Result<AskingEstimate, Error> {
        let stored = match store {
            Some(store) => self.plan.service.stored(&self.asks(), store)?,
            None => 0,
        };
        Ok(AskingEstimate::new(
            self.plan,
            &self.questions,
            (stored, self.rechecks(stored)),
            self.helped.open(),
        ))
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

    /// Asks what the store does not have; with `replay`, nobody is asked. `stored`: what was found out
    /// about answers that are there already.
    pub fn collect(
        &self,
        store: &Store,
        replay: bool,
        stored: Option<StoredAnswers>,
        progress: Progress<'_>,
    ) -> Result<Collected, Error> {
        let asks = self.asks();
        let service = &self.plan.service;
        let Asked { outcomes, tally } = match replay {
            true => service.replay(&asks, store)?,
            false => service.ask_all(&asks, store, progress)?,
        };
        if !outcomes
            .iter()
            .any(|outcome| matches!(outcome, Outcome::Answered(_)))
        {
            return Err(Error::usage(
                match replay {
                    true => "the store holds no answer to any of the questions".to_owned(),
                    false => format!("none of {} questions was answered", asks.len()),
                },
                "guestlist probe shows one question and its answer",
            ));
        }
        let dates = service.dates(&asks, store)?;
        Ok(Collected {
            replies: outcomes,
            tally,
            days: dates.map(|dates| dates.days()),
            stored,
        })
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
                Outcome::Answered(reply) => reply.answer.clone(),
                _ => String::new(),
            })
            .collect();
        let values = helper.read(&answers, store, progress)?;
        for (place, value) in places.into_iter().zip(values) {
            if let Outcome::Answered(reply) = &mut collected.replies[place] {
                reply.perplexity = value;
            }
        }
        Ok(Some(helper.about()))
    }

    /// Writes every exchange, for people and for `guestlist audit`.
    pub fn write(&self, collected: &Collected) -> Result<PathBuf, Error> {
        let path = self.plan.folder().join("transcript.jsonl");
        let documents = self.documents.iter().zip(&self.plan.documents);
        let documents = documents.map(|(document, listed)| (document.clone(), listed.member));
        let controls = self.plan.controls.iter();
        let documents = documents.chain(controls.map(|control| (control.document(), None)));
        let recorded = |(question, outcome): (&Question, &Outcome)| {
            let (reply, error) = match outcome {
                Outcome::Answered(reply) => (Some(reply.clone()), None),
                Outcome::Failed { message, .. } => (None, Some(message.clone())),
                Outcome::NotAsked => return None,
            };
            Some(Recorded {
                document: question.document,
                arm: question.arm,
                repeat: question.repeat,
                exchange: Exchange {
                    probe: question.probe.clone(),
                    reply,
                },
                error,
            })
        };
        let exchanges = self.questions.iter().zip(&collected.replies);
        let transcript = Transcript {
            documents: documents.collect(),
            exchanges: exchanges.filter_map(recorded).collect(),
        };
        transcript::write(&path, &transcript)?;
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
        let requests = requests(&self.questions, &collected);
        let repeats = repeats(&self.questions, &collected.replies);
        let failed = failures(&self.questions, &collected.replies);
        let mut helpers: Vec<String> = self.helped.about().into_iter().collect();
        helpers.extend(perplexity.map(|words| format!("{words} read the answers of s2")));
        let resolved = &plan.resolved;
        let records = self.documents.len();
        let inputs = inputs(plan)?;
        let mut context = config
            .audit
            .context(resolved, records, config.seed, command, inputs);
        context.notes = self.helped.notes();
        context.slicing = plan.slicing.clone();
        context.resample();
        context.belong_to(plan.persons.clone());
        let stored = collected.stored;
        let (documents, controls) = heard(plan, self.documents, self.questions, collected.replies);
        Ok(ProbeRequest {
            format: "retrieval service",
            documents,
            controls: controls::found(&controls),
            stored,
            repeats,
            sources_named: sources_named(&config.target),
            failed,
            attacks: resolved.attacks.clone(),
            context,
            service: Some(plan.service.about()),
            helpers,
            requests,
        })
    }
}

/// What was heard about documents, and about controls.
fn heard(
    plan: &Plan,
    documents: Vec<Document>,
    questions: Vec<Question>,
    replies: Vec<Outcome>,
) -> (Vec<AskedDocument>, Vec<(Document, Vec<Exchange>)>) {
    let mut controls: Vec<(Document, Vec<Exchange>)> = plan
        .controls
        .iter()
        .map(|control| (control.document(), Vec::new()))
        .collect();
    let mut heard = unheard(plan, documents);
    let asked = questions.into_iter().zip(replies);
    for (question, outcome) in asked.filter(|(question, _)| question.repeat == 0) {
        let failed = matches!(outcome, Outcome::Failed { .. });
        let control = question.document.checked_sub(heard.len());
        let exchange = Exchange {
            probe: question.probe,
            reply: reply(outcome),
        };
        match control {
            Some(place) => controls[place].1.push(exchange),
            None => heard[question.document].add(question.arm, exchange, failed),
        }
    }
    (heard, controls)
}

fn unheard(plan: &Plan, documents: Vec<Document>) -> Vec<AskedDocument> {
    let documents = documents.into_iter().zip(&plan.documents);
    let unheard = documents.map(|(document, listed)| AskedDocument {
        document,
        member: listed.member,
        topic: listed.topic.clone(),
        date: listed.date.clone(),
        failed: 0,
        on: Vec::new(),
        off: Vec::new(),
    });
    unheard.collect()
}

fn reply(outcome: Outcome) -> Option<Reply> {
    match outcome {
        Outcome::Answered(reply) => Some(reply),
        _ => None,
    }
}

/// Whether somebody wrote where sources are, or only a preset says so.
fn sources_named(target: &TargetSettings) -> SourcesNamed {
    let extract = &target.extract;
    let by_hand = extract.citations.is_some() || extract.retrieved.is_some();
    match (by_hand, &target.preset) {
        (true, _) => SourcesNamed::ByHand,
        (false, Some(_)) => SourcesNamed::ByPreset,
        (false, None) => SourcesNamed::No,
    }
}

/// Questions with retrieval that have no answer, by why.
fn failures(questions: &[Question], replies: &[Outcome]) -> BTreeMap<String, usize> {
    let mut failed = BTreeMap::new();
    for (question, outcome) in questions.iter().zip(replies) {
        if question.arm != Arm::Retrieval || question.repeat > 0 || question.is_control() {
            continue;
        }
        let why = match outcome {
            Outcome::Answered(_) => continue,
            Outcome::Failed { kind, .. } => kind.to_string(),
            Outcome::NotAsked => "not asked, as the budget was spent".into(),
        };
        *failed.entry(why).or_default() += 1;
    }
    failed
}

fn requests(questions: &[Question], collected: &Collected) -> Requests {
    let tally = &collected.tally;
    let failed = tally.failed.iter();
    Requests {
        questions: questions.len(),
        answered: (tally.answered + tally.from_store) as usize,
        from_store: tally.from_store as usize,
        sent: tally.sent + collected.stored.as_ref().map_or(0, |stored| stored.sent),
        retried: tally.retried,
        not_asked: tally.not_asked as usize,
        failed: failed
            .map(|(kind, count)| (kind.to_string(), *count as usize))
            .collect(),
        faults: tally
            .faults
            .iter()
            .map(|(kind, count)| (kind.to_string(), *count as usize))
            .collect(),
        tokens_in: tally.tokens_in,
        tokens_out: tally.tokens_out,
        tokens_estimated: tally.tokens_estimated > 0,
        days: collected.days.clone(),
    }
}

fn repeats(questions: &[Question], replies: &[Outcome]) -> Option<Repeats> {
    let asked = questions.iter().zip(replies);
    repeated(asked.filter_map(|(question, outcome)| match outcome {
        Outcome::Answered(reply) if question.arm == Arm::Retrieval => {
            let query = question.probe.query.as_str();
            Some((query, question.repeat, reply.answer.as_str()))
        }
        _ => None,
    }))
}

fn inputs(plan: &Plan) -> Result<Vec<Inputs>, Error> {
    let files = plan.config.documents.files(&plan.place.base);
    digests(
        std::iter::once(plan.place.path.clone()).chain(files),
        Some(&plan.place.base),
    )
}
