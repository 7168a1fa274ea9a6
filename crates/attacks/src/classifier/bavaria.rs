//! `bavaria-n`, `bavaria-t` and their offline forms: Gaussian tests with Bayesian variances.

use stats::student::student_t_constant;

use super::ShadowAttack;
use super::gaussian::{FLOOR, Gaussian, log_likelihood_ratio};
use super::references::without_priors;
use super::statistics::{ESTIMATOR, Moments, RecordStatistics, TRIM};
use super::view::{View, WithLogs};
use crate::card::{Access, Card};
use crate::scores::Scores;
use crate::settings::{Kind, Setting};
use base::Result;

pub struct BavariaN;
pub struct BavariaT;
pub struct BavariaNOffline;
pub struct BavariaTOffline;

static KAPPA: Setting = Setting {
    key: "bavaria.kappa",
    kind: Kind::Number {
        default: 1.0,
        least: 1e-9,
        most: 1e9,
    },
    help: "how many observations the prior mean is worth",
};

static ALPHA: Setting = Setting {
    key: "bavaria.alpha",
    kind: Kind::Number {
        default: 2.0,
        least: 1.000_001,
        most: 1e9,
    },
    help: "shape of the prior on variances; larger trusts the global variance more",
};

static SETTINGS: [&Setting; 5] = [&KAPPA, &ALPHA, &FLOOR, &ESTIMATOR, &TRIM];

const PAPER: &str = "Brännvall 2026, arXiv:2603.11799, section 4 and appendix C";

static CARD_N: Card = Card {
    id: "bavaria-n",
    summary: "lira with variances shrunk towards a global prior",
    asks: "As lira, with each record's variance weighed against what is usual.",
    why_it_works: "A normal-inverse-gamma prior learnt from all shadow observations steadies the \
                   variances when few shadows are there and fades as more come.",
    access: Access::InAndOutShadows,
    when_it_misleads: "Like lira it assumes that φ is normal over training runs. Safer than \
                       bavaria-t at very low false-positive rates with few shadows.",
    paper: PAPER,
    settings: &SETTINGS,
};

static CARD_T: Card = Card {
    id: "bavaria-t",
    summary: "ratio of Student-t predictive densities under the same prior",
    asks: "As bavaria-n, also allowing for how uncertain the variance itself is.",
    why_it_works: "Integrating over the unknown mean and variance gives heavier tails, which \
                   keeps one odd shadow from deciding. Best AUC of the published attacks.",
    access: Access::InAndOutShadows,
    when_it_misleads: "The heavy tails cost a little at very low false-positive rates when \
                       shadows are few.",
    paper: PAPER,
    settings: &SETTINGS,
};

static CARD_N_OFFLINE: Card = Card {
    id: "bavaria-n-offline",
    summary: "bavaria-n with the record's IN side left at the prior",
    asks: "As bavaria-n, never looking at shadows trained on the record.",
    why_it_works: "Without IN observations the posterior is the prior: other records' IN values \
                   stand in for this one's.",
    access: Access::OutShadows,
    when_it_misleads: "The prior still needs IN observations of some records: of the other audited \
                       ones, or of reference records (--population) where no shadow trained on any \
                       audited record. Records that behave unlike the average are judged by the \
                       average.",
    paper: "Brännvall 2026, arXiv:2603.11799, appendix I",
    settings: &SETTINGS,
};

static CARD_T_OFFLINE: Card = Card {
    id: "bavaria-t-offline",
    summary: "bavaria-t with the record's IN side left at the prior",
    asks: "As bavaria-t, never looking at shadows trained on the record.",
    why_it_works: CARD_N_OFFLINE.why_it_works,
    access: Access::OutShadows,
    when_it_misleads: CARD_N_OFFLINE.when_it_misleads,
    paper: "Brännvall 2026, arXiv:2603.11799, appendix I",
    settings: &SETTINGS,
};

/// Normal-inverse-gamma parameters of one class (equation 14 of the paper).
#[derive(Clone, Copy, Debug)]
pub(super) struct Belief {
    mean: f64,
    kappa: f64,
    alpha: f64,
    beta: f64,
}

impl Belief {
    /// The prior: mean and variance of all observations of the class.
    fn prior(all: Moments, kappa: f64, alpha: f64, floor: f64) -> Self {
        Belief {
            mean: all.mean,
            kappa,
            alpha,
            beta: all.variance(floor) * (alpha - 1.0),
        }
    }

    fn posterior(self, seen: Moments) -> Self {
        if seen.n == 0.0 {
            return self;
        }
        let kappa = self.kappa + seen.n;
        let apart = seen.mean - self.mean;
        let weight = seen.n / kappa;
        Belief {
            mean: self.mean + weight * apart,
            kappa,
            alpha: self.alpha + 0.5 * seen.n,
            beta: self.beta + 0.5 * (seen.scatter + self.kappa * weight * apart * apart),
        }
    }

    /// The posterior-mean variance around the maximum-likelihood mean, where there is one.
    fn gaussian(self, seen: Moments) -> Gaussian {
        let posterior = self.posterior(seen);
        Gaussian {
            mean: self.mean_of(seen),
            variance: posterior.beta / (posterior.alpha - 1.0),
        }
    }

    /// The maximum-likelihood mean, or the prior's where nothing was seen.
    pub(super) fn mean_of(self, seen: Moments) -> f64 {
        if seen.n == 0.0 { self.mean } else { seen.mean }
    }

    fn degrees(self) -> f64 {
        2.0 * self.alpha
    }

    /// The squared scale of the Student-t predictive is β(κ+1)/(ακ): above and below the line.
    fn scale(self) -> (f64, f64) {
        (self.beta * (self.kappa + 1.0), self.alpha * self.kappa)
    }

    /// The log of the predictive density less what depends on count or scale alone: a weight, and what it weighs
    /// the logarithm of.
    fn kernel(self, phi: f64) -> (f64, f64) {
        let apart = phi - self.mean;
        let (above, below) = self.scale();
        let degrees = self.degrees();
        let beyond = apart * apart * below / (degrees * above);
        (-0.5 * (degrees + 1.0), 1.0 + beyond)
    }
}

/// Both classes' priors, and the Student-t constants for every possible count.
pub(super) struct Beliefs {
    pub(super) inside: Belief,
    pub(super) outside: Belief,
    constants: Vec<f64>,
}

impl Beliefs {
    pub(super) fn new(view: &View) -> Result<Self> {
        let usual = view.learnt_from();
        let all = [usual.all_inside, usual.all_outside];
        if all.iter().any(|moments| moments.n == 0.0) {
            return Err(without_priors("one class has no prior"));
        }
        let kappa = view.settings.number(&KAPPA);
        let alpha = view.settings.number(&ALPHA);
        let floor = view.settings.number(&FLOOR);
        Ok(Self {
            inside: Belief::prior(all[0], kappa, alpha, floor),
            outside: Belief::prior(all[1], kappa, alpha, floor),
            constants: (0..=view.shadows())
                .map(|n| student_t_constant(2.0 * alpha + n as f64))
                .collect(),
        })
    }

    pub(super) fn normal_ratio(&self, phi: f64, inside: Moments, outside: Moments) -> WithLogs<1> {
        log_likelihood_ratio(
            phi,
            self.inside.gaussian(inside),
            self.outside.gaussian(outside),
        )
    }

    pub(super) fn student_ratio(&self, phi: f64, inside: Moments, outside: Moments) -> WithLogs<3> {
        let (with, without) = (
            self.inside.posterior(inside),
            self.outside.posterior(outside),
        );
        let ((above_in, below_in), (above_out, below_out)) = (with.scale(), without.scale());
        let (weight, of) = without.kernel(phi);
        WithLogs {
            rest: self.constants[inside.n as usize] - self.constants[outside.n as usize],
            logs: [
                (0.5, (above_out * below_in) / (below_out * above_in)),
                with.kernel(phi),
                (-weight, of),
            ],
        }
    }
}

/// The priors in words.
fn learnt(view: &View) -> Result<Option<String>> {
    let beliefs = Beliefs::new(view)?;
    let spread = |belief: Belief| (belief.beta / (belief.alpha - 1.0)).sqrt();
    Ok(Some(format!(
        "the prior of φ is {:.3} ± {:.3} IN and {:.3} ± {:.3} OUT",
        beliefs.inside.mean,
        spread(beliefs.inside),
        beliefs.outside.mean,
        spread(beliefs.outside)
    )))
}

fn score<const N: usize>(
    view: &View,
    ratio: impl Fn(&Beliefs, f64, Moments, Moments) -> WithLogs<N> + Sync,
    inside: impl Fn(&RecordStatistics) -> Moments + Sync,
) -> Result<Scores> {
    let beliefs = Beliefs::new(view)?;
    Ok(view.per_record_with_logs(|record| {
        Ok(ratio(
            &beliefs,
            record.target,
            inside(record),
            record.outside,
        ))
    }))
}

fn seen(record: &RecordStatistics) -> Moments {
    record.inside
}

fn withheld(_: &RecordStatistics) -> Moments {
    Moments::default()
}

macro_rules! bavaria {
    ($attack:ident, $card:ident, $ratio:expr, $inside:ident) => {
        impl ShadowAttack for $attack {
            fn card(&self) -> &'static Card {
                &$card
            }

            fn score(&self, view: &View) -> Result<Scores> {
                score(view, $ratio, $inside)
            }

            fn learnt(&self, view: &View) -> Result<Option<String>> {
                learnt(view)
            }
        }
    };
}

bavaria!(BavariaN, CARD_N, Beliefs::normal_ratio, seen);
bavaria!(BavariaT, CARD_T, Beliefs::student_ratio, seen);
bavaria!(
    BavariaNOffline,
    CARD_N_OFFLINE,
    Beliefs::normal_ratio,
    withheld
);
bavaria!(
    BavariaTOffline,
    CARD_T_OFFLINE,
    Beliefs::student_ratio,
    withheld
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_the_difference_of_student_t_log_densities() {
        let all = Moments {
            n: 100.0,
            mean: 1.0,
            scatter: 250.0,
        };
        let beliefs = Beliefs {
            inside: Belief::prior(all, 1.0, 2.0, 1e-12),
            outside: Belief::prior(Moments { mean: -2.0, ..all }, 1.0, 2.0, 1e-12),
            constants: (0..=8)
                .map(|n| student_t_constant(4.0 + f64::from(n)))
                .collect(),
        };
        let seen = |n, mean, scatter| Moments { n, mean, scatter };
        let (inside, outside) = (seen(7.0, 3.0, 4.5), seen(3.0, -1.0, 0.25));
        let slow = |belief: Belief, phi| {
            let ((above, below), degrees) = (belief.scale(), belief.degrees());
            stats::student::ln_student_t_pdf(phi, degrees, belief.mean, above / below)
        };
        for phi in [-40.0, 2.0, 3.5, 900.0] {
            let slow = slow(beliefs.inside.posterior(inside), phi)
                - slow(beliefs.outside.posterior(outside), phi);
            let fast = beliefs.student_ratio(phi, inside, outside).value();
            assert!(
                (slow - fast).abs() < 1e-12 * slow.abs().max(1.0),
                "{phi}: {slow} {fast}"
            );
        }
    }

    #[test]
    fn with_many_observations_the_prior_fades() {
        let prior = Belief::prior(
            Moments {
                n: 9.0,
                mean: -8.0,
                scatter: 9.0,
            },
            1.0,
            2.0,
            1e-12,
        );
        let seen = Moments {
            n: 1e9,
            mean: 3.0,
            scatter: 4e9,
        };
        let gaussian = prior.gaussian(seen);
        assert_eq!(gaussian.mean, 3.0);
        assert!((gaussian.variance - 4.0).abs() < 1e-6);
    }
}
