//! `content`: does the service go on where a phrase of the document ends?

use text::DocumentFrequencies;

use super::average::rank_average;
use super::phrases::{Phrases, fill};
use super::signals::Column;
use super::{ArmSignals, ProbeAttack, Scoring, VARIATIONS, probes, writing};
use crate::card::{Access, Card};
use crate::settings::Settings;
use crate::signals::probes::{Document, Expected, Probe};

pub struct Content;

static CARD: Card = Card {
    id: "content",
    summary: "content probing: exact phrases, and how much more of the document comes back",
    asks: "Given an exact phrase of the document, does the service answer with more of it, at \
           greater length and with fewer hedges?",
    why_it_works: "A phrase finds its own document by any retriever, and the model then answers \
                   from it. What the phrase itself held does not count: only what is new.",
    access: Access::Exchanges,
    when_it_misleads: "A model that knows the text from its training says it without the store: \
                       compare with retrieval off. Near-duplicates of a non-member in the store \
                       give the same answers.",
    paper: "RAG membership threat specification, strategy 1; rank average of its signals",
    settings: &[&VARIATIONS],
};

const PHRASE: usize = 12;

impl ProbeAttack for Content {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn ask(
        &self,
        document: &Document,
        frequencies: &DocumentFrequencies,
        settings: &Settings,
    ) -> Vec<Probe> {
        let count = settings.number(&VARIATIONS) as usize;
        let language = document.language();
        let templates = Phrases::of(language).content;
        let phrases = writing::phrases(&document.text, count, PHRASE, frequencies, language);
        let queries = phrases
            .iter()
            .enumerate()
            .map(|(place, phrase)| fill(templates[place % templates.len()], &[("phrase", phrase)]));
        probes(CARD.id, queries.map(|query| (query, Expected::Nothing)))
    }

    fn score(&self, heard: &ArmSignals, _: &Settings) -> Scoring {
        let told = |column: &&Column| {
            let signal = column.signal;
            column.strategy == CARD.id && signal.is_directed() && !signal.needs_sources()
        };
        let columns: Vec<Column> = heard.columns.iter().filter(told).cloned().collect();
        Scoring::Scores(rank_average(&columns, heard.documents.len()))
    }
}
