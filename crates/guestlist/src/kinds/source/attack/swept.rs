//! The same answers judged otherwise: with fewer of them, other thresholds, other noise.

use attacks::source::{Label, Rules, Thresholds};
use base::Progress;
use judge::source::evaluate;
use rayon::prelude::*;
use report::source::{SweepPoint, Sweeps};

use super::measured::Pairs;
use super::{Called, SourceRequest, attribute_first};
use crate::kinds::source::PerturbedText;

const FIXED: [f64; 6] = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
const LEVELS: [f64; 4] = [0.01, 0.05, 0.1, 0.2];

/// Nothing where no source is known.
pub fn sweeps(request: &SourceRequest, called: &[Called], progress: Progress<'_>) -> Sweeps {
    let settings = &request.basis.settings;
    let usual = settings.rules();
    let main = |subject: &PerturbedText| !subject.swept;
    let in_full =
        |subject: &PerturbedText| main(subject) && (subject.checked || !settings.early_stopping);
    let rows = ladder(settings.perturbations).into_iter();
    let fixed = |value: f64| Rules {
        thresholds: Thresholds::Fixed {
            tau: value,
            band: value,
        },
        // The document is called by its words: its totals are not looked at.
        permutations: 1,
        ..usual
    };
    let calibrated = |level: f64| Rules {
        thresholds: Thresholds::Calibrated,
        level,
        ..usual
    };
    let point =
        |at: f64, rows: Option<usize>, rules: &Rules, which: &dyn Fn(&PerturbedText) -> bool| {
            if progress.cancelled() {
                return None;
            }
            request.point(at, rows, rules, which)
        };
    Sweeps {
        rows: rows
            .filter_map(|rows| point(rows as f64, Some(rows), &usual, &in_full))
            .collect(),
        fixed: FIXED
            .into_iter()
            .filter_map(|value| point(value, None, &fixed(value), &main))
            .collect(),
        calibrated: LEVELS
            .into_iter()
            .filter_map(|level| point(level, None, &calibrated(level), &main))
            .collect(),
        noise: noise(request, called),
    }
}

impl SourceRequest {
    /// One point over the texts of some kind, by their first rows or by those that count.
    fn point(
        &self,
        at: f64,
        rows: Option<usize>,
        rules: &Rules,
        which: &dyn Fn(&PerturbedText) -> bool,
    ) -> Option<SweepPoint> {
        let chosen: Vec<(usize, Label)> = (0..self.subjects.len())
            .filter(|&place| which(&self.subjects[place]))
            .filter_map(|place| {
                let item = self.subjects[place].item;
                Some((place, self.basis.items[item].source?))
            })
            .collect();
        let labels: Pairs = chosen
            .par_iter()
            .filter_map(|(place, truth)| {
                let (subject, heard) = (&self.subjects[*place], &self.heard[*place]);
                let found = match rows {
                    Some(rows) => attribute_first(subject, heard, rows, rules, self.seed()),
                    None => self.attribution(*place, rules),
                };
                Some((*truth, found.ok()?.document.label))
            })
            .unzip();
        self.evaluated(at, labels)
    }

    fn evaluated(&self, at: f64, (truth, labels): Pairs) -> Option<SweepPoint> {
        let confidence = self.context.measuring.confidence;
        let found = evaluate(&truth, &labels, confidence, self.seed()).ok()?;
        Some(SweepPoint {
            at,
            n: found.n,
            accuracy: found.accuracy.value,
            low: found.accuracy.low,
            high: found.accuracy.high,
            macro_f1: found.macro_f1.value,
            chance: found.chance.expected_accuracy,
        })
    }
}

/// Pictures alone, where there was more than one deviation.
fn noise(request: &SourceRequest, called: &[Called]) -> Vec<SweepPoint> {
    let mut deviations = request.basis.deviations.clone();
    deviations.sort_by(f64::total_cmp);
    if deviations.len() < 2 {
        return Vec::new();
    }
    let at = |sigma: f64| {
        let both = request.subjects.iter().zip(called);
        let described = both.filter(|(subject, _)| subject.sigma == Some(sigma));
        let labels = described.filter_map(|(subject, called)| {
            let truth = request.basis.items[subject.item].source?;
            Some((truth, called.as_ref().ok()?.document.label))
        });
        request.evaluated(sigma, labels.unzip())
    };
    deviations.into_iter().filter_map(at).collect()
}

/// 8, 16, 24, 32, 48, 64, 96, 128 and so on, to the number that was asked.
fn ladder(most: usize) -> Vec<usize> {
    let doubled = std::iter::successors(Some(16), |rung| Some(2 * rung));
    let rungs = doubled.flat_map(|rung| [rung, rung + rung / 2]);
    let below = rungs.take_while(|rung| *rung < most);
    let first = std::iter::once(8).filter(|rung| *rung < most);
    first.chain(below).chain([most]).collect()
}

#[cfg(test)]
mod tests {
    use super::ladder;

    #[test]
    fn the_sweep_goes_up_to_what_was_asked() {
        assert_eq!(ladder(8), [8]);
        assert_eq!(ladder(64), [8, 16, 24, 32, 48, 64]);
        assert_eq!(ladder(200)[6..], [96, 128, 192, 200]);
        assert_eq!(ladder(4096).last(), Some(&4096));
    }
}
