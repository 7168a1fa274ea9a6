//! `rmia` and `rmia-offline`: the record's likelihood ratio against a population's.

use rayon::prelude::*;
use stats::vectors::ln_mixtures;

use super::ShadowAttack;
use super::base1::ln_ratio;
use super::gaussian::need_outside;
use super::references::best_choice;
use super::share::shares_below;
use super::statistics::{RecordStatistics, Wants};
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::{Answer, Scores};
use crate::settings::{Kind, Setting};
use base::Result;

pub struct Rmia;
pub struct RmiaOffline;

static GAMMA: Setting = Setting {
    key: "rmia.gamma",
    kind: Kind::Number {
        default: 1.0,
        least: 1e-9,
        most: 1e9,
    },
    help: "by what factor a record must beat a population record to count",
};

static SLOPE: Setting = Setting {
    key: "rmia.a",
    kind: Kind::Number {
        default: 0.3,
        least: 0.0,
        most: 1.0,
    },
    help: "offline: p̄ = (1+a)/2 · mean over OUT shadows + (1−a)/2; where reference records are there \
           (--population) and this is not set, the best of 0, 0.1 … 1 for shadows in the target's place",
};

const SLOPES: [f64; 11] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

static CARD: Card = Card {
    id: "rmia",
    summary: "share of population records that the record's ratio p/p̄ beats",
    asks: "Does membership of this record explain the model better than membership of a random \
           other record would?",
    why_it_works: "Dividing p by its mean over shadows removes difficulty; ranking that ratio \
                   among other records needs no variance, so very few shadows suffice.",
    access: Access::AnyShadow,
    when_it_misleads: "It ignores variance: with more shadows it stays far behind the Gaussian \
                       attacks. At γ = 1 its ROC curve is that of `base1` exactly; larger γ \
                       makes many ties.",
    paper: "Zarifzadeh et al. 2024, arXiv:2312.03262",
    settings: &[&GAMMA],
};

static OFFLINE: Card = Card {
    id: "rmia-offline",
    summary: "rmia with p̄ guessed from OUT shadows only",
    asks: "As rmia, when no shadow model was trained on the record.",
    why_it_works: "The mean over IN shadows is close to a line in the mean over OUT shadows, so \
                   p̄ can be guessed from OUT alone with one slope a.",
    access: Access::OutShadows,
    when_it_misleads: "The slope a depends on how far the model overfits. It must come from \
                       other models, never from the audited truth: where no shadow trained on any \
                       audited record, reference records tell it, with shadows in the target's place.",
    paper: "Zarifzadeh et al. 2024, arXiv:2312.03262, section 3 and appendix B",
    settings: &[&GAMMA, &SLOPE],
};

impl ShadowAttack for Rmia {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn wants(&self) -> Wants {
        Wants::PROBABILITIES
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let records = view.statistics.records.par_iter();
        let own = records.map(|record| Ok(ln_ratio(&record))).collect();
        Ok(shares(view, own, |record| Ok(ln_ratio(record))))
    }
}

impl ShadowAttack for RmiaOffline {
    fn card(&self) -> &'static Card {
        &OFFLINE
    }

    fn wants(&self) -> Wants {
        Wants::PROBABILITIES
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let slope = slope(view)?;
        let means = view.per_record_through(
            |outside, means| ln_guesses(slope, outside, means),
            |record| need_outside(record).map(|()| record.ln_mean_probability_outside),
        );
        let records = view.statistics.records.par_iter().enumerate();
        let own = records.map(|(place, record)| Ok(record.ln_p - means.answer(place)?));
        Ok(shares(view, own.collect(), |record| {
            need_outside(record)?;
            Ok(offline_ratio(record, slope))
        }))
    }

    fn learnt(&self, view: &View) -> Result<Option<String>> {
        let given = view.settings.chosen(&SLOPE).is_some();
        let slope = slope(view)?;
        Ok((!given).then(|| format!("a = {slope}, the best for shadows in the target's place")))
    }
}

/// As the user says, or as reference records tell it, or the published one.
fn slope(view: &View) -> Result<f64> {
    if let (None, Some(references)) = (view.settings.chosen(&SLOPE), view.references)
        && let Some(best) = best_choice(view, references, &SLOPES, offline_ratio)?
    {
        return Ok(best);
    }
    Ok(view.settings.number(&SLOPE))
}

/// The share of population records whose ratio each record's own beats by the factor γ.
fn shares(view: &View, own: Vec<Answer>, ratio: impl Fn(&RecordStatistics) -> Answer) -> Scores {
    let ln_gamma = view.settings.number(&GAMMA).ln();
    shares_below(own, view.compared_with(ln_gamma, ratio))
}

/// ln(p0 / p̄), to the bit what [`ln_guesses`] makes of many at once: equal records must not beat each other.
fn offline_ratio(record: &RecordStatistics, slope: f64) -> f64 {
    let mut ln_guess = [0.0];
    ln_guesses(slope, &[record.ln_mean_probability_outside], &mut ln_guess);
    record.ln_p - ln_guess[0]
}

/// ln p̄ of logarithms of OUT means, p̄ interpolated between the mean and one.
fn ln_guesses(slope: f64, outside: &[f64], into: &mut [f64]) {
    ln_mixtures((1.0 + slope) / 2.0, outside, into);
}
