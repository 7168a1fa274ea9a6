//! `reference`: rank of the record's loss among reference models' losses (Attack-R).

use super::ShadowAttack;
use super::gaussian::need_outside;
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use base::Result;

pub struct Reference;

static CARD: Card = Card {
    id: "reference",
    summary: "share of OUT shadows whose loss on the record is higher (Attack-R)",
    asks: "Is the audited model more confident in this record than models that never saw it?",
    why_it_works: "Comparing the same record across models removes its difficulty, which `loss` \
                   mistakes for membership.",
    access: Access::OutShadows,
    when_it_misleads: "With n OUT shadows the score takes only n + 1 values: many ties, and no \
                       resolution at false-positive rates below 1/n.",
    paper: "Ye et al. 2022, arXiv:2111.09679 (Attack R)",
    settings: &[],
};

impl ShadowAttack for Reference {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn score(&self, view: &View) -> Result<Scores> {
        Ok(view.per_record(|record| {
            need_outside(record)?;
            Ok(record.outside_below / record.outside.n)
        }))
    }
}
