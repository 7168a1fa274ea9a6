//! A ROC curve thin enough to draw: at most about two hundred points, spaced evenly in the
//! logarithm of the false positives, where membership inference is decided.

use serde::{Deserialize, Serialize};
use stats::roc::Roc;

const BUDGETS: usize = 200;

/// Points `(false positives, true positives)` from `(0, 0)` to `(all, all)`, each on the step curve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Curve {
    pub points: Vec<(u64, u64)>,
}

pub fn curve(roc: &Roc) -> Curve {
    let mut points = vec![(0, 0)];
    points.extend(budgets(roc.nonmembers()).map(|allowed| {
        let point = roc.point_at_false_positives(allowed);
        (point.false_positives, point.true_positives)
    }));
    points.dedup();
    Curve { points }
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
        assert_eq!(curve(&roc).points, [(0, 0), (0, 1), (1, 2), (2, 2)]);
    }

    #[test]
    fn a_large_curve_is_thin_monotone_and_reaches_both_ends() {
        let roc =
            Roc::new((0..100_000).map(|i| (f64::from(i * 7919 % 100_003), i % 2 == 0))).unwrap();
        let points = curve(&roc).points;
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
