//! `understudy-offline`: a record is judged from its OUT shadows alone, by a learner that was
//! taught by other records.

use rayon::prelude::*;
use stats::boosting::Growth;
use stats::normal::ln_normal_cdf;

use super::super::ShadowAttack;
use super::super::base1::{self, Base1Offline};
use super::super::gaussian::{FLOOR, need_outside};
use super::super::statistics::{RecordStatistics, Records, Wants};
use super::super::view::View;
use super::CREDIT;
use super::halves::Halves;
use super::learner::{SETTINGS, learn};
use super::lesson::{Learnt, Lesson};
use super::level::Levels;
use super::rehearsal::{Levelled, Rehearsal, Row};
use super::spread;
use crate::card::{Access, Card};
use crate::scores::{Abstention, Scores};
use crate::settings::Settings;
use base::Result;

pub struct UnderstudyOffline;

static CARD: Card = Card {
    id: "understudy-offline",
    summary: "understudy from OUT shadows only, taught by other records",
    asks: "As understudy, never looking at shadows trained on the record: two halves of the \
           records teach the learner that judges the other half; or reference records \
           (--population) teach it, where no shadow trained on any audited record.",
    why_it_works: "What a model gains on a record it trained on depends on how models without it \
                   do, and that dependence can be learnt from records whose IN shadows one has.",
    access: Access::OutShadows,
    when_it_misleads: "It needs other records of the same kind with IN shadows; a record unlike \
                       all others is judged by the others, and one without OUT shadows by its φ \
                       alone, against what is usual. Stand-ins must behave like the target. Needs \
                       three shadows; with fewer than 200 examples in a half its scores are those \
                       of base1-offline.",
    paper: CREDIT,
    settings: &SETTINGS,
};

const WIDTH: usize = 10;

/// A constant and the first four features, the published scores: what trees start from.
const STARTS: usize = 5;

/// φ among the features.
const PHI: usize = 6;

/// Weights alone.
const UNGROWN: Growth = Growth {
    trees: 0,
    leaves: 2,
    rate: 1.0,
    leaf_rows: 1,
};

/// base1-offline's default, one of its two scales among the features.
const PUBLISHED_SCALE: f64 = 0.33;

impl ShadowAttack for UnderstudyOffline {
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
        if let Some(references) = view.references {
            return by_references(view, &references.view(view));
        }
        let halves = Halves::of_records(view);
        let (by_second, by_first) = rayon::join(
            || taught_by(view, &halves, 1),
            || taught_by(view, &halves, 0),
        );
        let judged_by_others = [by_second?, by_first?];
        let usual = usual_probability(&view.statistics.records);
        let untaught = view.per_record(|record| match need_outside(record) {
            Ok(()) => Ok(base1::offline(
                view,
                record,
                record.ln_mean_probability_outside,
            )),
            Err(_) => Ok(base1::offline(view, record, usual)),
        });
        Ok(view.per_place(
            |place, record| match &judged_by_others[halves.half(place)] {
                None => untaught.answer(place),
                Some(margins) => margins[place]
                    .filter(|_| !record.target.is_nan())
                    .ok_or(Abstention::Undefined),
            },
        ))
    }
}

/// Where no audited record has an IN shadow: taught by the reference records, all of them, for none of
/// them is judged. Levels and what is usual come from them as well.
fn by_references(view: &View, reference: &View) -> Result<Scores> {
    let levels = Levels::outside(reference);
    let teaching = Levelled::at(reference, levels.as_ref())?;
    let judging = Levelled::at(view, levels.as_ref())?;
    let (teaching, judging) = (teaching.view(reference), judging.view(view));
    let lens = Lens::new(&teaching);
    let features = |record: &RecordStatistics| lens.features(record);
    let rehearsal = Rehearsal::by_references(&teaching, &judging, &features)?;
    let halves = Halves::of_records(reference);
    let rows = rehearsal.rows.iter();
    let records = view.signals.records();
    let learnt = learn::<_, STARTS>(rows, |record| halves.half(record), view, records)?;
    let Some(learnt) = learnt else {
        return Base1Offline.score(view);
    };
    Ok(view.per_place(|place, record| {
        learnt
            .mean_margin(&rehearsal.audited, place)
            .filter(|_| !record.target.is_nan())
            .ok_or(Abstention::Undefined)
    }))
}

/// The log-odds of every record, as one half of the records teaches them; nothing where it teaches
/// nothing. What that half has not taught, the levels of models included, is not known here.
fn taught_by(view: &View, halves: &Halves, half: usize) -> Result<Option<Vec<Option<f64>>>> {
    let levelled = Levelled::new(view, |record| halves.half(record) == half)?;
    let level = levelled.view(view);
    let lens = Lens::new(&level);
    let rehearsal = Rehearsal::new(&level, &|record| lens.features(record))?;
    let own = rehearsal.rows.iter();
    let own = own.filter(|row| halves.half(row.record) == half);
    let prior = prior(own.clone())?;
    let inner = |record| halves.within(record);
    let learnt = learn::<_, STARTS>(own, inner, view, halves.records(half))?;
    let Some(learnt) = learnt else {
        return Ok(None);
    };
    let records = level.statistics.records.par_iter().enumerate();
    let margin = |(place, record): (usize, RecordStatistics)| {
        let in_full = || Some(learnt.margin(&lens.features(&record)?));
        let played = learnt.mean_margin(&rehearsal.audited, place);
        let usual = || Some(prior.margin(&[record.target as f32]));
        played.or_else(in_full).or_else(usual)
    };
    Ok(Some(records.map(margin).collect()))
}

/// Where a record has no OUT shadow: the log-odds given its φ alone, taught by the same examples. What is
/// usual over all records stands for what is not known of this one, as BaVarIA's prior does.
fn prior<'a>(rows: impl Iterator<Item = &'a Row<WIDTH>>) -> Result<Learnt<1, 2>> {
    let plain = rows.map(|row| Row {
        record: row.record,
        features: [row.features[PHI]],
        member: row.member,
    });
    let plain: Vec<Row<1>> = plain.collect();
    Lesson::new(plain.iter()).teach(UNGROWN, |_| true)
}

/// ln of the mean probability over all OUT observations of all records.
fn usual_probability(records: &Records) -> f64 {
    let seen = records.iter().filter(|record| record.outside.n > 0.0);
    let (sum, count) = seen.fold((0.0, 0.0), |(sum, count), record| {
        let n = record.outside.n;
        (
            sum + n * record.ln_mean_probability_outside.exp(),
            count + n,
        )
    });
    (sum / count).ln()
}

/// What is usual over all records' OUT shadows.
struct Lens {
    variance: f64,
}

impl Lens {
    fn new(view: &View) -> Self {
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
