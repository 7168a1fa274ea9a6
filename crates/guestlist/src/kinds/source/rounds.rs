//! Asking in rounds: a few perturbed inputs of every text that is not settled yet, with retrieval and
//! then without, before the next few.

use asking::rag::Outcome;
use attacks::signals::probes::Arm;
use attacks::source::settling::{self, Look, looks};
use attacks::source::{Reference, Responses, Row, Rules, responses};
use base::{Progress, Unit};
use rayon::prelude::*;
use stats::streams::{Seed, shuffle};

use super::PerturbedText;
use super::basis::Basis;
use super::services::{Answering, Question};
use super::spent::Spent;
use crate::Error;

/// What was heard about one text, row by row.
#[derive(Default)]
pub struct AskedText {
    pub with: Vec<Outcome>,
    pub without: Vec<Outcome>,
    /// To the text as it is, where answers are compared with that.
    pub plain: [Option<Outcome>; 2],
    /// Answers as numbers; nothing where no answer came.
    pub on: Vec<Option<f64>>,
    pub off: Vec<Option<f64>>,
    looks: Vec<Look>,
    /// Rows that were answered at the last look.
    looked_at: usize,
    /// The look at which its labels were settled.
    pub stopped: Option<Look>,
}

impl AskedText {
    /// Rows that were asked in both arms.
    pub fn rows(&self) -> usize {
        let arms = self.with.iter().zip(&self.without);
        arms.filter(|(with, without)| is_asked(with) && is_asked(without))
            .count()
    }

    /// Questions that the rounds came to, and those of them that were asked.
    pub fn questions(&self) -> (usize, usize) {
        let all = || {
            let rows = self.with.iter().chain(&self.without);
            rows.chain(self.plain.iter().flatten())
        };
        (
            all().count(),
            all().filter(|outcome| is_asked(outcome)).count(),
        )
    }

    /// Rows that were answered with retrieval.
    pub(super) fn answered_rows(&self) -> impl Iterator<Item = usize> {
        let rows = self.with.iter().enumerate();
        rows.filter_map(|(row, outcome)| answer(outcome).map(|_| row))
    }

    /// Rows that were answered in both arms.
    fn answered(&self) -> usize {
        let arms = self.on.iter().zip(&self.off);
        arms.filter(|(on, off)| on.is_some() && off.is_some())
            .count()
    }
}

/// One audit's rounds.
pub struct Rounds<'a> {
    pub basis: &'a Basis,
    pub subjects: &'a [PerturbedText],
    pub answering: &'a dyn Answering,
    pub progress: Progress<'a>,
}

impl Rounds<'_> {
    /// Asks everything that the rules want.
    pub fn ask(&self, spent: &mut Spent) -> Result<Vec<AskedText>, Error> {
        let settings = &self.basis.settings;
        let mut heard: Vec<AskedText> =
            self.subjects.iter().map(|_| AskedText::default()).collect();
        if settings.reference == Reference::Output {
            self.ask_plain(&mut heard, spent)?;
        }
        let ends = looks(settings.perturbations);
        self.try_both_arms(spent)?;
        let mut from = 0;
        for (round, &to) in ends.iter().enumerate() {
            let open = self.open(&heard);
            if open.is_empty() {
                break;
            }
            let name = format!("round {} of {}", round + 1, ends.len());
            self.ask_round(&open, from..to, &name, &mut heard, spent)?;
            self.listen(&open, from, &mut heard)?;
            if settings.early_stopping {
                self.look(&open, to, &mut heard);
            }
            if self.progress.cancelled() {
                return Err(Error::interrupted());
            }
            from = to;
        }
        Ok(heard)
    }

    /// Texts that are still asked about, in an order drawn by the seed: a budget that ends early, or
    /// a service that changes with time, treats all sources alike.
    fn open(&self, heard: &[AskedText]) -> Vec<usize> {
        let wanted = |place: &usize| {
            let subject = &self.subjects[*place];
            let settled = heard[*place].stopped.is_some() && !subject.checked;
            !subject.input.is_empty() && !settled
        };
        let mut order: Vec<usize> = (0..self.subjects.len()).collect();
        let seed = Seed(self.basis.seed);
        shuffle(&mut seed.stream("order of texts"), &mut order);
        order.into_iter().filter(wanted).collect()
    }

    /// A few texts at a time in both arms, so that a budget that ends leaves pairs of answers.
    fn ask_round(
        &self,
        open: &[usize],
        rows: std::ops::Range<usize>,
        name: &str,
        heard: &mut [AskedText],
        spent: &mut Spent,
    ) -> Result<(), Error> {
        self.progress
            .phase(name, 2 * open.len() * rows.len(), Unit::Questions);
        for texts in open.chunks(self.answering.at_once()) {
            for arm in [Arm::Retrieval, Arm::NoRetrieval] {
                let of = |&subject: &usize| {
                    let rows = rows.clone().map(Some);
                    rows.map(move |row| Question { subject, row })
                };
                let questions: Vec<Question> = texts.iter().flat_map(of).collect();
                let outcomes = self.ask_arm(arm, &questions, 0, spent)?;
                for (question, outcome) in questions.into_iter().zip(outcomes) {
                    heard[question.subject].arm(arm).push(outcome);
                }
            }
        }
        Ok(())
    }

    /// One question in each arm before the rest: what is wrong with either shows before much is
    /// paid. The answers are kept, and taken from the store afterwards.
    fn try_both_arms(&self, spent: &mut Spent) -> Result<(), Error> {
        let mut texts = self.subjects.iter();
        let first = texts.position(|subject| !subject.input.is_empty());
        if let (Some(subject), true) = (first, self.answering.is_live()) {
            let row = Some(0);
            for arm in [Arm::Retrieval, Arm::NoRetrieval] {
                self.ask_arm(arm, &[Question { subject, row }], 0, spent)?;
            }
        }
        Ok(())
    }

    /// The texts as they are, for answers that are compared with the answer to that.
    fn ask_plain(&self, heard: &mut [AskedText], spent: &mut Spent) -> Result<(), Error> {
        let open = self.open(heard);
        self.progress
            .phase("as they are", 2 * open.len(), Unit::Questions);
        for arm in [Arm::Retrieval, Arm::NoRetrieval] {
            let plain = |&subject: &usize| Question { subject, row: None };
            let questions: Vec<Question> = open.iter().map(plain).collect();
            let outcomes = self.ask_arm(arm, &questions, 0, spent)?;
            for (&place, outcome) in open.iter().zip(outcomes) {
                heard[place].plain[arm_place(arm)] = Some(outcome);
            }
        }
        Ok(())
    }

    pub(super) fn ask_arm(
        &self,
        arm: Arm,
        questions: &[Question],
        repeat: u32,
        spent: &mut Spent,
    ) -> Result<Vec<Outcome>, Error> {
        let worded = |question: &Question| (*question, self.query(*question));
        let worded: Vec<(Question, String)> = questions.iter().map(worded).collect();
        let asked = self.answering.answer(arm, &worded, repeat)?;
        spent.add(questions.len(), &asked.tally);
        Ok(asked.outcomes)
    }

    fn query(&self, question: Question) -> String {
        let subject = &self.subjects[question.subject];
        match question.row {
            Some(row) => subject.query(row),
            None => subject.plain_query(),
        }
    }

    /// Turns new answers into numbers.
    fn listen(&self, open: &[usize], from: usize, heard: &mut [AskedText]) -> Result<(), Error> {
        for &place in open {
            let subject = &self.subjects[place];
            let new = &mut heard[place];
            let on = self.numbers(subject, from, &new.with, &new.plain[0])?;
            let off = self.numbers(subject, from, &new.without, &new.plain[1])?;
            new.on.extend(on);
            new.off.extend(off);
        }
        Ok(())
    }

    fn numbers(
        &self,
        subject: &PerturbedText,
        from: usize,
        outcomes: &[Outcome],
        plain: &Option<Outcome>,
    ) -> Result<Vec<Option<f64>>, Error> {
        let settings = &self.basis.settings;
        let fixed = match settings.reference {
            Reference::PerturbedInput => None,
            Reference::Input => Some(subject.input.text()),
            // An arm that did not answer the text itself has nothing to be compared with.
            Reference::Output => match plain.as_ref().and_then(answer) {
                Some(answer) => Some(answer),
                None => return Ok(vec![None; outcomes.len() - from]),
            },
        };
        let rows = subject.copies[from..].iter().zip(&outcomes[from..]);
        let rows: Vec<Row> = rows
            .map(|(perturbed, outcome)| Row {
                perturbed,
                answer: answer(outcome),
            })
            .collect();
        let similarity = self.basis.similarity.as_ref();
        responses(&rows, fixed, similarity, settings.weights()).map_err(|message| {
            Error::usage(
                format!("source.similarity: {message}"),
                "try another embedder, or leave source.similarity out",
            )
        })
    }

    /// Looks at every open text; those whose labels stay the same are settled.
    fn look(&self, open: &[usize], rows: usize, heard: &mut [AskedText]) {
        let settings = &self.basis.settings;
        let (rules, seed) = (settings.rules(), Seed(self.basis.seed));
        // Without new answers there is nothing to look at.
        let new = |place: &&usize| heard[**place].answered() > heard[**place].looked_at;
        let open: Vec<usize> = open.iter().filter(new).copied().collect();
        let found: Vec<(usize, Option<Look>)> = open
            .par_iter()
            .map(|&place| {
                let look = look(&self.subjects[place], &heard[place], rows, &rules, seed);
                (place, look)
            })
            .collect();
        for (place, look) in found {
            let heard = &mut heard[place];
            heard.looked_at = heard.answered();
            let Some(look) = look else {
                // What has no label now has not the same as before.
                heard.looks.clear();
                continue;
            };
            heard.looks.push(look.clone());
            if heard.stopped.is_none() && settling::settled(&heard.looks) {
                heard.stopped = Some(look);
            }
        }
    }
}

fn look(
    subject: &PerturbedText,
    heard: &AskedText,
    rows: usize,
    rules: &Rules,
    seed: Seed,
) -> Option<Look> {
    let responses = Responses {
        masks: &subject.masks,
        on: &heard.on,
        off: &heard.off,
    };
    let planned = subject.masks.rows();
    settling::look(&responses, rows, planned, rules, seed, subject.number)
}

impl AskedText {
    fn arm(&mut self, arm: Arm) -> &mut Vec<Outcome> {
        match arm {
            Arm::Retrieval => &mut self.with,
            Arm::NoRetrieval => &mut self.without,
        }
    }
}

fn is_asked(outcome: &Outcome) -> bool {
    *outcome != Outcome::NotAsked
}

fn arm_place(arm: Arm) -> usize {
    usize::from(arm == Arm::NoRetrieval)
}

pub(super) fn answer(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Answered(reply) => Some(&reply.answer),
        _ => None,
    }
}
