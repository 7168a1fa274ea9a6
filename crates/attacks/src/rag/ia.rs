//! `ia`: how well does the service answer yes/no questions that the document settles?

use text::{DocumentFrequencies, Language};

use super::phrases::{Phrases, fill};
use super::reading::{YesOrNo, said};
use super::sequential::{Sequence, Sign};
use super::{ArmSignals, ProbeAttack, Scoring, answered, mean_over, probes, writing};
use crate::card::{Access, Card};
use crate::settings::{Kind, Setting, Settings};
use crate::signals::probes::{Document, Exchange, Expected, Probe, YesNoQuestion};

pub struct Ia;

static QUESTIONS: Setting = Setting {
    key: "ia.questions",
    kind: Kind::Number {
        default: 30.0,
        least: 1.0,
        most: 100.0,
    },
    help: "how many yes/no questions are asked about a document, if it gives so many",
};

static LAMBDA: Setting = Setting {
    key: "ia.lambda",
    kind: Kind::Number {
        default: 5.0,
        least: 0.0,
        most: 100.0,
    },
    help: "how much an “I don't know” counts against membership",
};

static CARD: Card = Card {
    id: "ia",
    summary: "interrogation: yes/no questions that only the document settles",
    asks: "How many yes/no questions about the document does the service answer as the document \
           does, and to how many does it know no answer?",
    why_it_works: "The questions look like any user's, find the document, and are settled by it. \
                   A service without the document says that it does not know.",
    access: Access::Exchanges,
    when_it_misleads: "Questions that general knowledge settles tell nothing of the store: compare \
                       with retrieval off. Without a helper model or questions of your own, \
                       statements of the document are asked as they are and altered, which is \
                       easier to notice than the paper's natural questions.",
    paper: "Naseh et al. 2025, arXiv:2502.00306",
    settings: &[&QUESTIONS, &LAMBDA],
};

impl ProbeAttack for Ia {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn sequence(&self) -> Option<&dyn Sequence> {
        Some(self)
    }

    fn ask(
        &self,
        document: &Document,
        frequencies: &DocumentFrequencies,
        settings: &Settings,
    ) -> Vec<Probe> {
        let count = settings.number(&QUESTIONS) as usize;
        let language = document.language();
        let template = Phrases::of(language).ia;
        let topic = writing::topic(document, frequencies);
        let given = document.questions.iter().take(count).cloned();
        let questions: Vec<YesNoQuestion> = match document.questions.is_empty() {
            true => written(&document.text, count, language),
            false => given.collect(),
        };
        let queries = questions.into_iter().map(|question| {
            let expected = match question.yes {
                true => Expected::Yes,
                false => Expected::No,
            };
            // The topic in front makes retrieval find the document.
            let query = fill(
                template,
                &[("topic", &topic), ("question", &question.question)],
            );
            (query, expected)
        });
        probes(CARD.id, queries)
    }

    fn score(&self, heard: &ArmSignals, settings: &Settings) -> Scoring {
        let lambda = settings.number(&LAMBDA);
        mean_over(&heard.asked_by(CARD.id), |_, exchange| {
            let said = said(answered(exchange)?);
            Some(match (said, &exchange.probe.expected) {
                (YesOrNo::Unknown, _) => -lambda,
                (YesOrNo::Yes, Expected::Yes) | (YesOrNo::No, Expected::No) => 1.0,
                _ => 0.0,
            })
        })
    }
}

/// Statements of the document, as they are and altered in turn, so that a service that always
/// says yes is right half the time only.
fn written(text: &str, count: usize, language: Language) -> Vec<YesNoQuestion> {
    let template = Phrases::of(language).is_true;
    let question = |statement: &str, yes: bool| YesNoQuestion {
        question: fill(
            template,
            &[("statement", statement.trim_end_matches(['.', '。']))],
        ),
        yes,
    };
    let mut questions = Vec::new();
    for statement in writing::statements(text, language) {
        let altered = writing::altered(statement, 2, language);
        // Both forms of one statement would answer each other; the more telling one is altered.
        let turn = questions.len() % 2 == 1;
        questions.push(match altered {
            Some(altered) if turn => question(&altered, false),
            _ => question(statement, true),
        });
    }
    writing::spread(questions, count)
}

impl Sequence for Ia {
    fn sign(&self, _: &Document, exchanges: &[&Exchange]) -> Option<Sign> {
        let exchange = exchanges.first()?;
        Some(
            match (said(answered(exchange)?), &exchange.probe.expected) {
                (YesOrNo::Unknown, _) => Sign::Against,
                (YesOrNo::Yes, Expected::Yes) | (YesOrNo::No, Expected::No) => Sign::For,
                _ => Sign::Neither,
            },
        )
    }
}
