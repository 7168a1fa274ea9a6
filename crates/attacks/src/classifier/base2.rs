//! `base2` and `base2-offline`: distance from the pooled mean in units of the pooled variance.

use super::ShadowAttack;
use super::gaussian::{FLOOR, SETTINGS, need_outside};
use super::statistic::{self, Statistic};
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use crate::settings::Settings;
use base::Result;

pub struct Base2;
pub struct Base2Offline;

static CARD: Card = Card {
    id: "base2",
    summary: "(φ − pooled mean) / pooled variance",
    asks: "How far above the average model is the audited one, for this record's spread?",
    why_it_works: "A Gaussian test in which IN and OUT share one variance and every record the \
                   same gap between means.",
    access: Access::AnyShadow,
    when_it_misleads: "The pooled variance contains the gap between IN and OUT, so the records \
                       that leak most are divided by the most: usually the weakest of the family.",
    paper: "Brännvall 2026, arXiv:2603.11799, appendix B",
    settings: &SETTINGS,
};

static OFFLINE: Card = Card {
    id: "base2-offline",
    summary: "(φ − OUT mean) / OUT variance",
    asks: "As base2, never looking at shadows trained on the record.",
    why_it_works: "Where all shadows are OUT, the pooled mean and variance are theirs: base2 needs no \
                   other fallback.",
    access: Access::OutShadows,
    when_it_misleads: "A record that all models agree on is divided by next to nothing: with few OUT \
                       shadows the smallest variances lead, whatever leaks.",
    paper: "Brännvall 2026, arXiv:2603.11799, appendix I, table 11",
    settings: &SETTINGS,
};

impl ShadowAttack for Base2 {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn column_passes(&self, settings: &Settings) -> usize {
        statistic::column_passes(settings, Statistic::LogOdds)
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let floor = view.settings.number(&FLOOR);
        let statistic = Statistic::chosen(view.settings, Statistic::LogOdds);
        statistic::per_record(view, statistic, |record| {
            let pooled = record.pooled;
            Ok((record.target - pooled.mean) / pooled.variance(floor))
        })
    }
}

impl ShadowAttack for Base2Offline {
    fn card(&self) -> &'static Card {
        &OFFLINE
    }

    fn column_passes(&self, settings: &Settings) -> usize {
        statistic::column_passes(settings, Statistic::LogOdds)
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let floor = view.settings.number(&FLOOR);
        let statistic = Statistic::chosen(view.settings, Statistic::LogOdds);
        statistic::per_record(view, statistic, |record| {
            need_outside(record)?;
            let outside = record.outside;
            Ok((record.target - outside.mean) / outside.variance(floor))
        })
    }
}
