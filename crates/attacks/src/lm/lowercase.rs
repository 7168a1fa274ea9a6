//! `lm-lowercase`: how much is lost when the text is lower-cased.

use super::{TokenAttack, given, mean};
use crate::card::{Access, Card};
use crate::scores::Answer;
use crate::settings::Settings;
use crate::signals::tokens::{Need, TextSignals};

pub struct Lowercase;

static CARD: Card = Card {
    id: "lm-lowercase",
    summary: "loss of the lower-cased text over loss of the text",
    asks: "How much less likely does the text become when its capitals are taken away?",
    why_it_works: "A memorised text depends on its exact letters; one that is merely easy stays \
                   easy in lower case.",
    access: Access::Tokens(&[Need::Lowercase]),
    when_it_misleads: "It says nothing about texts without capitals, and takes texts with many \
                       names and headings for members.",
    paper: "Carlini et al. 2021, arXiv:2012.07805",
    settings: &[],
};

impl TokenAttack for Lowercase {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn score(&self, text: &TextSignals, _: &Settings) -> Answer {
        let loss = |logprob: &[f64]| mean(logprob).abs();
        let (lowered, own) = (loss(given(&text.lowercase)), loss(&text.logprob));
        // Both certain: nothing was lost.
        Ok(if lowered == own { 1.0 } else { lowered / own })
    }
}
