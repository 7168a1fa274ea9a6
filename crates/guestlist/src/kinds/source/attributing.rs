//! From a checked configuration to what the audit is handed.

use base::Progress;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use asking::rag::Outcome;
use asking::rag::transcript::{self, Recorded, Transcript};
use asking::store::Store;
use attacks::signals::probes::{Arm, Document, Exchange, Probe};
use attacks::source::Label;
use formats::texts::Item;
use report::Inputs;

use super::Plan;
use super::again::{Again, repeats};
use super::asking::{Heard, Rounds};
use super::captions::{Caption, captions};
use super::perturbed::{PerturbedText, subjects};
use super::spent::Spent;
use crate::Error;
use crate::kinds::source::attack::SourceRequest;
use crate::pipeline::digests;

/// Everything that was heard.
pub struct Attributing {
    checked: Arc<Plan>,
    captions: Vec<Caption>,
    subjects: Vec<PerturbedText>,
    heard: Vec<Heard>,
    again: Vec<Again>,
    captioned: Spent,
    spent: Spent,
}

impl Attributing {
    /// What a run would ask first; nothing where that is known only after a caption came.
    pub fn first_question(checked: &Plan) -> Option<String> {
        let subjects = subjects(checked, &[]);
        let first = subjects.iter().find(|subject| !subject.input.is_empty());
        first.map(|subject| subject.query(0))
    }

    /// Asks what the store does not have; with `replay`, nobody is asked.
    pub fn collect(
        checked: Arc<Plan>,
        store: &Store,
        replay: bool,
        progress: Progress<'_>,
    ) -> Result<Self, Error> {
        let (captions, captioned) = captions(&checked, store, replay, progress)?;
        let subjects = subjects(&checked, &captions);
        let rounds = Rounds {
            checked: &checked,
            subjects: &subjects,
            store,
            replay,
            progress,
        };
        let mut spent = Spent::default();
        let heard = rounds.ask(&mut spent)?;
        let again = rounds.repeat(&heard, &mut spent)?;
        let attributing = Self {
            checked,
            captions,
            subjects,
            heard,
            again,
            captioned,
            spent,
        };
        attributing.check_answers(replay)?;
        Ok(attributing)
    }

    fn check_answers(&self, replay: bool) -> Result<(), Error> {
        let answered = |outcome: &Outcome| matches!(outcome, Outcome::Answered(_));
        let mut heard = self.heard.iter().flat_map(|heard| &heard.with);
        if heard.any(answered) {
            return Ok(());
        }
        Err(Error::usage(
            match replay {
                true => "the store holds no answer to any of the questions".to_owned(),
                false => format!("none of {} questions was answered", self.spent.questions()),
            },
            "guestlist probe shows one question and its answer",
        ))
    }

    /// Writes every exchange, for people.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, Error> {
        let path = folder.join("transcript.jsonl");
        transcript::write(&path, &self.transcript())?;
        Ok(path)
    }

    fn transcript(&self) -> Transcript {
        let mut transcript = Transcript::default();
        for (subject, heard) in self.subjects.iter().zip(&self.heard) {
            let document = transcript.documents.len();
            let source = self.checked.items[subject.item].source;
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
                record("caption", 0, Arm::Retrieval, query, outcome);
            }
            let arms = [
                (Arm::Retrieval, &heard.with, &heard.plain[0]),
                (Arm::NoRetrieval, &heard.without, &heard.plain[1]),
            ];
            for (arm, outcomes, plain) in arms {
                if let Some(outcome) = plain {
                    record("unperturbed", 0, arm, subject.plain_query(), outcome);
                }
                for (row, outcome) in outcomes.iter().enumerate() {
                    record("sma", row, arm, subject.query(row), outcome);
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
                let first = recorded(place, "sma", again.row, Arm::Retrieval, query, outcome)?;
                Some(Recorded { repeat: 1, ..first })
            })
            .collect()
    }

    /// What the judge is handed.
    pub fn request(self, command: String) -> Result<SourceRequest, Error> {
        let config = &self.checked.config;
        let inputs = inputs(&self.checked)?;
        let items = self.checked.items.len();
        let context =
            config
                .audit
                .context(&self.checked.resolved, items, config.seed, command, inputs);
        Ok(SourceRequest {
            failed: self.failures(),
            repeats: repeats(&self.again, &self.subjects, &self.heard),
            captions: self.captions.len(),
            captioned: self.captioned.requests(),
            requests: self.spent.requests(),
            planned: self.planned(),
            asked: self.spent.questions(),
            checked: self.checked,
            subjects: self.subjects,
            heard: self.heard,
            context,
        })
    }

    /// Questions in both arms, were every text asked in full.
    fn planned(&self) -> usize {
        let plain = |heard: &Heard| heard.plain.iter().flatten().count();
        let texts = self.subjects.iter().zip(&self.heard);
        let texts = texts.filter(|(subject, _)| !subject.input.is_empty());
        texts
            .map(|(subject, heard)| 2 * subject.masks.rows() + plain(heard))
            .sum()
    }

    /// Questions without an answer, by why.
    fn failures(&self) -> BTreeMap<String, usize> {
        let mut failed = BTreeMap::new();
        let all = self.heard.iter();
        for outcome in all.flat_map(|heard| heard.with.iter().chain(&heard.without)) {
            let why = match outcome {
                Outcome::Answered(_) => continue,
                Outcome::Failed { kind, .. } => kind.to_string(),
                Outcome::NotAsked => "not asked, as the budget was spent".into(),
            };
            *failed.entry(why).or_default() += 1;
        }
        failed
    }
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
            },
            reply,
        },
        error,
    })
}

fn inputs(checked: &Plan) -> Result<Vec<Inputs>, Error> {
    let files = checked.config.items.files(&checked.place.base);
    let pictures = checked.items.iter().filter_map(Item::picture);
    let files = files
        .into_iter()
        .chain(pictures.map(std::path::Path::to_owned));
    digests(
        std::iter::once(checked.place.path.clone()).chain(files),
        Some(&checked.place.base),
    )
}
