//! `population`: rank of the record's loss among a population's losses (Attack-P).

use rayon::prelude::*;

use super::ShadowAttack;
use super::share::shares_below;
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use base::Result;

pub struct Population;

static CARD: Card = Card {
    id: "population",
    summary: "share of records whose loss under the audited model is higher (Attack-P)",
    asks: "Is the record's loss lower than that of most other records?",
    why_it_works: "The rank of a loss among a population turns the loss into a p-value that one \
                   threshold fits. Its ROC curve is that of `loss` by construction.",
    access: Access::TargetOnly,
    when_it_misleads: "Where `loss` misleads, so does this one. The rank is taken among the \
                       audited records unless a population is given with --population.",
    paper: "Ye et al. 2022, arXiv:2111.09679 (Attack P)",
    settings: &[],
};

impl ShadowAttack for Population {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn score(&self, view: &View) -> Result<Scores> {
        // ℓ falls as φ grows, so "a higher loss" is "a smaller φ".
        let records = view.statistics.records.par_iter();
        let own = records.map(|record| Ok(record.target)).collect();
        Ok(shares_below(
            own,
            view.compared_with(0.0, |other| Ok(other.target)),
        ))
    }
}
