//! From a plan configuration to what the audit is handed.

use base::Progress;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use asking::rag::Outcome;
use asking::rag::transcript::{self, Recorded, Transcript};
use asking::store::Store;
use attacks::signals::probes::{Arm, Document, Exchange, Probe};
use attacks::source::Label;

use super::Plan;
use super::again::{Again, repeats};
use super::basis::Taken;
use super::captions::{Caption, captions};
use super::perturbed::{PerturbedText, subjects};
use super::recorded::{CAPTION, PERTURBED, PLAIN};
use super::rounds::{AskedText, Rounds};
use super::services::Services;
use super::spent::Spent;
use crate::Error;
use crate::kinds::source::attack::SourceRequest;

/// Everything that was heard.
pub struct Attributing {
    plan: Plan,
    captions: Vec<Caption>,
    subjects: Vec<PerturbedText>,
    heard: Vec<AskedText>,
    again: Vec<Again>,
    taken: Taken,
}

impl Attributing {
    /// What a run would ask first; nothing where that is known only after a caption came.
    pub fn first_question(plan: &Plan) -> Option<String> {
        let subjects = subjects(&plan.basis, &[]);
        let first = subjects.iter().find(|subject| !subject.input.is_empty());
        first.map(|subject| subject.query(0))
    }

    /// Asks what the store does not have; with `replay`, nobody is asked.
    pub fn collect(
        plan: Plan,
        store: &Store,
        replay: bool,
        progress: Progress<'_>,
    ) -> Result<Self, Error> {
        let (captions, captioned) = captions(&plan, store, replay, progress)?;
        let subjects = subjects(&plan.basis, &captions);
        let services = Services {
            plan: &plan,
            store,
            replay,
            progress,
        };
        let rounds = Rounds {
            basis: &plan.basis,
            subjects: &subjects,
            answering: &services,
            progress,
        };
        let mut spent = Spent::default();
        let heard = rounds.ask(&mut spent)?;
        let again = rounds.repeat(&heard, &mut spent)?;
        check_answers(&heard, || match replay {
            true => "the store holds no answer to any of the questions".to_owned(),
            false => format!("none of {} questions was answered", spent.questions()),
        })?;
        let taken = Taken {
            requests: spent.requests(),
            failed: failures(&heard),
            captions: captions.len(),
            captioned: captioned.requests(),
        };
        Ok(Self {
            plan,
            captions,
            subjects,
            heard,
            again,
            taken,
        })
    }

    /// Writes every exchange, and beside it what is needed to judge them again.
    pub fn write(&self, folder: &Path) -> Result<[PathBuf; 2], Error> {
        let path = folder.join("transcript.jsonl");
        transcript::write(&path, &self.transcript())?;
        Ok([path, self.plan.basis.write(folder, &self.taken)?])
    }

    fn transcript(&self) -> Transcript {
        let mut transcript = Transcript::default();
        for (subject, heard) in self.subjects.iter().zip(&self.heard) {
            let document = transcript.documents.len();
            let source = self.plan.basis.items[subject.item].source;
            let member = source.map(|source| source != Label::NonMember);
            transcript.documents.push((
                Document {
                    id: subject.id.clone(),
                    text: subject.input.text().to_owned(),
                    ..Document::default()
                },
                member,
            ));
            let caption = self.captions.iter().find(|caption| {
                caption.item == subject.item && Some(caption.sigma) == subject.sigma
            });
            let caption = caption.map(|caption| (caption.asked.clone(), &caption.outcome));
            let mut record = |strategy: &str, variation, arm, query, outcome: &Outcome| {
                let recorded = recorded(document, strategy, variation, arm, query, outcome);
                transcript.exchanges.extend(recorded);
            };
            if let Some((query, outcome)) = caption {
                record(CAPTION, 0, Arm::Retrieval, query, outcome);
            }
            let arms = [
                (Arm::Retrieval, &heard.with, &heard.plain[0]),
                (Arm::NoRetrieval, &heard.without, &heard.plain[1]),
            ];
            for (arm, outcomes, plain) in arms {
                if let Some(outcome) = plain {
                    record(PLAIN, 0, arm, subject.plain_query(), outcome);
                }
                for (row, outcome) in outcomes.iter().enumerate() {
                    record(PERTURBED, row, arm, subject.query(row), outcome);
                }
            }
            transcript.exchanges.extend(self.asked_again(document));
        }
        transcript
    }

    /// What was asked a second time about a text.
    fn asked_again(&self, place: usize) -> Vec<Recorded> {
        let again = self.again.iter().filter(|again| again.subject == place);
        again
            .filter_map(|again| {
                let query = self.subjects[place].query(again.row);
                let outcome = &again.outcome;
                let first = recorded(place, PERTURBED, again.row, Arm::Retrieval, query, outcome)?;
                Some(Recorded { repeat: 1, ..first })
            })
            .collect()
    }

    /// What the judge is handed.
    pub fn request(self, command: String) -> Result<SourceRequest, Error> {
        let Plan {
            config,
            resolved,
            basis,
            inputs,
            ..
        } = &self.plan;
        let items = basis.items.len();
        let context = config
            .audit
            .context(resolved, items, config.seed, command, inputs.clone());
        Ok(SourceRequest {
            repeats: repeats(&self.again, &self.subjects, &self.heard),
            taken: self.taken,
            attacks: resolved.attacks.clone(),
            basis: basis.clone(),
            subjects: self.subjects,
            heard: self.heard,
            context,
        })
    }
}

/// Without a single answer there is nothing to judge; `why` says what became of the questions.
pub(super) fn check_answers(
    heard: &[AskedText],
    why: impl FnOnce() -> String,
) -> Result<(), Error> {
    let answered = |outcome: &Outcome| matches!(outcome, Outcome::Answered(_));
    match heard.iter().flat_map(|heard| &heard.with).any(answered) {
        true => Ok(()),
        false => Err(Error::usage(
            why(),
            "guestlist probe shows one question and its answer",
        )),
    }
}

/// Questions without an answer, by why.
fn failures(heard: &[AskedText]) -> BTreeMap<String, usize> {
    let mut failed = BTreeMap::new();
    for outcome in heard
        .iter()
        .flat_map(|of| of.with.iter().chain(&of.without))
    {
        let why = match outcome {
            Outcome::Answered(_) => continue,
            Outcome::Failed { kind, .. } => kind.to_string(),
            Outcome::NotAsked => "not asked, as the budget was spent".into(),
        };
        *failed.entry(why).or_default() += 1;
    }
    failed
}

/// Nothing for what was not asked.
fn recorded(
    document: usize,
    strategy: &str,
    variation: usize,
    arm: Arm,
    query: String,
    outcome: &Outcome,
) -> Option<Recorded> {
    let (reply, error) = match outcome {
        Outcome::Answered(reply) => (Some(reply.clone()), None),
        Outcome::Failed { message, .. } => (None, Some(message.clone())),
        Outcome::NotAsked => return None,
    };
    Some(Recorded {
        document,
        arm,
        repeat: 0,
        exchange: Exchange {
            probe: Probe {
                strategy: strategy.to_owned(),
                variation,
                query,
                expected: Default::default(),
            }
            .into(),
            reply,
        },
        error,
    })
}
