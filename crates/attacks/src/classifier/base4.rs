//! `base4`: Gaussian test with each record's own means and variances.

use super::ShadowAttack;
use super::gaussian::{FLOOR, SETTINGS, Variances};
use super::statistic::{self, Statistic};
use super::view::{View, WithLogs};
use crate::card::{Access, Card};
use crate::scores::Scores;
use crate::settings::Settings;
use base::Result;

pub struct Base4;

static CARD: Card = Card {
    id: "base4",
    summary: "Gaussian log-likelihood ratio with per-record variances at any number of shadows",
    asks: "As lira, trusting each record's own variances whatever their number.",
    why_it_works: "The most flexible Gaussian test; equal to `lira` from 64 shadows on.",
    access: Access::InAndOutShadows,
    when_it_misleads: "With few shadows the variances are noise and the score collapses; it is \
                       here as the yardstick that shows why lira switches.",
    paper: "Brännvall 2026, arXiv:2603.11799, appendix B",
    settings: &SETTINGS,
};

impl ShadowAttack for Base4 {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn column_passes(&self, settings: &Settings) -> usize {
        statistic::column_passes(settings, Statistic::LogOdds)
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let floor = view.settings.number(&FLOOR);
        let statistic = Statistic::chosen(view.settings, Statistic::LogOdds);
        let variances = Variances::PerRecord { floor };
        match statistic {
            Statistic::LogOdds => Ok(view.per_record_with_logs(|record| variances.ratio(record))),
            other => statistic::per_record(view, other, |record| {
                variances.ratio(record).map(WithLogs::value)
            }),
        }
    }
}
