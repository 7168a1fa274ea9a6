//! `loss`: the confidence in the true label, as it is.

use super::ShadowAttack;
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use base::Result;

pub struct Loss;

static CARD: Card = Card {
    id: "loss",
    summary: "ln p of the true label under the audited model",
    asks: "How confident is the audited model in the record's true label?",
    why_it_works: "Training lowers the loss of the records trained on, so members tend to have \
                   a lower loss than records the model never saw.",
    access: Access::TargetOnly,
    when_it_misleads: "It cannot tell an easy record from a memorised one: its false positives \
                       are easy non-members, so it fails at low false-positive rates even where \
                       a stronger attack succeeds. A pass on loss alone proves little.",
    paper: "Yeom et al. 2018, arXiv:1709.01604",
    settings: &[],
};

impl ShadowAttack for Loss {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn score(&self, view: &View) -> Result<Scores> {
        Ok(view.per_record(|record| Ok(record.ln_p)))
    }
}
