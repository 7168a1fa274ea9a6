//! `ratio`: how much likelier the audited model finds the text than a reference model does.

use super::{TokenAttack, given};
use crate::card::{Access, Card};
use crate::scores::Answer;
use crate::settings::Settings;
use crate::signals::tokens::{Need, TextSignals};

pub struct Ratio;

static CARD: Card = Card {
    id: "ratio",
    summary: "mean log-likelihood ratio of target and reference",
    asks: "How much likelier does the audited model find the text than the reference model does?",
    why_it_works: "The reference model knows how hard the text is; what is left is what \
                   fine-tuning added.",
    access: Access::Tokens(&[Need::Reference]),
    when_it_misleads: "Fine-tuning lifts its whole domain: against a reference that never saw the \
                       domain, every text of it looks like a member. Members and non-members must \
                       come from the same domain.",
    paper: "Carlini et al. 2021, arXiv:2012.07805; Mireshghallah et al. 2022, arXiv:2203.03929",
    settings: &[],
};

impl TokenAttack for Ratio {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn score(&self, text: &TextSignals, _: &Settings) -> Answer {
        let pairs = text.logprob.iter().zip(given(&text.reference));
        let sum: f64 = pairs.map(|(own, reference)| own - reference).sum();
        Ok(sum / text.logprob.len() as f64)
    }
}
