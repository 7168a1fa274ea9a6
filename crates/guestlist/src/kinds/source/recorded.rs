//! A transcript of a run answers in place of the services: rounds, looks and labels come about as they
//! did then.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use asking::rag::transcript::{self, Recorded};
use asking::rag::{Asked, FailureKind, Outcome};
use attacks::signals::probes::Arm;
use base::Progress;

use super::Source;
use super::again::repeats;
use super::attack::SourceRequest;
use super::attributing::check_answers;
use super::basis::{self, Basis};
use super::captions::{Caption, said};
use super::perturbed::{PerturbedText, id, subjects};
use super::rounds::Rounds;
use super::services::{Answering, Question};
use super::spent::Spent;
use crate::Error;
use crate::pipeline::{AuditRequest, digests};

/// Strategies of a transcript: a picture's caption, a perturbed input, a text as it is.
pub const CAPTION: &str = "caption";
pub const PERTURBED: &str = "perturbed";
pub const PLAIN: &str = "unperturbed";

/// Whether these are exchanges of an audit of sources.
pub fn recognise(input: &Path) -> bool {
    let ours = |strategy: String| [CAPTION, PERTURBED, PLAIN].contains(&strategy.as_str());
    transcript::recognise(input) && transcript::first_strategy(input).is_some_and(ours)
}

/// What the judge is handed of a transcript, and of what the run kept beside it.
pub fn read(
    input: &Path,
    request: &AuditRequest,
    progress: Progress<'_>,
) -> Result<SourceRequest, Error> {
    let resolved = request.options.resolve::<Source>()?;
    let beside = input.with_file_name(basis::FILE);
    let (basis, taken) = Basis::read(&beside)?;
    let inputs = digests([input.to_owned(), beside], None)?;
    let recorded_exchanges = RecordedExchanges::read(input)?;
    let captions = recorded_exchanges.captions(&basis);
    let subjects = subjects(&basis, &captions);
    let answers = recorded_exchanges.about(&subjects)?;
    let rounds = Rounds {
        basis: &basis,
        subjects: &subjects,
        answering: &answers,
        progress,
    };
    let heard = rounds.ask(&mut Spent::default())?;
    let again = rounds.repeat(&heard, &mut Spent::default())?;
    check_answers(&heard, || {
        format!("{}: answers none of the questions", input.display())
    })?;
    // What was drawn in the run is drawn again, unless somebody wants another seed.
    let seed = match request.seed {
        0 => basis.seed,
        other => other,
    };
    let (items, command) = (basis.items.len(), request.command.clone());
    let context = (request.options).context(&resolved, items, seed, command, inputs);
    Ok(SourceRequest {
        repeats: repeats(&again, &subjects, &heard),
        taken,
        attacks: resolved.attacks,
        basis: Arc::new(basis),
        subjects,
        heard,
        context,
    })
}

/// A transcript, by the documents that it names.
struct RecordedExchanges {
    path: PathBuf,
    documents: HashMap<String, Vec<Recorded>>,
}

impl RecordedExchanges {
    fn read(path: &Path) -> Result<Self, Error> {
        let read = transcript::read(path)?;
        let mut documents: HashMap<String, Vec<Recorded>> = HashMap::new();
        for recorded in read.exchanges {
            let (document, _) = &read.documents[recorded.document];
            let of = documents.entry(document.id.clone()).or_default();
            of.push(recorded);
        }
        Ok(Self {
            path: path.to_owned(),
            documents,
        })
    }

    fn exchanges(&self, id: &str) -> &[Recorded] {
        self.documents.get(id).map_or(&[], Vec::as_slice)
    }

    /// Every caption that came, in the order in which they were asked for.
    fn captions(&self, basis: &Basis) -> Vec<Caption> {
        let mut captions = Vec::new();
        let items = basis.items.iter().enumerate();
        for (place, item) in items.filter(|(_, item)| item.picture().is_some()) {
            for (nth, &sigma) in basis.deviations.iter().enumerate() {
                let swept = nth > 0;
                let of = self.exchanges(&id(item, swept.then_some(sigma)));
                let mut of = of.iter();
                let found = of.find(|recorded| recorded.exchange.probe.strategy == CAPTION);
                captions.extend(found.map(|recorded| {
                    let outcome = outcome(recorded);
                    Caption {
                        item: place,
                        sigma,
                        swept,
                        asked: recorded.exchange.probe.query.clone(),
                        text: said(&outcome),
                        outcome,
                    }
                }));
            }
        }
        captions
    }

    /// What was asked about these texts, and answered. Other words than theirs are another run's.
    fn about(&self, subjects: &[PerturbedText]) -> Result<Answers, Error> {
        let mut answers = HashMap::new();
        for (subject, of) in subjects.iter().enumerate() {
            for recorded in self.exchanges(&of.id) {
                let probe = &recorded.exchange.probe;
                let row = match probe.strategy.as_str() {
                    PERTURBED => Some(probe.variation),
                    PLAIN => None,
                    _ => continue,
                };
                if of.asked(row).as_ref() != Some(&probe.query) {
                    return Err(self.another_run(&of.id));
                }
                let question = Question { subject, row };
                let key = (question, recorded.arm, recorded.repeat);
                answers.insert(key, outcome(recorded));
            }
        }
        Ok(Answers(answers))
    }

    fn another_run(&self, id: &str) -> Error {
        Error::usage(
            format!(
                "{}: {id:?} was asked something else than {} says",
                self.path.display(),
                basis::FILE
            ),
            "keep the two files of one run together",
        )
    }
}

fn outcome(recorded: &Recorded) -> Outcome {
    match &recorded.exchange.reply {
        Some(reply) => Outcome::Answered(reply.clone()),
        // Why is counted in what the asking took.
        None => Outcome::Failed {
            kind: FailureKind::Schema,
            message: recorded.error.clone().unwrap_or_default(),
        },
    }
}

/// By question, arm and time.
struct Answers(HashMap<(Question, Arm, u32), Outcome>);

impl Answering for Answers {
    fn answer(
        &self,
        arm: Arm,
        questions: &[(Question, String)],
        repeat: u32,
    ) -> Result<Asked, Error> {
        let found = |(question, _): &(Question, String)| {
            let found = self.0.get(&(*question, arm, repeat));
            found.cloned().unwrap_or_default()
        };
        Ok(Asked {
            outcomes: questions.iter().map(found).collect(),
            ..Asked::default()
        })
    }

    fn is_live(&self) -> bool {
        false
    }
}
