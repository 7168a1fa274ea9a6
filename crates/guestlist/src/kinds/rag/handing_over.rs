//! What was asked and answered, put in order for the judge and the transcript.

use std::collections::BTreeMap;
use std::sync::Arc;

use asking::rag::transcript::RecordedRef;
use asking::rag::{Outcome, TargetSettings};
use attacks::signals::probes::{Arm, Document, Exchange, Reply};
use judge::rag::{Repeats, SourcesNamed};
use report::rag::Requests;

use super::Plan;
use super::controls;
use super::probing::Collected;
use super::questions::Question;
use super::repeats::repeated;
use super::sample::Sample;
use crate::kinds::rag::attack::AskedDocument;

/// Nothing of what was not asked, or is about a document without a place.
pub(super) fn recorded<'q>(
    question: &'q Question,
    outcome: &'q Outcome,
    places: &[Option<usize>],
) -> Option<RecordedRef<'q>> {
    let (reply, error) = match outcome {
        Outcome::Answered(reply) => (Some(&**reply), None),
        Outcome::Failed { message, .. } => (None, Some(message.as_str())),
        Outcome::NotAsked => return None,
    };
    Some(RecordedRef {
        document: places[question.document]?,
        arm: question.arm,
        repeat: question.repeat,
        probe: &question.probe,
        reply,
        error,
    })
}

/// What was heard about documents, and about controls.
pub(super) fn heard(
    plan: &Plan,
    documents: Vec<Document>,
    questions: Vec<Question>,
    replies: Vec<Outcome>,
) -> (Vec<AskedDocument>, Vec<controls::Answered>) {
    let mut controls: Vec<controls::Answered> = plan
        .controls
        .iter()
        .map(|control| controls::Answered::new(control.document()))
        .collect();
    let mut heard = unheard(plan, documents);
    make_room(&mut heard, &questions);
    let asked = questions.into_iter().zip(replies);
    let counts = |question: &Question, outcome: &Outcome| {
        question.repeat == 0 || !matches!(outcome, Outcome::NotAsked)
    };
    for (question, outcome) in asked.filter(|(question, outcome)| counts(question, outcome)) {
        let failed = matches!(outcome, Outcome::Failed { .. });
        let control = question.document.checked_sub(heard.len());
        let exchange = Exchange {
            probe: question.probe,
            reply: reply(outcome),
        };
        match control {
            Some(place) => controls[place].add(question.repeat, exchange),
            None if question.repeat > 0 => heard[question.document].again.push(exchange),
            None => heard[question.document].add(question.arm, exchange, failed),
        }
    }
    (heard, controls)
}

/// For as many exchanges as come: growing one by one they would take half as much memory again.
fn make_room(heard: &mut [AskedDocument], questions: &[Question]) {
    let mut counts = vec![[0, 0]; heard.len()];
    for question in questions.iter().filter(|question| question.repeat == 0) {
        if let Some(counts) = counts.get_mut(question.document) {
            counts[usize::from(question.arm == Arm::NoRetrieval)] += 1;
        }
    }
    for (heard, [on, off]) in heard.iter_mut().zip(counts) {
        heard.on.reserve_exact(on);
        heard.off.reserve_exact(off);
    }
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
        again: Vec::new(),
    });
    unheard.collect()
}

fn reply(outcome: Outcome) -> Option<Arc<Reply>> {
    match outcome {
        Outcome::Answered(reply) => Some(reply),
        _ => None,
    }
}

/// Whether somebody wrote where sources are, or only a preset says so.
pub(super) fn sources_named(target: &TargetSettings) -> SourcesNamed {
    let extract = &target.extract;
    let by_hand = extract.citations.is_some() || extract.retrieved.is_some();
    match (by_hand, &target.preset) {
        (true, _) => SourcesNamed::ByHand,
        (false, Some(_)) => SourcesNamed::ByPreset,
        (false, None) => SourcesNamed::No,
    }
}

/// Questions with retrieval about documents of the sample that have no answer, by why.
pub(super) fn failures(
    questions: &[Question],
    replies: &[Outcome],
    sample: &Sample,
) -> BTreeMap<String, usize> {
    let mut failed = BTreeMap::new();
    for (question, outcome) in questions.iter().zip(replies) {
        let first = question.arm == Arm::Retrieval && question.repeat == 0;
        let counts = first && !question.is_control() && sample.holds(question.document);
        if let (true, Outcome::Failed { kind, .. }) = (counts, outcome) {
            *failed.entry(kind.to_string()).or_default() += 1;
        }
    }
    failed
}

pub(super) fn requests(questions: &[Question], collected: &Collected) -> Requests {
    let tally = &collected.tally;
    let failed = tally.failed.iter();
    let counted = Requests {
        documents: None,
        questions: questions.len(),
        spared: collected.spared,
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
    };
    match &collected.books {
        None => counted,
        // Nobody was asked now: what it took when somebody was.
        Some(books) => Requests {
            sent: books.sent,
            retried: books.retried,
            faults: (books.faults.iter())
                .map(|(kind, count)| (kind.clone(), *count as usize))
                .collect(),
            tokens_in: books.tokens_in,
            tokens_out: books.tokens_out,
            tokens_estimated: books.tokens_estimated > 0,
            ..counted
        },
    }
}

pub(super) fn repeats(questions: &[Question], replies: &[Outcome]) -> Option<Repeats> {
    let asked = questions.iter().zip(replies);
    repeated(asked.filter_map(|(question, outcome)| match outcome {
        Outcome::Answered(reply) if question.arm == Arm::Retrieval && !question.is_control() => {
            let query = question.probe.query.as_str();
            Some((query, question.repeat, reply.answer.as_str()))
        }
        _ => None,
    }))
}
