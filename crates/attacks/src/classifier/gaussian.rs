//! What the Gaussian attacks share: log-likelihood ratios and the rule for variances.

use super::statistic::STATISTIC;
use super::statistics::{ESTIMATOR, Moments, RecordStatistics, TRIM};
use super::view::{View, WithLogs};
use crate::scores::Abstention;
use crate::settings::{Kind, Setting};

pub static VARIANCE: Setting = Setting {
    key: "gaussian.variance",
    kind: Kind::Choice {
        default: "auto",
        choices: &["auto", "global", "per-record"],
    },
    help: "lira's variances: one per class for all records, one per class and record, or \
           per-record from gaussian.switch shadows on",
};

pub static SWITCH: Setting = Setting {
    key: "gaussian.switch",
    kind: Kind::Number {
        default: 64.0,
        least: 0.0,
        most: 1e9,
    },
    help: "number of shadow models from which lira trusts each record's own variance",
};

pub static FLOOR: Setting = Setting {
    key: "gaussian.floor",
    kind: Kind::Number {
        default: 1e-12,
        least: 1e-300,
        most: 1e6,
    },
    help: "smallest variance a record may have, so that constant signals never divide by zero",
};

/// The settings of base2 to base4, which estimate one Gaussian per class and record.
pub static SETTINGS: [&Setting; 4] = [&ESTIMATOR, &TRIM, &FLOOR, &STATISTIC];
/// The same with lira's switch between variances.
pub static SWITCHED_SETTINGS: [&Setting; 5] = [&VARIANCE, &SWITCH, &FLOOR, &ESTIMATOR, &TRIM];

/// A mean and a variance to judge a value by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaussian {
    pub mean: f64,
    pub variance: f64,
}

/// ln N(φ; inside) − ln N(φ; outside), with one logarithm for both.
pub fn log_likelihood_ratio(phi: f64, inside: Gaussian, outside: Gaussian) -> WithLogs<1> {
    let square = |law: Gaussian| (phi - law.mean) * (phi - law.mean) / law.variance;
    WithLogs {
        rest: 0.5 * (square(outside) - square(inside)),
        logs: [(0.5, outside.variance / inside.variance)],
    }
}

/// Refuses a record that lacks a class of shadows.
pub fn need_outside(record: &RecordStatistics) -> Result<(), Abstention> {
    if record.outside.n == 0.0 {
        return Err(Abstention::NoOutShadow);
    }
    Ok(())
}

/// Refuses a record that lacks either class of shadows.
pub fn need_both(record: &RecordStatistics) -> Result<(), Abstention> {
    if record.inside.n == 0.0 {
        return Err(Abstention::NoInShadow);
    }
    need_outside(record)
}

/// Turns a record's moments into Gaussians.
pub enum Variances {
    Global { inside: f64, outside: f64 },
    PerRecord { floor: f64 },
}

impl Variances {
    /// The variances of this view, by LiRA's rule: per record when enough shadows are used.
    pub fn new(view: &View) -> Self {
        let floor = view.settings.number(&FLOOR);
        let per_record = match view.settings.choice(&VARIANCE) {
            "per-record" => true,
            "global" => false,
            _ => view.shadows() as f64 >= view.settings.number(&SWITCH),
        };
        if per_record {
            return Variances::PerRecord { floor };
        }
        let records = &view.statistics.records;
        Variances::Global {
            inside: global(records.iter().map(|record| record.inside)).max(floor),
            outside: global(records.iter().map(|record| record.outside)).max(floor),
        }
    }

    pub fn inside(&self, moments: Moments) -> Gaussian {
        let variance = match *self {
            Variances::Global { inside, .. } => inside,
            Variances::PerRecord { floor } => moments.variance(floor),
        };
        Gaussian {
            mean: moments.mean,
            variance,
        }
    }

    pub fn outside(&self, moments: Moments) -> Gaussian {
        let variance = match *self {
            Variances::Global { outside, .. } => outside,
            Variances::PerRecord { floor } => moments.variance(floor),
        };
        Gaussian {
            mean: moments.mean,
            variance,
        }
    }

    /// The record's log-likelihood ratio.
    pub fn ratio(&self, record: &RecordStatistics) -> Result<WithLogs<1>, Abstention> {
        need_both(record)?;
        Ok(log_likelihood_ratio(
            record.target,
            self.inside(record.inside),
            self.outside(record.outside),
        ))
    }
}

/// ΣS / Σn over all records: the variance within records, not between them. Not a number when
/// there is no observation; `f64::max` with a floor then gives the floor.
fn global(moments: impl Iterator<Item = Moments>) -> f64 {
    let (scatter, n) = moments.fold((0.0, 0.0), |(s, n), m| (s + m.scatter, n + m.n));
    scatter / n
}

#[cfg(test)]
mod tests {
    use stats::normal::ln_normal_pdf;

    use super::*;

    #[test]
    fn the_ratio_is_the_difference_of_log_densities() {
        let inside = Gaussian {
            mean: 3.0,
            variance: 0.25,
        };
        let outside = Gaussian {
            mean: -1.0,
            variance: 4.0,
        };
        for phi in [-30.0, 0.0, 2.5, 80.0] {
            let slow = ln_normal_pdf(phi, inside.mean, inside.variance)
                - ln_normal_pdf(phi, outside.mean, outside.variance);
            let fast = log_likelihood_ratio(phi, inside, outside).value();
            assert!((fast - slow).abs() < 1e-12 * slow.abs().max(1.0), "{phi}");
        }
    }
}
