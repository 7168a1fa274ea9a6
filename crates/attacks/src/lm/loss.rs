//! `lm-loss`: how likely the audited model finds the text.

use super::{TokenAttack, mean};
use crate::card::{Access, Card};
use crate::scores::Answer;
use crate::settings::Settings;
use crate::signals::tokens::TextSignals;

pub struct Loss;

static CARD: Card = Card {
    id: "lm-loss",
    summary: "mean log-probability of the tokens",
    asks: "How likely does the audited model find the text, token by token?",
    why_it_works: "Fine-tuning raises the probability of the texts trained on.",
    access: Access::Tokens(&[]),
    when_it_misleads: "It takes simple or well-known text for members: its false positives are \
                       texts that any model finds likely. A pass on it alone proves little.",
    paper: "Yeom et al. 2018, arXiv:1709.01604; for language models Carlini et al. 2021, \
            arXiv:2012.07805",
    settings: &[],
};

impl TokenAttack for Loss {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn score(&self, text: &TextSignals, _: &Settings) -> Answer {
        Ok(mean(&text.logprob))
    }
}
