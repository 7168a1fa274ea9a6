//! Reference records: what an attacker has whose shadows never trained on an audited record. Of these
//! records it is known which shadows trained on them, and that the audited model did not. What one
//! record cannot tell of itself, for want of IN shadows, they tell of all (Brännvall 2026,
//! arXiv:2603.11799, appendix I).

use stats::roc::Roc;
use stats::special::{ln_sigmoid, log_sum_exp};
use stats::streams::{Seed, shuffle};

use super::statistics::{Column, RecordStatistics, Statistics};
use super::view::{View, map_columns};
use crate::signals::shadow::{Rescale, ShadowSignals};
use base::{Error, Result};

/// So many shadows take the target's place where a number is chosen by how well it does.
const STAND_INS: usize = 8;

/// What was given as population, with IN and OUT observations of its own.
#[derive(Clone, Copy)]
pub struct References<'a> {
    pub signals: &'a ShadowSignals,
    pub statistics: &'a Statistics,
}

impl<'a> References<'a> {
    /// The records given, where no audited record has an IN shadow and some of these have.
    pub fn new(
        audited: &ShadowSignals,
        given: Option<(&'a ShadowSignals, &'a Statistics)>,
    ) -> Option<Self> {
        let (signals, statistics) = given?;
        let both = statistics.all_inside.n > 0.0 && statistics.all_outside.n > 0.0;
        (audited.is_offline() && both).then_some(Self {
            signals,
            statistics,
        })
    }

    /// These records in place of the audited ones.
    pub fn view<'b>(self, view: &'b View<'b>) -> View<'b>
    where
        'a: 'b,
    {
        View {
            signals: self.signals,
            statistics: self.statistics,
            shapes: &[],
            references: None,
            population: None,
            ..*view
        }
    }
}

/// Why an attack that needs a prior has none.
pub fn without_priors(what: &str) -> Error {
    Error::missing_access(
        format!("the shadows have no IN or no OUT observation of any record, so {what}"),
        "give reference records with --population, whose keep says which of them each shadow trained \
         on; or use lira-offline or rmia-offline, which need none",
    )
}

/// By how much φ of a record is higher under the shadows that trained on it, as a mean over all
/// records that have both: the global shift Δ of equation 20.
pub fn shift(records: impl Iterator<Item = RecordStatistics>) -> Result<f64> {
    let both = records.filter(|record| record.inside.n > 0.0 && record.outside.n > 0.0);
    let (sum, count) = both.fold((0.0, 0.0), |(sum, count), record| {
        (sum + record.inside.mean - record.outside.mean, count + 1.0)
    });
    match count > 0.0 {
        true => Ok(sum / count),
        false => Err(without_priors("nobody knows how far the two lie apart")),
    }
}

/// A stand-in's own value, what the other shadows without the record tell, and whether it trained on it.
type Played = (RecordStatistics, bool);

/// The choice with the best mean AUC when shadows take the target's place on reference records; the
/// earliest of equals. As the authors of RMIA choose a (Zarifzadeh et al. 2024, appendix B), with
/// models whose members the attacker knows.
pub fn best_choice(
    view: &View,
    references: References,
    choices: &[f64],
    score: impl Fn(&RecordStatistics, f64) -> f64 + Sync,
) -> Result<Option<f64>> {
    let stand_ins = stand_ins(view.seed, references.signals.shadows.len());
    let played = map_columns(
        references.signals,
        view.augmentation,
        Rescale::Exact,
        view.progress.quietly(),
        |column| -> Vec<Option<Played>> {
            let turns = stand_ins.iter();
            turns.map(|&shadow| play(column, shadow)).collect()
        },
    )?;
    let auc = |place: usize, choice: f64| {
        let turns = played.iter().filter_map(|turns| turns[place].as_ref());
        let roc = Roc::new(turns.map(|(record, member)| (score(record, choice), *member)))?;
        Some(roc.auc())
    };
    let sum = |choice: f64| -> f64 {
        let places = 0..stand_ins.len();
        places.filter_map(|place| auc(place, choice)).sum()
    };
    let mut best: Option<(f64, f64)> = None;
    for &choice in choices {
        let sum = sum(choice);
        if sum > best.map_or(0.0, |(_, most)| most) {
            best = Some((choice, sum));
        }
    }
    Ok(best.map(|(choice, _)| choice))
}

fn stand_ins(seed: Seed, shadows: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..shadows).collect();
    shuffle(&mut seed.stream("reference stand-ins"), &mut all);
    all.truncate(STAND_INS);
    all
}

/// One shadow in the target's place; nothing where no other is without the record.
fn play(column: &Column, shadow: usize) -> Option<Played> {
    let (phi, member) = (column.phi[shadow], column.inside[shadow]);
    let others = column.phi.iter().zip(&column.inside).enumerate();
    let outside = others.filter(|(other, (_, inside))| *other != shadow && !**inside);
    let ln_p: Vec<f64> = outside.map(|(_, (phi, _))| ln_sigmoid(*phi)).collect();
    let played = RecordStatistics {
        target: phi,
        ln_p: ln_sigmoid(phi),
        ln_mean_probability_outside: log_sum_exp(&ln_p) - (ln_p.len() as f64).ln(),
        ..RecordStatistics::default()
    };
    (!ln_p.is_empty()).then_some((played, member))
}
