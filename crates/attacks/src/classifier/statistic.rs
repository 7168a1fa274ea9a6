//! The scalar that the hierarchy base1 to base4 compares: loss, log-odds or confidence (Brännvall
//! 2026, section 3.2 and appendix B, whose signs are chosen so that larger means more like a member).

use stats::special::ln_sigmoid;

use super::references;
use super::statistics::{Column, Estimator, Moments, RecordStatistics};
use super::view::{View, map_columns};
use crate::scores::{Answer, Scores};
use crate::settings::{Kind, Setting, Settings};
use crate::signals::shadow::Rescale;
use base::Result;

pub static STATISTIC: Setting = Setting {
    key: "base.statistic",
    kind: Kind::Choice {
        default: "usual",
        choices: &["usual", "loss", "log-odds", "confidence"],
    },
    help: "what base1 to base4 compare: −loss, the log-odds φ, or the confidence p; usual is the \
           loss for base1, around the logarithm of the mean confidence, and φ for the others",
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    Loss,
    LogOdds,
    Confidence,
}

impl Statistic {
    /// The one in force, where `usual` is the attack's own.
    pub fn chosen(settings: &Settings, usual: Statistic) -> Self {
        match settings.choice(&STATISTIC) {
            "loss" => Statistic::Loss,
            "log-odds" => Statistic::LogOdds,
            "confidence" => Statistic::Confidence,
            _ => usual,
        }
    }

    fn value(self, phi: f64) -> f64 {
        match self {
            Statistic::Loss => ln_sigmoid(phi),
            Statistic::LogOdds => phi,
            Statistic::Confidence => ln_sigmoid(phi).exp(),
        }
    }

    /// The same, or p − 1 where p is large, which keeps its digits: for what only looks at distances.
    fn relative(self, phi: f64, large: bool) -> f64 {
        match self {
            Statistic::Confidence if large => -ln_sigmoid(-phi).exp(),
            _ => self.value(phi),
        }
    }
}

/// Moments of another statistic than φ.
fn record(column: &Column, estimator: Estimator, of: impl Fn(f64) -> f64) -> RecordStatistics {
    let moments = |values: Vec<f64>| {
        let plain = Moments::from_values(&values);
        estimator.apply(plain, values.into_iter())
    };
    RecordStatistics {
        target: of(column.target),
        inside: moments(column.class(true).map(&of).collect()),
        outside: moments(column.class(false).map(&of).collect()),
        pooled: moments(column.phi.iter().map(|&phi| of(phi)).collect()),
        ..RecordStatistics::default()
    }
}

/// How often an attack of this family goes over all shadow values by itself.
pub fn column_passes(settings: &Settings, usual: Statistic) -> usize {
    let chosen = Statistic::chosen(settings, usual);
    usize::from(chosen != usual && chosen != Statistic::LogOdds)
}

/// By how much the statistic in force is higher under the shadows that trained on a record.
pub fn shift(view: &View, statistic: Statistic) -> Result<f64> {
    if statistic == Statistic::LogOdds {
        return references::shift(view.learnt_from().records.iter());
    }
    let estimator = Estimator::from_settings(view.settings);
    let others = view.references.map(|references| references.signals);
    let records = map_columns(
        others.unwrap_or(view.signals),
        view.augmentation,
        Rescale::Exact,
        view.progress.quietly(),
        |column| record(column, estimator, |phi| statistic.value(phi)),
    )?;
    references::shift(records.into_iter())
}

/// Scores every record by moments of the statistic in force; the score may depend on distances only.
pub fn per_record(
    view: &View,
    statistic: Statistic,
    score: impl Fn(&RecordStatistics) -> Answer + Sync,
) -> Result<Scores> {
    if statistic == Statistic::LogOdds {
        return Ok(view.per_record(score));
    }
    let estimator = Estimator::from_settings(view.settings);
    view.per_column(Rescale::Exact, |column| {
        let large = column.target > 0.0;
        let of = |phi| statistic.relative(phi, large);
        score(&record(column, estimator, of))
    })
}

/// The same without any shift.
pub fn per_record_as_is(
    view: &View,
    statistic: Statistic,
    score: impl Fn(&RecordStatistics) -> Answer + Sync,
) -> Result<Scores> {
    if statistic == Statistic::LogOdds {
        return Ok(view.per_record(score));
    }
    let estimator = Estimator::from_settings(view.settings);
    view.per_column(Rescale::Exact, |column| {
        score(&record(column, estimator, |phi| statistic.value(phi)))
    })
}
