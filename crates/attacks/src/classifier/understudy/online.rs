//! `understudy`: what a record's IN and OUT shadows tell, weighed as rehearsals taught.

use super::super::ShadowAttack;
use super::super::base1::{Base1, ln_ratio};
use super::super::bavaria::Beliefs;
use super::super::gaussian::{FLOOR, Gaussian, log_likelihood_ratio};
use super::super::statistics::{RecordStatistics, Wants};
use super::super::view::View;
use super::CREDIT;
use super::halves::Halves;
use super::learner::{SETTINGS, learn};
use super::rehearsal::{Levelled, Rehearsal};
use super::spread;
use crate::card::{Access, Card};
use crate::scores::{Abstention, Scores};
use crate::settings::Settings;
use base::Result;

pub struct Understudy;

static CARD: Card = Card {
    id: "understudy",
    summary: "base1, mended by boosted trees that shadows in the target's place have taught",
    asks: "Having seen shadows play the target, two at a time and with known membership: does \
           the audited model behave on this record like those that trained on it?",
    why_it_works: "Every published test is the best one under some law of φ, and none of the \
                   laws is quite true. The shadows' own memberships are thousands of solved \
                   cases per shadow, enough to learn how far to trust each test on which kind of \
                   record. Models that are surer or less sure of everything are first brought \
                   to one level. Learning starts from base1 and grows only as many trees as \
                   help on records held out. With a strong leak it needs far fewer shadows for the same \
                   AUC; with a faint one it gives what base1 gives.",
    access: Access::InAndOutShadows,
    when_it_misleads: "It assumes that stand-ins behave like the target: shadows trained by \
                       another recipe, or on fewer records, teach the wrong lesson, and so do \
                       shadows that share their training sets, unless in complementary pairs. \
                       A few hundred records teach little. Needs three shadows; with fewer than \
                       200 examples its scores are those of base1.",
    paper: CREDIT,
    settings: &SETTINGS,
};

const WIDTH: usize = 16;

/// A constant and `base1`, the first of the features: what trees start from.
const STARTS: usize = 2;

impl ShadowAttack for Understudy {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn wants(&self) -> Wants {
        Wants::PROBABILITIES
    }

    fn column_passes(&self, _settings: &Settings) -> usize {
        1
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let levelled = Levelled::new(view, |_| true)?;
        let level = levelled.view(view);
        let lens = Lens::new(&level)?;
        let rehearsal = Rehearsal::new(&level, &|record| Some(lens.features(record)))?;
        let halves = Halves::of_records(view);
        let rows = rehearsal.rows.iter();
        let records = view.signals.records();
        let Some(learnt) = learn::<_, STARTS>(rows, |record| halves.half(record), view, records)?
        else {
            return Base1.score(view);
        };
        Ok(view.per_place(|place, record| {
            learnt
                .mean_margin(&rehearsal.audited, place)
                .filter(|_| !record.target.is_nan())
                .ok_or(Abstention::Undefined)
        }))
    }
}

/// What is usual over all records: the same for every row, so it cannot tell a label.
struct Lens {
    beliefs: Beliefs,
    variance_inside: f64,
    variance_outside: f64,
}

impl Lens {
    fn new(view: &View) -> Result<Self> {
        let floor = view.settings.number(&FLOOR);
        let records = view.statistics.records.iter();
        Ok(Self {
            beliefs: Beliefs::new(view)?,
            variance_inside: spread::usual(records.clone().map(|record| record.inside), floor),
            variance_outside: spread::usual(records.map(|record| record.outside), floor),
        })
    }

    /// The published tests and what they are made of. A class without shadows is at the prior.
    fn features(&self, record: &RecordStatistics) -> [f32; WIDTH] {
        let phi = record.target;
        let (inside, outside) = (self.inside(record), self.outside(record));
        let linear = self.linear_ratio(record, inside.mean, outside.mean);
        let beliefs = &self.beliefs;
        let features = [
            ln_ratio(record),
            phi,
            beliefs
                .normal_ratio(phi, record.inside, record.outside)
                .value(),
            beliefs
                .student_ratio(phi, record.inside, record.outside)
                .value(),
            log_likelihood_ratio(phi, inside, outside).value(),
            linear,
            linear.abs().ln_1p().copysign(linear),
            phi - outside.mean,
            phi - inside.mean,
            (phi - outside.mean) / outside.variance.sqrt(),
            (phi - inside.mean) / inside.variance.sqrt(),
            outside.mean,
            inside.mean,
            outside.variance.ln(),
            inside.variance.ln(),
            record.pooled.mean,
        ];
        // Single precision: bins are far coarser.
        features.map(|feature| feature as f32)
    }

    fn inside(&self, record: &RecordStatistics) -> Gaussian {
        Gaussian {
            mean: self.beliefs.inside.mean_of(record.inside),
            variance: spread::shrunk(record.inside, self.variance_inside),
        }
    }

    fn outside(&self, record: &RecordStatistics) -> Gaussian {
        Gaussian {
            mean: self.beliefs.outside.mean_of(record.outside),
            variance: spread::shrunk(record.outside, self.variance_outside),
        }
    }

    /// `base3` with a shrunk variance.
    fn linear_ratio(&self, record: &RecordStatistics, inside: f64, outside: f64) -> f64 {
        let usual = (self.variance_inside + self.variance_outside) / 2.0;
        let variance = spread::shrunk_common(record.inside, record.outside, usual);
        (inside - outside) / variance * (record.target - (inside + outside) / 2.0)
    }
}
