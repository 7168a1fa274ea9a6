//! `facts`: does the service know what only the document says?

use text::DocumentFrequencies;

use super::phrases::{Phrases, fill};
use super::reading::{Kind, holds, kind};
use super::sequential::{Sequence, Sign};
use super::{ArmSignals, ProbeAttack, Scoring, VARIATIONS, answered, mean_over, probes, writing};
use crate::card::{Access, Card};
use crate::settings::{Kind as SettingKind, Setting, Settings};
use crate::signals::probes::{Document, Exchange, Expected, Probe};

pub struct Facts;

static LAMBDA: Setting = Setting {
    key: "facts.lambda",
    kind: SettingKind::Number {
        default: 0.5,
        least: 0.0,
        most: 100.0,
    },
    help: "how much an answer that knows nothing counts against membership",
};

static CARD: Card = Card {
    id: "facts",
    summary: "factual verification: numbers, names and rare words left out, and found again",
    asks: "When a number, name or rare word is left out of the document's statements, does the \
           service fill it in?",
    why_it_works: "Such details are hard to guess; with the document retrieved, they are read off.",
    access: Access::Exchanges,
    when_it_misleads: "Facts that are widely known are known without the store: compare with \
                       retrieval off.",
    paper: "RAG membership threat specification, strategy 3",
    settings: &[&VARIATIONS, &LAMBDA],
};

impl ProbeAttack for Facts {
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
        let count = settings.number(&VARIATIONS) as usize;
        let language = document.language();
        let templates = Phrases::of(language).facts;
        let blanks = writing::blanks(&document.text, count, frequencies, language);
        let queries = blanks.into_iter().enumerate().map(|(place, blank)| {
            let template = templates[place % templates.len()];
            let query = fill(template, &[("statement", &blank.statement)]);
            (query, Expected::Fact(vec![blank.answer]))
        });
        probes(CARD.id, queries)
    }

    fn score(&self, heard: &ArmSignals, settings: &Settings) -> Scoring {
        let lambda = settings.number(&LAMBDA);
        mean_over(&heard.asked_by(CARD.id), |_, exchange| {
            let reply = answered(exchange)?;
            let Expected::Fact(spellings) = &exchange.probe.expected else {
                return None;
            };
            Some(match (holds(reply, spellings), kind(reply)) {
                (true, _) => 1.0,
                (false, Kind::Answer) => 0.0,
                (false, _) => -lambda,
            })
        })
    }
}

impl Sequence for Facts {
    fn sign(&self, _: &Document, exchanges: &[&Exchange]) -> Option<Sign> {
        let exchange = exchanges.first()?;
        let reply = answered(exchange)?;
        let Expected::Fact(spellings) = &exchange.probe.expected else {
            return None;
        };
        Some(match (holds(reply, spellings), kind(reply)) {
            (true, _) => Sign::For,
            (false, Kind::Unknown) => Sign::Against,
            (false, _) => Sign::Neither,
        })
    }
}
