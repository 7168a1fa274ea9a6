//! Documents with invented facts: asked about as anybody would ask, and found again or not. They are
//! no part of what is measured.

use attacks::rag::reading::{holds, is_retrieved};
use attacks::signals::probes::{Arm, CONTROL, Document, Exchange, Expected, Probe};
use formats::texts::{Control, Fact};
use judge::rag::Controls;

use super::questions::Question;

/// A control and what was asked about it.
type Answered = (Document, Vec<Exchange>);

/// Every question about the controls, which stand behind so many documents. They come first: a
/// budget that ends early must not end before them.
pub fn questions(controls: &[Control], documents: usize) -> Vec<Question> {
    let about = |(place, control): (usize, &Control)| {
        let question = move |(variation, fact): (usize, &Fact)| Question {
            document: documents + place,
            arm: Arm::Retrieval,
            repeat: 0,
            probe: probe(variation, fact),
        };
        let facts = control.facts.iter().enumerate();
        facts.map(question).collect::<Vec<_>>()
    };
    controls.iter().enumerate().flat_map(about).collect()
}

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
    (!heard.is_empty()).then(|| Controls {
        documents: heard.len(),
        found: count(&|(document, exchanges)| exchanges.iter().any(|one| finds(document, one))),
        unanswered: count(&|(_, exchanges)| !exchanges.iter().any(replied)),
    })
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
        let question = questions(std::slice::from_ref(&control), 0).remove(0);
        let exchange = Exchange {
            probe: question.probe,
            reply,
        };
        (control.document(), vec![exchange])
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
}
