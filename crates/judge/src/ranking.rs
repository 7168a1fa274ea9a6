//! The judged records as groups of equal score, best first. Everything downstream counts on
//! these groups; nothing sorts again.

use stats::roc::{Roc, RocPoint};

/// The records that share one score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub members: u64,
    pub nonmembers: u64,
}

/// From the highest score to the lowest.
pub(crate) fn groups(roc: &Roc) -> impl DoubleEndedIterator<Item = Group> + '_ {
    roc.points().windows(2).map(|pair| Group {
        members: pair[1].true_positives - pair[0].true_positives,
        nonmembers: pair[1].false_positives - pair[0].false_positives,
    })
}

/// How many non-members a false-positive rate lets through: ⌊rate · non-members⌋, with room for
/// the rounding of decimal rates (0.29 of 100 is 29, not 28).
pub(crate) fn false_positive_budget(rate: f64, nonmembers: u64) -> u64 {
    let allowed = rate * nonmembers as f64;
    (allowed + 1e-12 * allowed.max(1.0)).floor() as u64
}

/// The last point at which at most `guesses` records are called members.
pub(crate) fn point_at_guesses(roc: &Roc, guesses: u64) -> RocPoint {
    let points = roc.points();
    let within = points.partition_point(|p| p.true_positives + p.false_positives <= guesses);
    points[within.max(1) - 1]
}

/// The first point at which at most `missed` members are not called members.
pub(crate) fn point_at_false_negatives(roc: &Roc, missed: u64) -> RocPoint {
    let points = roc.points();
    let wanted = roc.members().saturating_sub(missed);
    let before = points.partition_point(|p| p.true_positives < wanted);
    points[before.min(points.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_rates_do_not_lose_a_record() {
        assert_eq!(false_positive_budget(0.29, 100), 29);
        assert_eq!(false_positive_budget(0.1, 30), 3);
        assert_eq!(false_positive_budget(0.001, 999), 0);
        assert_eq!(false_positive_budget(1.0, 7), 7);
    }

    #[test]
    fn finds_points_by_guesses_and_by_misses() {
        let scores = [
            (3.0, true),
            (2.0, true),
            (2.0, false),
            (1.0, true),
            (0.0, false),
        ];
        let roc = Roc::new(scores.into_iter()).unwrap();
        let counts = |p: RocPoint| (p.true_positives, p.false_positives);
        assert_eq!(counts(point_at_guesses(&roc, 0)), (0, 0));
        assert_eq!(counts(point_at_guesses(&roc, 2)), (1, 0));
        assert_eq!(counts(point_at_guesses(&roc, 3)), (2, 1));
        assert_eq!(counts(point_at_false_negatives(&roc, 0)), (3, 1));
        assert_eq!(counts(point_at_false_negatives(&roc, 1)), (2, 1));
        assert_eq!(counts(point_at_false_negatives(&roc, 9)), (0, 0));
        let sizes: Vec<_> = groups(&roc).map(|g| (g.members, g.nonmembers)).collect();
        assert_eq!(sizes, [(1, 0), (1, 1), (1, 0), (0, 1)]);
    }
}
