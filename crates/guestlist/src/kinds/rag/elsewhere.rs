//! Questions that others ask, and the answers that they bring back.
//!
//! A row of questions has an id, the question, and whether it is to be asked with retrieval. Nothing in
//! it tells which documents are members: an id is a digest of its own row, and rows stand in the order
//! of their ids, so that neither the seed nor the order of the documents shows.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use asking::rag::transcript::Answered;
use asking::rag::{Ask, FailureKind, Outcome, Tally};
use attacks::signals::probes::Arm;
use base::Progress;
use serde_json::json;

use super::attack::ProbeRequest;
use super::probing::Collected;
use super::{Helped, Plan, Probing, Rag};
use crate::pipeline::{AuditRequest, Document, digests, document_text, tell_findings};
use crate::{Error, Result};

/// Whether the rows answer questions that were handed out.
pub fn recognise(input: &Path) -> bool {
    Answered::recognise(input)
}

impl Probing<'_> {
    /// Every question as JSON Lines, equal ones once.
    pub fn handed_out(&self) -> Result<String> {
        let open = self.helped.open();
        if open > 0 {
            return Err(Error::usage(
                format!("{open} documents wait for questions that a helper is to write"),
                "leave out [helper.questions], or put questions into the documents themselves",
            ));
        }
        let rows: BTreeMap<String, Ask> = (self.asks().into_iter())
            .map(|ask| (ask.id(), ask))
            .collect();
        let row = |(id, ask): (&String, &Ask)| {
            let retrieval = ask.arm == Arm::Retrieval;
            format!(
                "{}\n",
                json!({"id": id, "question": ask.query, "retrieval": retrieval})
            )
        };
        Ok(rows.iter().map(row).collect())
    }
}

/// What the judge is handed of answers to the questions of a configuration.
pub fn read(input: &Path, request: &AuditRequest, progress: Progress<'_>) -> Result<ProbeRequest> {
    let Some(config) = &request.config else {
        return Err(Error::usage(
            format!(
                "{}: answers questions that were handed out, and does not say about which documents",
                input.display()
            ),
            "name the configuration that the questions were made of with --config",
        ));
    };
    let text = document_text(config)?;
    let document = Document::new(config, &text)?;
    let plan = Plan::new(document.config::<Rag>()?, document.place(), None)?;
    tell_findings::<Rag>(&plan, progress);
    let probing = Probing::new(&plan, Helped::planned(&plan, None)?);
    let answers = Answers::read(input, &plan, &probing)?;
    answers.tell_missing(input, progress);
    let collected = answers.collected(&probing)?;
    let mut judged = probing.request(collected, None, request.command.clone())?;
    judged
        .context
        .inputs
        .extend(digests([input.to_owned()], None)?);
    Ok(judged)
}

/// What came back, question by question.
struct Answers {
    outcomes: HashMap<String, Outcome>,
    missing: Vec<String>,
}

impl Answers {
    fn read(input: &Path, plan: &Plan, probing: &Probing<'_>) -> Result<Self> {
        let asks = probing.asks();
        let known: HashMap<String, &Ask> = asks.iter().map(|ask| (ask.id(), ask)).collect();
        let mut first: HashMap<String, usize> = HashMap::new();
        let mut outcomes = HashMap::new();
        for answered in asking::rag::transcript::answers(input, &plan.config.target)? {
            let row = answered.row;
            let Some(ask) = known.get(&answered.id) else {
                return Err(foreign(input, &answered));
            };
            match &answered.question {
                None => return Err(unasked(input, &answered)),
                Some(said) if *said != ask.query => return Err(edited(input, &answered)),
                Some(_) => {}
            }
            let retrieval = ask.arm == Arm::Retrieval;
            if answered.retrieval.is_some_and(|said| said != retrieval) {
                return Err(other_arm(input, &answered, retrieval));
            }
            if let Some(before) = first.insert(answered.id.clone(), row) {
                return Err(twice(input, &answered, before));
            }
            outcomes.insert(answered.id, answered.outcome);
        }
        let missing = known.into_keys().filter(|id| !outcomes.contains_key(id));
        let mut missing: Vec<String> = missing.collect();
        missing.sort();
        Ok(Self { outcomes, missing })
    }

    fn tell_missing(&self, input: &Path, progress: Progress<'_>) {
        let Some(example) = self.missing.first() else {
            return;
        };
        progress.facts("missing", &json!({"ids": self.missing}));
        progress.warn(&format!(
            "warning: {}: {} of {} questions have no answer, such as {example}",
            input.display(),
            self.missing.len(),
            self.missing.len() + self.outcomes.len()
        ));
    }

    /// In the order of the questions.
    fn collected(&self, probing: &Probing<'_>) -> Result<Collected> {
        let mut tally = Tally::default();
        let replies = probing.asks().into_iter().map(|ask| {
            let outcome = self.outcomes.get(&ask.id()).cloned();
            let outcome = outcome.unwrap_or_else(|| Outcome::Failed {
                kind: FailureKind::Missing,
                message: FailureKind::Missing.to_string(),
            });
            tally.count(&outcome, false);
            outcome
        });
        let replies: Vec<Outcome> = replies.collect();
        if tally.answered == 0 {
            return Err(Error::usage(
                format!("none of {} questions was answered", replies.len()),
                "a row is an answer where it has id, question and answer: {\"id\": \"…\", \"question\": \"…\", \
                 \"answer\": \"…\"}",
            ));
        }
        Ok(Collected {
            replies,
            spared: 0,
            unfinished: HashSet::new(),
            tally,
            days: None,
            stored: None,
            books: None,
            given_up: None,
        })
    }
}

fn wrong(input: &Path, answered: &Answered, message: &str, hint: &str) -> Error {
    Error::mismatch(format!(
        "row {}: id {:?} {message}",
        answered.row, answered.id
    ))
    .at(input)
    .hint(hint)
}

fn foreign(input: &Path, answered: &Answered) -> Error {
    wrong(
        input,
        answered,
        "is no question of the configuration",
        "were documents, attacks, settings, limit or seed changed since the questions were written? \
         `guestlist plan --questions` writes them anew; answers to questions that stayed can be kept",
    )
}

fn edited(input: &Path, answered: &Answered) -> Error {
    wrong(
        input,
        answered,
        "has another question than was handed out: what it answers is not known",
        "ask the question as it was written, and answer that; or take the row out",
    )
}

fn other_arm(input: &Path, answered: &Answered, handed_out: bool) -> Error {
    let message = format!(
        "was handed out with \"retrieval\": {handed_out} and came back with {}: an answer of the other arm \
         would be judged as one of this",
        !handed_out
    );
    wrong(
        input,
        answered,
        &message,
        "ask the question as it was handed out, with or without retrieval, and answer that; or take the row out",
    )
}

fn unasked(input: &Path, answered: &Answered) -> Error {
    wrong(
        input,
        answered,
        "does not say which question it answers: answers beside the wrong ids would look like a service that \
         gives nothing away",
        "keep `question` in every row, as it was handed out",
    )
}

fn twice(input: &Path, answered: &Answered, before: usize) -> Error {
    let message = format!("was answered in row {before} already");
    wrong(
        input,
        answered,
        &message,
        "keep one of the two rows, the first that came",
    )
}
