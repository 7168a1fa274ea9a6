//! `base3` and `base3-offline`: Gaussian test with one variance for both classes of a record.

use super::ShadowAttack;
use super::gaussian::{FLOOR, SETTINGS, need_both, need_outside};
use super::statistic::{self, Statistic};
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use crate::settings::Settings;
use base::Result;

pub struct Base3;
pub struct Base3Offline;

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

static OFFLINE: Card = Card {
    id: "base3-offline",
    summary: "base3 with the IN mean at the OUT mean plus one shift for all records",
    asks: "As base3, never looking at shadows trained on the record: is φ nearer to the OUT mean, or to \
           where training usually moves it?",
    why_it_works: "What training adds to φ on average, the shift Δ, is known from other records: of the \
                   audited ones, or of reference records (--population) where no shadow trained on any \
                   audited record. With the OUT variance for both classes the test is \
                   Δ/σ² · (φ − OUT mean − Δ/2). base4 comes to the same offline.",
    access: Access::OutShadows,
    when_it_misleads: "Hard records gain more by training than easy ones, and one shift serves all. With \
                       few OUT shadows the record's own variance is noise.",
    paper: "Brännvall 2026, arXiv:2603.11799, appendix I, equation 20 and table 11",
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

impl ShadowAttack for Base3Offline {
    fn card(&self) -> &'static Card {
        &OFFLINE
    }

    fn column_passes(&self, settings: &Settings) -> usize {
        statistic::column_passes(settings, Statistic::LogOdds)
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let floor = view.settings.number(&FLOOR);
        let statistic = Statistic::chosen(view.settings, Statistic::LogOdds);
        let shift = statistic::shift(view, statistic)?;
        statistic::per_record(view, statistic, |record| {
            need_outside(record)?;
            let outside = record.outside;
            let apart = record.target - outside.mean;
            Ok(shift / outside.variance(floor) * (apart - shift / 2.0))
        })
    }

    fn learnt(&self, view: &View) -> Result<Option<String>> {
        let statistic = Statistic::chosen(view.settings, Statistic::LogOdds);
        let shift = statistic::shift(view, statistic)?;
        Ok(Some(format!("training moves it by {shift:.3} on average")))
    }
}
