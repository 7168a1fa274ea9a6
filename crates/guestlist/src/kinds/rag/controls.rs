//! Documents with invented facts: asked about as anybody would ask, and found again or not. They are
//! no part of what is measured. All of them come first, and some again in between and at the end: a store
//! that is emptied, or a service that breaks, after its first answers would look as if it gave nothing away.

use attacks::rag::reading::{holds, is_retrieved};
use attacks::signals::probes::{Arm, CONTROL, Document, Exchange, Expected, Probe};
use formats::texts::{Control, Fact};
use judge::rag::Controls;

use super::questions::Question;

/// A control and what was heard about it, at first and later.
#[derive(Debug, Default)]
pub struct Answered {
    document: Document,
    first: Vec<Exchange>,
    later: Vec<Exchange>,
}

impl Answered {
    pub fn new(document: Document) -> Self {
        Self {
            document,
            ..Self::default()
        }
    }

    pub fn add(&mut self, repeat: u32, exchange: Exchange) {
        match repeat {
            0 => self.first.push(exchange),
            _ => self.later.push(exchange),
        }
    }
}

/// Every question about the controls, which stand behind so many documents. They come first: a
/// budget that ends early must not end before them.
pub fn questions(controls: &[Control], documents: usize) -> Vec<Question> {
    let about = |(place, control): (usize, &Control)| {
        let question = move |(variation, fact): (usize, &Fact)| Question {
            document: documents + place,
            arm: Arm::Retrieval,
            repeat: 0,
            probe: probe(variation, fact).into(),
        };
        let facts = control.facts.iter().enumerate();
        facts.map(question).collect::<Vec<_>>()
    };
    controls.iter().enumerate().flat_map(about).collect()
}

/// The questions that are asked once more in the given turn, so many in each: control after control, fact
/// after fact, and round again.
pub fn again(controls: &[Control], documents: usize, turn: usize) -> Vec<Question> {
    let mut first = questions(controls, documents);
    first.sort_by_key(|question| question.probe.variation);
    let one = |number: usize| -> Option<Question> {
        let round = u32::try_from(number / first.len().max(1)).ok()?;
        Some(Question {
            repeat: 1 + round,
            ..first.get(number % first.len().max(1))?.clone()
        })
    };
    (turn * EACH_TURN..(turn + 1) * EACH_TURN)
        .filter_map(one)
        .collect()
}

/// Questions that are asked once more between two blocks of documents.
const EACH_TURN: usize = 2;

fn probe(variation: usize, fact: &Fact) -> Probe {
    // Of an inventory number such as KV-48213 the digits alone are as good.
    let digits = fact.answer.rsplit('-').next().unwrap_or(&fact.answer);
    let mut spellings = vec![fact.answer.clone()];
    if digits != fact.answer && digits.chars().all(|letter| letter.is_ascii_digit()) {
        spellings.push(digits.to_owned());
    }
    Probe {
        strategy: CONTROL.to_owned(),
        variation,
        query: fact.question.clone(),
        expected: Expected::Fact(spellings),
    }
}

/// How many were found again, by a fact or among visible sources; nothing where there are none.
pub fn found(heard: &[Answered]) -> Option<Controls> {
    let replied = |exchange: &Exchange| exchange.reply.is_some();
    let count = |of: &dyn Fn(&Answered) -> bool| heard.iter().filter(|control| of(control)).count();
    let later: Vec<bool> = heard.iter().flat_map(found_later).collect();
    (!heard.is_empty()).then(|| Controls {
        documents: heard.len(),
        found: count(&|one| one.first.iter().any(|heard| finds(&one.document, heard))),
        unanswered: count(&|one| !one.first.iter().any(replied)),
        asked_later: later.len(),
        lost_later: later.iter().filter(|found| !**found).count(),
    })
}

/// Of the questions that found the control at first and were asked once more: whether they found it again.
fn found_later(control: &Answered) -> Vec<bool> {
    let finds = |exchange: &Exchange| finds(&control.document, exchange);
    let found = |later: &&Exchange| {
        let mut first = control.first.iter();
        first.any(|first| first.probe.query == later.probe.query && finds(first))
    };
    control.later.iter().filter(found).map(finds).collect()
}

fn finds(document: &Document, exchange: &Exchange) -> bool {
    let Some(reply) = &exchange.reply else {
        return false;
    };
    let said = match &exchange.probe.expected {
        Expected::Fact(spellings) => holds(reply, spellings),
        _ => false,
    };
    said || is_retrieved(document, reply)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use attacks::signals::probes::{Reply, SourceShown};

    fn control(number: usize) -> Control {
        Control {
            id: format!("control-{number}"),
            title: None,
            text: format!("The mill of Velmor lists it as KV-4821{number}."),
            facts: vec![Fact {
                question: "As what does the mill of Velmor list it?".into(),
                answer: format!("KV-4821{number}"),
            }],
        }
    }

    fn heard(number: usize, reply: Option<Reply>) -> Answered {
        let control = control(number);
        let mut heard = Answered::new(control.document());
        heard.add(0, exchange(&control, reply));
        heard
    }

    fn exchange(control: &Control, reply: Option<Reply>) -> Exchange {
        let question = questions(std::slice::from_ref(control), 0).remove(0);
        Exchange {
            probe: question.probe,
            reply: reply.map(Arc::new),
        }
    }

    fn said(answer: &str) -> Option<Reply> {
        Some(Reply {
            answer: answer.into(),
            ..Reply::default()
        })
    }

    #[test]
    fn a_fact_or_a_source_finds_a_control() {
        let shown = SourceShown {
            id: Some("control-4".into()),
            ..SourceShown::default()
        };
        let shown = Reply {
            citations: vec![shown],
            ..Reply::default()
        };
        let all = [
            heard(1, said("It is KV-48211.")),
            heard(2, said("The number 48212.")),
            heard(3, said("I don't know.")),
            heard(4, Some(shown)),
            heard(5, None),
        ];
        let found = found(&all).unwrap();
        assert_eq!((found.documents, found.found, found.unanswered), (5, 3, 1));
        assert!(found.are_found());
        assert_eq!(super::found(&[]), None);
    }

    #[test]
    fn what_was_found_at_first_must_be_found_later() {
        let asked = |later: [Option<Reply>; 4]| {
            let mut one = heard(1, said("It is KV-48211."));
            for (turn, reply) in later.into_iter().enumerate() {
                one.add(1 + turn as u32, exchange(&control(1), reply));
            }
            // What was never found cannot be lost.
            let mut other = heard(2, said("I don't know."));
            other.add(1, exchange(&control(2), None));
            found(&[one, other]).unwrap()
        };
        let right = || said("It is KV-48211.");
        let kept = asked([right(), right(), right(), None]);
        assert_eq!((kept.asked_later, kept.lost_later), (4, 1));
        assert!(kept.are_found() && kept.are_kept());
        let emptied = asked([right(), right(), said("I don't know."), None]);
        assert!(emptied.are_found() && !emptied.are_kept());
    }

    #[test]
    fn controls_take_turns_and_no_request_is_the_same() {
        let controls: Vec<Control> = (1..=3).map(control).collect();
        let turns = (0..6).flat_map(|turn| again(&controls, 10, turn));
        let asked: Vec<(usize, u32)> = turns.map(|one| (one.document, one.repeat)).collect();
        assert_eq!(asked[..4], [(10, 1), (11, 1), (12, 1), (10, 2)]);
        let distinct: std::collections::HashSet<_> = asked.iter().collect();
        assert_eq!(distinct.len(), asked.len());
        assert!(again(&[], 10, 0).is_empty());
    }
}
