//! `s2` and `s2-fitted`: given the first half, how much of the second half comes back?

use text::{DocumentFrequencies, bleu, folded};

use super::phrases::{Phrases, fill};
use super::reading::{Kind, kind};
use super::{ArmSignals, Features, ProbeAttack, Scoring, answered, mean_over, probes, writing};
use crate::card::{Access, Card};
use crate::scores::Abstention;
use crate::settings::Settings;
use crate::signals::probes::{Document, Exchange, Expected, Probe, Probed};

pub struct S2;
pub struct S2Fitted;

static CARD: Card = Card {
    id: "s2",
    summary: "S²MIA: similarity of the answer with the half of the document that was not shown",
    asks: "Given the first half of the document, how similar is the answer to the second half?",
    why_it_works: "With the document retrieved, the most relevant text to go on with is its own \
                   second half.",
    access: Access::Exchanges,
    when_it_misleads: "Formulaic texts continue alike whether or not they are in the store. The \
                       paper leaves open whether the answer is compared with the whole document; \
                       here it is the half that was not shown, so that an echo does not count.",
    paper: "Li et al. 2024, arXiv:2406.19234 (BLEU-4; the threshold form needs no training)",
    settings: &[],
};

static FITTED: Card = Card {
    id: "s2-fitted",
    summary: "S²MIA: similarity and perplexity of the answer, combined by a fitted model",
    asks: "How similar is the answer to the half that was not shown, and how fluent is it?",
    why_it_works: "Text that is copied from a retrieved document is both similar and unsurprising.",
    access: Access::Exchanges,
    when_it_misleads: "It learns from documents whose membership is known, by cross-fitting: never \
                       from the ones that it scores. It needs a helper model for the perplexity.",
    paper: "Li et al. 2024, arXiv:2406.19234 (model-based form; logistic regression)",
    settings: &[],
};

impl ProbeAttack for S2 {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn ask(&self, document: &Document, _: &DocumentFrequencies, _: &Settings) -> Vec<Probe> {
        let Some((first, _)) = writing::halves(&document.text) else {
            return Vec::new();
        };
        let query = fill(Phrases::of(document.language()).s2, &[("text", first)]);
        probes(CARD.id, [(query, Expected::Nothing)].into_iter())
    }

    fn score(&self, heard: &ArmSignals, _: &Settings) -> Scoring {
        mean_over(&heard.asked_by(CARD.id), similarity)
    }
}

impl ProbeAttack for S2Fitted {
    fn card(&self) -> &'static Card {
        &FITTED
    }

    fn ask(
        &self,
        document: &Document,
        frequencies: &DocumentFrequencies,
        settings: &Settings,
    ) -> Vec<Probe> {
        S2.ask(document, frequencies, settings)
    }

    fn score(&self, heard: &ArmSignals, _: &Settings) -> Scoring {
        let own = heard.asked_by(CARD.id);
        let row = |probed: &Probed| {
            let exchange = probed.exchanges.first().ok_or(Abstention::NoAnswer)?;
            let similarity = similarity(probed.document, exchange).ok_or(Abstention::NoAnswer)?;
            let perplexity = answered(exchange).and_then(|reply| reply.perplexity);
            let perplexity = perplexity.ok_or(Abstention::NoPerplexity)?;
            Ok(vec![Some(similarity), Some(perplexity.max(1.0).ln())])
        };
        Scoring::Features(Features {
            rows: own.iter().map(row).collect(),
        })
    }
}

fn similarity(document: &Document, exchange: &Exchange) -> Option<f64> {
    let reply = answered(exchange)?;
    let (_, second) = writing::halves(&document.text)?;
    // "I don't know" resembles some documents by its length alone.
    if kind(reply) != Kind::Answer {
        return Some(0.0);
    }
    Some(bleu(&folded(&reply.answer), &folded(second)))
}
