//! `citation`: does the service name the document when asked for sources on its topic?

use text::DocumentFrequencies;

use super::phrases::{Phrases, fill};
use super::reading::is_cited;
use super::sequential::{Sequence, Sign};
use super::signals::Signal;
use super::{ArmSignals, ProbeAttack, Scoring, VARIATIONS, answered, probes, writing};
use crate::card::{Access, Card};
use crate::scores::Abstention;
use crate::settings::Settings;
use crate::signals::probes::{Document, Exchange, Expected, Probe, Probed};

pub struct Citation;

static CARD: Card = Card {
    id: "citation",
    summary: "citation elicitation: how often the document is named as a source",
    asks: "Asked which sources discuss the document's topic, how often does the service name or \
           show the document?",
    why_it_works: "Only what is in the store can be retrieved and shown as a source.",
    access: Access::Exchanges,
    when_it_misleads: "It needs sources in the answer, or ids and titles that the service knows. \
                       A model may make titles up; one that the question held does not count.",
    paper: "RAG membership threat specification, strategy 2",
    settings: &[&VARIATIONS],
};

impl ProbeAttack for Citation {
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
        // Without the title: an echo of it would look like a citation, and hide a real one.
        let language = document.language();
        let templates = Phrases::of(language).citation;
        let rare = frequencies.rarest(&document.text, 4 * count, language);
        let words = |place: usize| -> Vec<&str> {
            rare.iter()
                .skip(place)
                .step_by(count.max(1))
                .map(String::as_str)
                .collect()
        };
        let phrases = writing::phrases(&document.text, count, 8, frequencies, language);
        let queries = phrases.iter().enumerate().map(|(place, phrase)| {
            let topic = words(place).join(", ");
            let template = templates[place % templates.len()];
            fill(template, &[("topic", &topic), ("phrase", phrase)])
        });
        probes(CARD.id, queries.map(|query| (query, Expected::Nothing)))
    }

    fn score(&self, heard: &ArmSignals, _: &Settings) -> Scoring {
        // Whether answers name the document was looked at for all strategies.
        let mut columns = heard.columns.iter();
        let cited =
            columns.find(|column| column.strategy == CARD.id && column.signal == Signal::Citation);
        let score = |(place, probed): (usize, &Probed)| {
            let mut asked = probed.exchanges.iter();
            match cited.and_then(|column| column.values[place]) {
                Some(share) => Ok(share),
                None if asked.any(|exchange| exchange.probe.strategy == CARD.id) => {
                    Err(Abstention::NoAnswer)
                }
                None => Err(Abstention::NoQuestion),
            }
        };
        Scoring::Scores(heard.documents.iter().enumerate().map(score).collect())
    }
}

impl Sequence for Citation {
    fn sign(&self, document: &Document, exchanges: &[&Exchange]) -> Option<Sign> {
        let exchange = exchanges.first()?;
        let cited = is_cited(document, &exchange.probe.query, answered(exchange)?);
        Some(if cited { Sign::For } else { Sign::Against })
    }
}
