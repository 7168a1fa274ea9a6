//! `base3`: Gaussian test with one variance for both classes of a record.

use super::ShadowAttack;
use super::gaussian::{FLOOR, SETTINGS, need_both};
use super::statistic::{self, Statistic};
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use crate::settings::Settings;
use base::Result;

pub struct Base3;

static CARD: Card = Card {
    id: "base3",
    summary: "linear Gaussian test with the two classes' variances pooled",
    asks: "On which side of the midpoint between IN and OUT does the audited model lie?",
    why_it_works: "Pooling the variance within classes halves what must be estimated and keeps \
                   the test linear, so no noisy quadratic term runs away in the tails.",
    access: Access::InAndOutShadows,
    when_it_misleads: "Where IN and OUT really differ in spread, it leaves that evidence unused.",
    paper: "Brännvall 2026, arXiv:2603.11799, section 3 and appendix B",
    settings: &SETTINGS,
};

impl ShadowAttack for Base3 {
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
            need_both(record)?;
            let (inside, outside) = (record.inside, record.outside);
            let variance = (inside.scatter + outside.scatter) / (inside.n + outside.n);
            let middle = (inside.mean + outside.mean) / 2.0;
            Ok((inside.mean - outside.mean) / variance.max(floor) * (record.target - middle))
        })
    }
}
