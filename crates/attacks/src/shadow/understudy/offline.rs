//! `understudy-offline`: a record is judged from its OUT shadows alone, by a learner that was
//! taught by other records.

use stats::normal::ln_normal_cdf;
use stats::streams::Rng;

use super::super::ShadowAttack;
use super::super::base1::Base1Offline;
use super::super::gaussian::{FLOOR, need_outside};
use super::super::statistics::{RecordStatistics, Wants};
use super::super::view::View;
use super::CREDIT;
use super::learner::{SETTINGS, learn, mean_margin};
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
        let halves = Halves::of(view);
        let taught_by = |half: usize| {
            let rows = rehearsal.rows.iter();
            let own = rows.filter(|row| halves.half_of[row.record] == half);
            learn(own, view, halves.records(half))
        };
        let [Some(first), Some(second)] = [taught_by(0)?, taught_by(1)?] else {
            return Base1Offline.score(view);
        };
        let taught_by_others = [second, first];
        Ok(view.per_place(|place, record| {
            need_outside(record)?;
            let booster = &taught_by_others[halves.half_of[place]];
            let in_full = || Some(booster.margin(&lens.features(record)?));
            mean_margin(booster, &rehearsal.audited, place)
                .or_else(in_full)
                .filter(|_| !record.target.is_nan())
                .ok_or(Abstention::Undefined)
        }))
    }
}

/// Which half of the records each belongs to.
struct Halves {
    half_of: Vec<usize>,
}

impl Halves {
    /// By the seed and by what may be looked at, so that neither the order of the records nor
    /// their IN shadows matter, and equal records stay together.
    fn of(view: &View) -> Self {
        let key = view.seed.stream("understudy halves").next_u64();
        let half_of = view.statistics.records.iter().map(|record| {
            let outside = record.outside;
            let parts = [record.target, outside.n, outside.mean, outside.scatter];
            let hash = parts
                .iter()
                .fold(key, |hash, part| mix(hash ^ part.to_bits()));
            (hash & 1) as usize
        });
        Self {
            half_of: half_of.collect(),
        }
    }

    fn records(&self, half: usize) -> usize {
        self.half_of.iter().filter(|&&other| other == half).count()
    }
}

/// The finisher of SplitMix64 (Steele, Lea and Flood 2014): every bit moves every other.
fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
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
            phi,
            record.ln_p,
            apart,
            apart / variance.sqrt(),
            apart / self.variance.sqrt(),
            ln_normal_cdf(apart / variance.sqrt()),
            outside.mean,
            variance.ln(),
            record.ln_p - record.ln_mean_probability_outside,
            record.ln_p - PUBLISHED_SCALE * record.ln_mean_probability_outside,
        ];
        Some(features.map(|feature| feature as f32))
    }
}
