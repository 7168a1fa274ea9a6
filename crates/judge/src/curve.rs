//! A ROC curve thin enough to draw: at most about two hundred points, spaced evenly in the
//! logarithm of the false positives, where membership inference is decided.

use serde::{Deserialize, Serialize};
use stats::beta::{clopper_pearson_lower, clopper_pearson_upper};
use stats::roc::Roc;

const BUDGETS: usize = 200;

/// Points `(false positives, true positives)` from `(0, 0)` to `(all, all)`, each on the step curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Curve {
    pub points: Vec<(u64, u64)>,
    /// The interval of the true-positive rate at each point, Clopper–Pearson, each point for itself;
    /// reports of earlier versions have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bands: Vec<(f64, f64)>,
}

impl Curve {
    /// Numbers of false positives, ascending, each with the members that are caught with no more than
    /// so many: exact there, however thin the curve is.
    pub fn steps(&self) -> Vec<(u64, u64)> {
        let mut budgets: Vec<u64> = budgets(self.nonmembers()).collect();
        budgets.dedup();
        let step = |budget| (budget, self.caught(budget));
        budgets.into_iter().map(step).collect()
    }

    /// The share of members that the thinned curve catches where at most this share of non-members is
    /// accused: the step rule, as the measure has it, on the points that are here.
    pub fn true_positive_rate(&self, fpr: f64) -> f64 {
        let Some((nonmembers, members)) = self.points.last().copied() else {
            return 0.0;
        };
        // A share that was computed may lie a little below the count that it stands for.
        let allowed = fpr * nonmembers as f64 * (1.0 + 1e-9);
        self.caught(allowed as u64) as f64 / members.max(1) as f64
    }

    fn nonmembers(&self) -> u64 {
        self.points.last().map_or(0, |point| point.0)
    }

    fn caught(&self, allowed: u64) -> u64 {
        let reached = self.points.iter().filter(|point| point.0 <= allowed);
        reached.map(|point| point.1).max().unwrap_or(0)
    }
}

pub fn curve(roc: &Roc, confidence: f64) -> Curve {
    let mut points = vec![(0, 0)];
    points.extend(budgets(roc.nonmembers()).map(|allowed| {
        let point = roc.point_at_false_positives(allowed);
        (point.false_positives, point.true_positives)
    }));
    points.dedup();
    let side = (1.0 - confidence) / 2.0;
    let members = roc.members();
    let band = |(_, caught): &(u64, u64)| {
        (
            clopper_pearson_lower(*caught, members, side),
            clopper_pearson_upper(*caught, members, side),
        )
    };
    Curve {
        bands: points.iter().map(band).collect(),
        points,
    }
}

/// 0, then integers growing evenly in the logarithm up to `most`, ascending, repeats included.
fn budgets(most: u64) -> impl Iterator<Item = u64> {
    let top = (most as f64).ln();
    (0..BUDGETS).map(move |step| match step {
        0 => 0,
        step if step == BUDGETS - 1 => most,
        step => (top * step as f64 / (BUDGETS - 1) as f64).exp().floor() as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_curve_is_whole() {
        let scores = [(3.0, true), (2.0, false), (1.0, true), (0.0, false)];
        let roc = Roc::new(scores.into_iter()).unwrap();
        assert_eq!(curve(&roc, 0.95).points, [(0, 0), (0, 1), (1, 2), (2, 2)]);
    }

    #[test]
    fn the_steps_of_a_thin_curve_are_those_of_the_whole_one() {
        let mixed = |i: i32| (f64::from(i * 7919 % 10_007) + f64::from(i % 2) * 900.0).floor();
        let roc = Roc::new((0..9000).map(|i| (mixed(i), i % 2 == 1))).unwrap();
        let steps = curve(&roc, 0.95).steps();
        assert_eq!((steps[0].0, steps[steps.len() - 1]), (0, (4500, 4500)));
        assert!(steps.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (allowed, caught) in steps {
            let exact = roc.point_at_false_positives(allowed).true_positives;
            assert_eq!(caught, exact, "{allowed}");
        }
        let nothing = Curve {
            points: Vec::new(),
            bands: Vec::new(),
        };
        assert_eq!(nothing.steps(), [(0, 0)]);
    }

    #[test]
    fn a_rate_of_the_thin_curve_is_a_step_of_the_whole_one() {
        let scores = [(3.0, true), (2.0, false), (1.0, true), (0.0, false)];
        let small = curve(&Roc::new(scores.into_iter()).unwrap(), 0.95);
        let rates = [0.0, 0.49, 0.5, 1.0].map(|fpr| small.true_positive_rate(fpr));
        assert_eq!(rates, [0.5, 0.5, 1.0, 1.0]);
        // Three tenths of ten, though 0.1 + 0.1 + 0.1 is no such number.
        let ten = Roc::new((0..20).map(|i| (f64::from(i), i % 2 == 1))).unwrap();
        let at_three = curve(&ten, 0.95).true_positive_rate(0.1 + 0.1 + 0.1);
        assert_eq!(at_three, 0.4);
        let nothing = Curve {
            points: Vec::new(),
            bands: Vec::new(),
        };
        assert_eq!(nothing.true_positive_rate(0.5), 0.0);
    }

    #[test]
    fn bands_hold_the_rate_and_are_those_of_the_measure() {
        let roc = Roc::new((0..400).map(|i| (f64::from(i * 37 % 401), i % 4 == 0))).unwrap();
        let thin = curve(&roc, 0.9);
        assert_eq!(thin.bands.len(), thin.points.len());
        for ((_, caught), (low, high)) in thin.points.iter().zip(&thin.bands) {
            let rate = *caught as f64 / 100.0;
            assert!(*low <= rate && rate <= *high, "{rate} in {low}–{high}");
        }
        let measured = crate::measure::tpr::tpr_at_fpr(&roc, 0.1, 0.9);
        let place = (thin.points.iter()).rposition(|point| *point == (measured.fp, measured.tp));
        let (low, high) = thin.bands[place.unwrap()];
        assert_eq!((Some(low), Some(high)), (measured.low, measured.high));
    }

    #[test]
    fn a_large_curve_is_thin_monotone_and_reaches_both_ends() {
        let roc =
            Roc::new((0..100_000).map(|i| (f64::from(i * 7919 % 100_003), i % 2 == 0))).unwrap();
        let points = curve(&roc, 0.95).points;
        assert!(points.len() <= BUDGETS + 1);
        assert_eq!(points[0], (0, 0));
        assert_eq!(points[points.len() - 1], (50_000, 50_000));
        assert!(
            points
                .windows(2)
                .all(|w| w[0].0 <= w[1].0 && w[0].1 <= w[1].1)
        );
    }
}
