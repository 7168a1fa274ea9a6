//! `refusals`: whom does the service refuse to talk about?

use text::DocumentFrequencies;

use super::reading::{Kind, kind, withheld};
use super::{ArmSignals, ProbeAttack, Scoring, answered, mean_over};
use crate::card::{Access, Card};
use crate::settings::Settings;
use crate::signals::probes::{Document, Exchange, Probe};

pub struct Refusals;

static CARD: Card = Card {
    id: "refusals",
    summary: "how often answers about the document are refused, blocked or empty, less how often \
              the service does not know",
    asks: "Over all questions about the document, how often does the service refuse, does a filter \
           speak, or does nothing come back, and how often does it say that it does not know?",
    why_it_works: "A filter against repeating the store has something to filter only where the store \
                   holds the document; a service that does not know has not found it. So a refusal \
                   counts for membership and not knowing counts against it.",
    access: Access::Exchanges,
    when_it_misleads: "A service that says “I don't know” in place of a refusal turns the score round: \
                       it then lies below one half, and no pass goes with that. Refusals of a topic \
                       tell topics apart.",
    paper: "none: kinds of answers of the RAG membership threat specification, weighed",
    settings: &[],
};

impl ProbeAttack for Refusals {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn reads_only(&self) -> bool {
        true
    }

    fn ask(&self, _: &Document, _: &DocumentFrequencies, _: &Settings) -> Vec<Probe> {
        Vec::new()
    }

    fn score(&self, heard: &ArmSignals, _: &Settings) -> Scoring {
        mean_over(&heard.documents, |_, exchange| worth(exchange))
    }
}

fn worth(exchange: &Exchange) -> Option<f64> {
    Some(match kind(answered(exchange)?) {
        Kind::Unknown => -1.0,
        kind => f64::from(u8::from(withheld(kind))),
    })
}
