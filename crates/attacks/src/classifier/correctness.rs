//! `correctness`: is the audited model right? The gap attack.

use super::ShadowAttack;
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use base::Result;

pub struct Correctness;

static CARD: Card = Card {
    id: "correctness",
    summary: "whether the audited model names the true label (the gap attack)",
    asks: "Is the audited model right about the record?",
    why_it_works: "A model is right more often on the records trained on. The advantage of this \
                   attack is the gap between training and test accuracy, and it needs the named \
                   class alone, which every service gives.",
    access: Access::TargetOnly,
    when_it_misleads: "It has two scores only, so that it says nothing at low false-positive rates, \
                       and nothing at all where the model is always right. It needs the outputs for \
                       all classes, or whether each answer was right: φ below zero does not tell.",
    paper: "Yeom et al. 2018, arXiv:1709.01604 (adversary 1)",
    settings: &[],
};

impl ShadowAttack for Correctness {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn score(&self, view: &View) -> Result<Scores> {
        view.per_right_answer()
    }
}
