//! What models differ in as a whole, taken out.
//!
//! One model trained a little longer, or with a luckier start, is surer of everything: its φ of
//! all records is shifted and stretched. That says nothing about any one record, but it drowns
//! what does. So every model, the audited one included, is compared with all the others over many
//! records, and brought to the level that is usual. Membership is not looked at. How far models
//! really differ is judged by empirical Bayes: of differences that chance explains, nothing is
//! taken out.

use std::sync::Arc;

use rayon::prelude::*;

use super::super::view::View;
use crate::signals::membership::MemberRow;
use crate::signals::shadow::{Level, ModelOutputs, Rescale, ShadowSignals};

/// From fewer records no level is told.
const LEAST_RECORDS: usize = 50;

/// Records further than so many interquartile ranges from the middle are left out: one of them
/// would outweigh all others.
const FARTHEST: f64 = 5.0;

/// No model is stretched by more, or by less than one in so many.
const MOST_STRETCHED: f64 = 4.0;

/// The signals with every model brought to the usual level, as the wanted records tell it; as they
/// are where nothing tells it.
pub fn levelled(view: &View, wanted: impl Fn(usize) -> bool) -> ShadowSignals {
    Levels::apply(Levels::new(view, wanted).as_ref(), view.signals)
}

/// Of every model; those that take no part stay where they are.
pub struct Levels(Arc<[Level]>);

impl Levels {
    /// As the wanted records tell them, all models and all values taking part.
    fn new(view: &View, wanted: impl Fn(usize) -> bool) -> Option<Self> {
        let others = Others::new(view, wanted, None)?;
        levels(view, &others).map(|levels| Self(levels.into()))
    }

    /// As reference records tell them, from values of models that did not train on a record alone: the
    /// audited one trained on none of them, and what the shadows gain by training is no level.
    pub fn outside(reference: &View) -> Option<Self> {
        let others = Others::new(reference, |_| true, Some(&reference.signals.members))?;
        levels(reference, &others).map(|levels| Self(levels.into()))
    }

    /// The signals at these levels, or as they are.
    pub fn apply(levels: Option<&Self>, signals: &ShadowSignals) -> ShadowSignals {
        let Some(levels) = levels else {
            return signals.clone();
        };
        ShadowSignals {
            outputs: Arc::new(ModelOutputs {
                levels: Some(levels.0.clone()),
                ..ModelOutputs::clone(&signals.outputs)
            }),
            ..signals.clone()
        }
    }
}

fn levels(view: &View, others: &Others) -> Option<Vec<Level>> {
    let mut models = vec![view.signals.target];
    models.extend(&view.signals.shadows);
    let fits: Vec<Fit> = (0..models.len())
        .into_par_iter()
        .map(|place| others.fit(view, models[place], place.checked_sub(1)))
        .collect::<Option<_>>()?;
    let (place, slope) = (
        Usual::new(fits.iter().map(|fit| fit.place))?,
        Usual::new(fits.iter().map(|fit| fit.slope))?,
    );
    if slope.mean <= 0.0 {
        return None;
    }
    let mut levels = vec![Level::default(); view.signals.outputs.planes.len()];
    for (&model, fit) in models.iter().zip(&fits) {
        let stretch = slope.mean / slope.believed(fit.slope);
        let stretch = match stretch > 0.0 {
            true => stretch.clamp(1.0 / MOST_STRETCHED, MOST_STRETCHED),
            false => MOST_STRETCHED,
        };
        let shift = place.mean - stretch * place.believed(fit.place);
        // Single precision: the last digits hang on the order of the records.
        levels[model] = Level {
            stretch: f64::from(stretch as f32),
            shift: f64::from(shift as f32),
        };
    }
    Some(levels)
}

/// The records that tell levels, with φ summed over the models that count.
struct Others<'a> {
    records: Vec<usize>,
    totals: Vec<f64>,
    counts: Vec<f64>,
    /// Values of shadows that trained on a record do not count, where this says which did.
    inside: Option<&'a [MemberRow]>,
}

/// A number with the square of its standard error.
#[derive(Clone, Copy)]
struct Estimate {
    value: f64,
    error: f64,
}

/// φ of one model against the mean φ of all others: where it lies, and how steeply it rises.
struct Fit {
    place: Estimate,
    slope: Estimate,
}

impl<'a> Others<'a> {
    fn new(
        view: &View,
        wanted: impl Fn(usize) -> bool,
        inside: Option<&'a [MemberRow]>,
    ) -> Option<Self> {
        let counted = |record: usize| {
            let known = view.statistics.records.get(record);
            match inside {
                None => known.pooled,
                Some(_) => known.outside,
            }
        };
        let total = |record: usize| {
            let shadows = counted(record);
            view.statistics.records.get(record).target + shadows.n * shadows.mean
        };
        let told = (0..view.signals.records()).filter(|&record| wanted(record));
        let told: Vec<(usize, f64)> = told
            .map(|record| (record, total(record)))
            .filter(|(_, total)| total.is_finite())
            .collect();
        let (least, most) = fences(told.iter().map(|(_, total)| *total).collect())?;
        let within = told
            .iter()
            .filter(|(_, total)| (least..=most).contains(total));
        let (records, totals): (Vec<usize>, Vec<f64>) = within.copied().unzip();
        let counts = records.iter().map(|&record| counted(record).n + 1.0);
        let counts: Vec<f64> = counts.collect();
        (records.len() >= LEAST_RECORDS).then_some(Self {
            records,
            totals,
            counts,
            inside,
        })
    }

    /// Of the audited model, or of a shadow by its place.
    fn fit(&self, view: &View, model: usize, shadow: Option<usize>) -> Option<Fit> {
        let mut phi = vec![0.0; view.signals.records()];
        let all = 0..phi.len();
        let outputs = &view.signals.outputs;
        outputs.phi(model, all, view.augmentation, Rescale::Exact, &mut phi);
        let inside = self.inside.zip(shadow).map(|(rows, shadow)| &rows[shadow]);
        let counts = |record: usize, count: f64| {
            count > 1.0 && !inside.is_some_and(|inside| inside.get(record))
        };
        let pairs = || {
            let records = self.records.iter().zip(&self.totals).zip(&self.counts);
            let records = records.filter(|((record, _), count)| counts(**record, **count));
            records.map(|((&record, total), count)| {
                let others = (total - phi[record]) / (count - 1.0);
                (others, phi[record])
            })
        };
        let n = pairs().count() as f64;
        if n < LEAST_RECORDS as f64 {
            return None;
        }
        let (x, y) = pairs().fold((0.0, 0.0), |(x, y), pair| (x + pair.0, y + pair.1));
        let (x, y) = (x / n, y / n);
        let (xx, xy, yy) = pairs().fold((0.0, 0.0, 0.0), |(xx, xy, yy), pair| {
            let (dx, dy) = (pair.0 - x, pair.1 - y);
            (xx + dx * dx, xy + dx * dy, yy + dy * dy)
        });
        let slope = xy / xx;
        let variance = ((yy - slope * xy) / n).max(0.0);
        let sane = slope.is_finite() && y.is_finite() && variance.is_finite();
        sane.then_some(Fit {
            place: Estimate {
                value: y,
                error: variance / n,
            },
            slope: Estimate {
                value: slope,
                error: variance / xx,
            },
        })
    }
}

/// What estimates have in common, and how much of their differences is more than chance.
struct Usual {
    mean: f64,
    real: f64,
}

impl Usual {
    fn new(estimates: impl Iterator<Item = Estimate> + Clone) -> Option<Self> {
        let n = estimates.clone().count() as f64;
        let mean = estimates.clone().map(|one| one.value).sum::<f64>() / n;
        let squares = estimates.clone().map(|one| (one.value - mean).powi(2));
        let apart = squares.sum::<f64>() / (n - 1.0);
        let chance = estimates.map(|one| one.error).sum::<f64>() / n;
        let real = if apart > chance {
            1.0 - chance / apart
        } else {
            0.0
        };
        (mean.is_finite() && real.is_finite()).then_some(Self { mean, real })
    }

    fn believed(&self, one: Estimate) -> f64 {
        self.mean + self.real * (one.value - self.mean)
    }
}

/// The least and the largest number that is not far out.
fn fences(mut numbers: Vec<f64>) -> Option<(f64, f64)> {
    numbers.sort_unstable_by(f64::total_cmp);
    let quartile = |quarter: usize| numbers.get(numbers.len() * quarter / 4).copied();
    let (lower, upper) = (quartile(1)?, quartile(3)?);
    let reach = FARTHEST * (upper - lower);
    Some((lower - reach, upper + reach))
}
