//! From runs to a summary: means, chance, control and the word that may be said.
//!
//! Runs share records: however many there are, n members hold only n / q sets of q. By Hoeffding's
//! decomposition (1948, "A class of statistics with asymptotically normal distribution", section
//! 5) the mean of R such runs has at most the variance of one times 1/R + q/n, when scores say
//! nothing: an episode's result then depends on its known records only through those asked about.
//! That is the error used against chance and against the control. It is cautious: of 400 audits of
//! 200 records without a leak it called none, where deviation / √R calls 15 to 30 of 100 (at 5 %).
//! The interval over runs is the published 1.96 · deviation / √R and says how well these records
//! were covered.

use stats::normal::normal_sf;

use super::summary::{Chosen, RegimeSummary, Spread, Summary};
use super::trial::{Caught, Trial};
use super::{Design, Entrant};
use crate::Truth;
use crate::holm::holm;
use crate::measure::Level;
use crate::measure::log_mia::{SIGNIFICANCE, beta, nominal_level_of_mean, ratio};
use crate::measure::log_mia_null::Null;

/// Runs and control runs below which a mean is no normal one, and no level is given.
const FEWEST_FOR_A_LEVEL: (usize, usize) = (20, 10);

impl Spread {
    /// Nothing for fewer than two runs.
    fn new(values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let runs = values.clone().count();
        if runs < 2 {
            return None;
        }
        let mean = values.clone().sum::<f64>() / runs as f64;
        let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
        let deviation = (squares / (runs - 1) as f64).sqrt();
        Some(Self {
            mean,
            deviation,
            half_width: 1.96 * deviation / (runs as f64).sqrt(),
            runs,
        })
    }
}

/// All runs of one attack with one number of shots.
pub(super) struct Series<'a> {
    pub(super) entrant: &'a Entrant,
    pub(super) shots: usize,
    pub(super) trials: &'a [Trial],
    pub(super) controls: &'a [Trial],
    pub(super) candidates: Vec<String>,
}

impl Series<'_> {
    /// Nothing for fewer than two runs.
    pub(super) fn summary(&self, design: &Design, truth: &Truth) -> Option<Summary> {
        let spread = |trials: &[Trial], of: fn(&Trial) -> f64| Spread::new(trials.iter().map(of));
        let control = |of| spread(self.controls, of);
        let b = self.regime(design, truth, design.allowed(), |trial| trial.b)?;
        Some(Summary {
            attack: self.entrant.attack.card().id.to_owned(),
            shots: self.shots,
            runs: self.trials.len(),
            control_runs: self.controls.len(),
            a: self.regime(design, truth, 0, |trial| trial.a)?,
            b: RegimeSummary {
                beta: Some(beta(design.allowed(), design.query as u64)),
                ..b
            },
            auc: spread(self.trials, |trial| trial.auc)?,
            auc_control: control(|trial| trial.auc),
            accuracy: spread(self.trials, |trial| trial.accuracy)?,
            accuracy_control: control(|trial| trial.accuracy),
            chosen: self.chosen(),
        })
    }

    fn regime(
        &self,
        design: &Design,
        truth: &Truth,
        allowed: u64,
        of: fn(&Trial) -> Caught,
    ) -> Option<RegimeSummary> {
        let query = design.query as u64;
        let value = |trial: &Trial| ratio(of(trial).members as f64, query);
        let values = Spread::new(self.trials.iter().map(value))?;
        let control = Spread::new(self.controls.iter().map(value));
        let null = Null::new(query, design.calibrating() as u64, allowed);
        let (expected, deviation) = null.mean_and_deviation(|caught| ratio(caught as f64, query));
        let shared = shared(design, truth);
        let runs = values.runs as f64;
        let z = standing(
            values.mean - expected,
            deviation * (1.0 / runs + shared).sqrt(),
        );
        let against_control = control.map(|control| {
            let own = values.deviation.powi(2) * (1.0 / runs + shared);
            let its = control.deviation.powi(2) / control.runs as f64;
            standing(values.mean - control.mean, (own + its).sqrt())
        });
        let nominal = nominal_level_of_mean(values.mean, allowed, query);
        let above = |z: f64| z > 0.0 && two_sided(z) <= SIGNIFICANCE;
        let enough = values.runs >= FEWEST_FOR_A_LEVEL.0
            && control.is_none_or(|control| control.runs >= FEWEST_FOR_A_LEVEL.1);
        let beyond = above(z) && against_control.is_none_or(above);
        let level = if nominal == Level::None || enough && beyond {
            nominal
        } else {
            Level::Chance
        };
        Some(RegimeSummary {
            false_positives: Spread::new(self.trials.iter().map(|t| of(t).nonmembers as f64))?,
            value: values,
            alpha: ratio(1.0, query),
            beta: None,
            fp_allowed: allowed,
            expected_by_chance: expected,
            deviation_by_chance: deviation,
            z,
            p_value: two_sided(z),
            control,
            p_value_against_control: against_control.map(two_sided),
            corrected_p_value: None,
            nominal_level: nominal,
            level,
        })
    }

    fn chosen(&self) -> Vec<Chosen> {
        let count = |place: usize| self.trials.iter().filter(|t| t.chosen == place).count();
        let named = self.candidates.iter().enumerate();
        named
            .map(|(place, candidate)| Chosen {
                candidate: candidate.clone(),
                runs: count(place),
            })
            .filter(|chosen| chosen.runs > 0)
            .collect()
    }
}

/// Corrects the levels of all attacks and shots for their number, both regimes of each.
pub(super) fn correct<'a>(summaries: impl Iterator<Item = &'a mut Summary>) {
    let mut regimes: Vec<&mut RegimeSummary> = summaries
        .flat_map(|summary| [&mut summary.a, &mut summary.b])
        .collect();
    let p_values = regimes.iter().map(|regime| {
        let against_control = regime.p_value_against_control.unwrap_or(0.0);
        regime.p_value.max(against_control)
    });
    let p_values: Vec<f64> = p_values.collect();
    for (regime, corrected) in regimes.iter_mut().zip(holm(&p_values)) {
        regime.corrected_p_value = Some(corrected);
        if regime.level != Level::None && corrected > SIGNIFICANCE {
            regime.level = Level::Chance;
        }
    }
}

/// The larger share that one run takes of the members and non-members there are.
fn shared(design: &Design, truth: &Truth) -> f64 {
    let members = design.query as f64 / truth.members() as f64;
    let nonmembers = design.calibrating() as f64 / truth.nonmembers() as f64;
    members.max(nonmembers)
}

/// Errors away from zero; none at all when nothing varies and nothing differs.
fn standing(difference: f64, error: f64) -> f64 {
    if difference == 0.0 {
        0.0
    } else {
        // Without error any difference is sure, and a large number can be written down.
        (difference / error).clamp(-1e9, 1e9)
    }
}

fn two_sided(z: f64) -> f64 {
    (2.0 * normal_sf(z.abs())).min(1.0)
}
