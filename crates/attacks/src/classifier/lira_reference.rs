//! `lira-reference`: the published LiRA code to the digit, for comparing with papers.

use stats::normal::ln_normal_pdf;

use super::ShadowAttack;
use super::statistics::{Column, Moments};
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::{Answer, Scores};
use crate::settings::{Kind, Setting, Settings};
use crate::signals::shadow::Rescale;
use base::{Error, Result};

pub struct LiraReference;

static ACCESS: Setting = Setting {
    key: "lira-reference.access",
    kind: Kind::Choice {
        default: "online",
        choices: &["online", "offline"],
    },
    help: "online compares IN with OUT; offline is the published two-sided OUT density",
};

static VARIANCE: Setting = Setting {
    key: "lira-reference.variance",
    kind: Kind::Choice {
        default: "plain",
        choices: &["plain", "fixed"],
    },
    help: "plain: each record's own; fixed: one number, the spread of all IN values (offline: \
           all OUT values) around their common mean",
};

static CARD: Card = Card {
    id: "lira-reference",
    summary: "the published LiRA code, quirks included, for comparison with papers",
    asks: "What would the published code have said?",
    why_it_works: "As `lira`, with medians for means. Kept apart because its details change \
                   results: every record is cut to the smallest number of IN and OUT shadows, \
                   the fixed variance mixes records and serves both classes, confidences beyond \
                   ±103.6 become ties, and the offline score is two-sided.",
    access: Access::InAndOutShadows,
    when_it_misleads: "Use `lira` to find leaks and this one only to compare. Offline, a record \
                       the model is unusually wrong about counts as a member.",
    paper: "Carlini et al. 2022, arXiv:2112.03570; code tensorflow/privacy research/mi_lira_2021",
    settings: &[&ACCESS, &VARIANCE],
};

/// Added to every standard deviation by the published code.
const DEVIATION_OFFSET: f64 = 1e-30;

/// How many shadows of each class every record is cut to, and the fixed deviation if any.
struct Plan {
    inside: usize,
    outside: usize,
    fixed_deviation: Option<f64>,
    online: bool,
}

impl ShadowAttack for LiraReference {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn needs_inside(&self, settings: &Settings) -> bool {
        settings.choice(&ACCESS) == "online"
    }

    fn column_passes(&self, _settings: &Settings) -> usize {
        1
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let online = view.settings.choice(&ACCESS) == "online";
        let mut plan = Plan {
            inside: least(view, |record| record.inside.n),
            outside: least(view, |record| record.outside.n),
            fixed_deviation: None,
            online,
        };
        if plan.outside == 0 || (online && plan.inside == 0) {
            return Err(Error::missing_access(
                "some record has no IN or no OUT shadow, and the published code \
                 cuts every record to the smallest number",
                "use lira, which abstains on such records only",
            ));
        }
        if view.settings.choice(&VARIANCE) == "fixed" {
            plan.fixed_deviation = Some(plan.common_deviation(view)?);
        }
        view.per_column(Rescale::Published, |column| plan.score(column))
    }
}

fn least(view: &View, count: impl Fn(&super::statistics::RecordStatistics) -> f64) -> usize {
    let records = view.statistics.records.iter();
    records
        .map(|record| count(&record))
        .fold(f64::INFINITY, f64::min) as usize
}

impl Plan {
    fn score(&self, column: &Column) -> Answer {
        let outside = self.ln_density(column, false);
        Ok(if self.online {
            self.ln_density(column, true) - outside
        } else {
            // The published offline prediction is the density itself; low means member.
            -outside
        })
    }

    fn ln_density(&self, column: &Column, inside: bool) -> f64 {
        let mut values = self.values(column, inside);
        let deviation =
            self.fixed_deviation.unwrap_or_else(|| deviation(&values)) + DEVIATION_OFFSET;
        ln_normal_pdf(column.target, median(&mut values), deviation * deviation)
    }

    /// The first values of a class, in model order, as many as every record has.
    fn values(&self, column: &Column, inside: bool) -> Vec<f64> {
        let count = if inside { self.inside } else { self.outside };
        column.class(inside).take(count).collect()
    }

    /// One deviation over all records and augmentations: of the IN values, or offline of the OUT.
    fn common_deviation(&self, view: &View) -> Result<f64> {
        let mut total = Moments::default();
        for augmentation in 0..view.signals.augmentations() {
            let moments = view
                .at(augmentation)
                .map_columns(Rescale::Published, |column| {
                    moments(&self.values(column, self.online))
                })?;
            total = moments.into_iter().fold(total, Moments::merge);
        }
        Ok((total.scatter / total.n).sqrt())
    }
}

fn moments(values: &[f64]) -> Moments {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let scatter = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    Moments { n, mean, scatter }
}

fn deviation(values: &[f64]) -> f64 {
    let moments = moments(values);
    (moments.scatter / moments.n).sqrt()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        0.5 * (values[middle - 1] + values[middle])
    }
}
