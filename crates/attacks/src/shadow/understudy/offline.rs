//! `understudy-offline`: a record is judged from its OUT shadows alone, by a learner that was
//! taught by other records.

use stats::normal::ln_normal_cdf;

use super::super::ShadowAttack;
use super::super::base1::Base1Offline;
use super::super::gaussian::{FLOOR, need_outside};
use super::super::statistics::{RecordStatistics, Wants};
use super::super::view::View;
use super::CREDIT;
use super::halves::Halves;
use super::learner::{SETTINGS, learn};
use super::rehearsal::Rehearsal;
use super::spread;
use crate::card::{Access, Card};
use crate::error::Result;
use crate::scores::{Abstention, Scores};

pub struct UnderstudyOffline;

static CARD: Card = Card {
    id: "understudy-offline",
    summary: "understudy from OUT shadows only, taught by other records",
    asks: "As understudy, never looking at shadows trained on the record: two halves of the \
           records teach the learner that judges the other half.",
    why_it_works: "What a model gains on a record it trained on depends on how models without it \
                   do, and that dependence can be learnt from records whose IN shadows one has.",
    access: Access::OutShadows,
    when_it_misleads: "It needs other records of the same kind with IN shadows; a record unlike \
                       all others is judged by the others. Stand-ins must behave like the \
                       target. Needs three shadows; with fewer than 200 examples in a half its \
                       scores are those of base1-offline.",
    paper: CREDIT,
    settings: &SETTINGS,
};

const WIDTH: usize = 10;

/// A constant and the first four features, the published scores: what trees start from.
const STARTS: usize = 5;

/// base1-offline's default, one of its two scales among the features.
const PUBLISHED_SCALE: f64 = 0.33;

impl ShadowAttack for UnderstudyOffline {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn wants(&self) -> Wants {
        Wants::PROBABILITIES
    }

    fn column_passes(&self) -> usize {
        1
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let lens = Lens::of(view);
        let rehearsal = Rehearsal::of(view, &|record| lens.features(record))?;
        let halves = Halves::of_records(view);
        let taught_by = |half: usize| {
            let own = rehearsal.rows.iter();
            let own = own.filter(|row| halves.of(row.record) == half);
            let inner = |record| halves.within(record);
            learn::<_, STARTS>(own, inner, view, halves.records(half))
        };
        let taught_by_others = [taught_by(1)?, taught_by(0)?];
        let untaught = Base1Offline.score(view)?;
        Ok(view.per_place(|place, record| {
            need_outside(record)?;
            let Some(learnt) = &taught_by_others[halves.of(place)] else {
                return untaught.answer(place);
            };
            let in_full = || Some(learnt.margin(&lens.features(record)?));
            learnt
                .mean_margin(&rehearsal.audited, place)
                .or_else(in_full)
                .filter(|_| !record.target.is_nan())
                .ok_or(Abstention::Undefined)
        }))
    }
}

/// What is usual over all records' OUT shadows.
struct Lens {
    variance: f64,
}

impl Lens {
    fn of(view: &View) -> Self {
        let records = view.statistics.records.iter();
        let floor = view.settings.number(&FLOOR);
        Self {
            variance: spread::usual(records.map(|record| record.outside), floor),
        }
    }

    fn features(&self, record: &RecordStatistics) -> Option<[f32; WIDTH]> {
        need_outside(record).ok()?;
        let (phi, outside) = (record.target, record.outside);
        let apart = phi - outside.mean;
        let variance = spread::shrunk(outside, self.variance);
        let features = [
            record.ln_p - record.ln_mean_probability_outside,
            record.ln_p - PUBLISHED_SCALE * record.ln_mean_probability_outside,
            ln_normal_cdf(apart / variance.sqrt()),
            apart,
            apart / variance.sqrt(),
            apart / self.variance.sqrt(),
            phi,
            record.ln_p,
            outside.mean,
            variance.ln(),
        ];
        Some(features.map(|feature| feature as f32))
    }
}
