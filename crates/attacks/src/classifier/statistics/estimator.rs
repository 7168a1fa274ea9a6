//! How location and spread of a record's φ are estimated for the Gaussian attacks (Brännvall
//! 2026, Appendix A.6). The paper found none better than maximum likelihood; they are here to
//! check that on one's own data.

use super::moments::Moments;
use crate::settings::{Kind, Setting, Settings};

pub static ESTIMATOR: Setting = Setting {
    key: "gaussian.estimator",
    kind: Kind::Choice {
        default: "mle",
        choices: &["mle", "trimmed-mean", "winsorised-variance", "median-iqr"],
    },
    help: "how each record's mean and variance are estimated",
};

pub static TRIM: Setting = Setting {
    key: "gaussian.trim",
    kind: Kind::Number {
        default: 0.1,
        least: 0.0,
        most: 0.49,
    },
    help: "share cut off (or clamped) at each end by the trimmed and winsorised estimators",
};

/// The interquartile range of a unit normal.
const NORMAL_IQR: f64 = 1.348_979_500_392_163_4;

/// An estimator of location and spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Estimator {
    MaximumLikelihood,
    TrimmedMean { trim: f64 },
    WinsorisedVariance { trim: f64 },
    MedianIqr,
}

impl Estimator {
    pub fn from_settings(settings: &Settings) -> Self {
        let trim = settings.number(&TRIM);
        match settings.choice(&ESTIMATOR) {
            "trimmed-mean" => Estimator::TrimmedMean { trim },
            "winsorised-variance" => Estimator::WinsorisedVariance { trim },
            "median-iqr" => Estimator::MedianIqr,
            _ => Estimator::MaximumLikelihood,
        }
    }

    /// Replaces location or spread; the count stays.
    pub(in crate::classifier) fn apply(
        self,
        plain: Moments,
        values: impl Iterator<Item = f64>,
    ) -> Moments {
        let mut sorted: Vec<f64> = values.collect();
        if sorted.is_empty() {
            return plain;
        }
        sorted.sort_unstable_by(f64::total_cmp);
        match self {
            Estimator::MaximumLikelihood => plain,
            Estimator::TrimmedMean { trim } => Moments {
                mean: mean(inner(&sorted, trim)),
                ..plain
            },
            Estimator::WinsorisedVariance { trim } => Moments {
                scatter: winsorised_scatter(&sorted, trim),
                ..plain
            },
            Estimator::MedianIqr => {
                let spread = (quantile(&sorted, 0.75) - quantile(&sorted, 0.25)) / NORMAL_IQR;
                Moments {
                    mean: quantile(&sorted, 0.5),
                    scatter: plain.n * spread * spread,
                    ..plain
                }
            }
        }
    }
}

fn cut(length: usize, trim: f64) -> usize {
    ((length as f64 * trim) as usize).min((length - 1) / 2)
}

fn inner(sorted: &[f64], trim: f64) -> &[f64] {
    let cut = cut(sorted.len(), trim);
    &sorted[cut..sorted.len() - cut]
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn winsorised_scatter(sorted: &[f64], trim: f64) -> f64 {
    let kept = inner(sorted, trim);
    let (least, most) = (kept[0], kept[kept.len() - 1]);
    let clamped: Vec<f64> = sorted.iter().map(|x| x.clamp(least, most)).collect();
    let centre = mean(&clamped);
    clamped.iter().map(|x| (x - centre).powi(2)).sum()
}

/// The quantile that interpolates linearly between order statistics.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let lower = place as usize;
    let upper = (lower + 1).min(sorted.len() - 1);
    sorted[lower] + (sorted[upper] - sorted[lower]) * (place - lower as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [f64; 10] = [3.0, 1.0, 2.0, 100.0, 5.0, 4.0, 6.0, 8.0, 7.0, -50.0];

    fn apply(estimator: Estimator) -> Moments {
        estimator.apply(Moments::from_values(&VALUES), VALUES.into_iter())
    }

    #[test]
    fn outliers_are_cut_clamped_or_passed_over() {
        let trimmed = apply(Estimator::TrimmedMean { trim: 0.1 });
        assert_eq!(trimmed.mean, 4.5);
        let winsorised = apply(Estimator::WinsorisedVariance { trim: 0.1 });
        let clamped = [3.0, 1.0, 2.0, 8.0, 5.0, 4.0, 6.0, 8.0, 7.0, 1.0];
        assert!((winsorised.scatter - Moments::from_values(&clamped).scatter).abs() < 1e-12);
        assert_eq!(winsorised.mean, Moments::from_values(&VALUES).mean);
        let robust = apply(Estimator::MedianIqr);
        assert_eq!(robust.mean, 4.5);
        // numpy.percentile gives 2.25 and 6.75.
        assert!((robust.scatter / 10.0 - (4.5f64 / NORMAL_IQR).powi(2)).abs() < 1e-12);
    }

    #[test]
    fn one_value_is_its_own_location() {
        for estimator in [
            Estimator::TrimmedMean { trim: 0.4 },
            Estimator::WinsorisedVariance { trim: 0.4 },
            Estimator::MedianIqr,
        ] {
            let moments = estimator.apply(Moments::from_values(&[2.0]), [2.0].into_iter());
            assert_eq!((moments.mean, moments.scatter), (2.0, 0.0));
        }
    }
}
