//! `confidence`: how sure the audited model is, of whatever class.

use super::ShadowAttack;
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use base::Result;

pub struct Confidence;

static CARD: Card = Card {
    id: "confidence",
    summary: "the largest probability under the audited model, whichever class has it",
    asks: "How sure is the audited model of the class that it names?",
    why_it_works: "Training makes a model surer of the records trained on. The true label is not \
                   needed, so that whoever can ask the model can try this.",
    access: Access::TargetOnly,
    when_it_misleads: "A model can be sure and wrong, and easy records get sure answers whether \
                       they were trained on or not. It needs the outputs for all classes: where φ \
                       alone was stored it does not run.",
    paper: "Salem et al. 2019, arXiv:1806.01246 (adversary 3)",
    settings: &[],
};

impl ShadowAttack for Confidence {
    fn card(&self) -> &'static Card {
        &CARD
    }

    /// The log-odds of the largest probability: the same order, without ties where it rounds to 1.
    fn score(&self, view: &View) -> Result<Scores> {
        view.per_output(|output| Ok(output.ln_p[output.top] - output.ln_rest))
    }
}
