//! Where the score may be cut when a bound is sought, fixed before the labels are looked at.
//!
//! Trying every threshold would cost a correction for thousands; the bounds here try a few dozen
//! and pay for exactly these. Two-class bounds cut where 0, 1, 2, 4, 8, … non-members are allowed
//! above, or as many members below, up to half the class. Such a cut leans on one class only: the
//! other class's count is binomial given it, and the true rate beyond the (b+1)-th of n order
//! statistics is at most Beta(b+1, n−b), whose quantile is the Clopper–Pearson bound for b out of
//! n. So the bounds hold for these cuts as for thresholds fixed in advance, and with ties too when
//! the budget is counted instead of the records seen. One-run bounds cut at 1, 2, 4, 8, … guesses,
//! which does not look at the labels at all.

use stats::roc::Roc;

use crate::ranking::{point_at_false_negatives, point_at_guesses};

/// A cut's outcome in both classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    pub tp: u64,
    pub fp: u64,
    pub members: u64,
    pub nonmembers: u64,
}

/// Records called members, and how many of them are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guesses {
    pub made: u64,
    pub correct: u64,
}

/// The cuts for bounds that need both error rates.
pub fn two_class(roc: &Roc) -> Vec<Counts> {
    let (members, nonmembers) = (roc.members(), roc.nonmembers());
    let counts = |tp, fp| Counts {
        tp,
        fp,
        members,
        nonmembers,
    };
    let few_wrong = budgets(nonmembers / 2).map(|allowed| {
        let point = roc.point_at_false_positives(allowed);
        counts(point.true_positives, allowed)
    });
    let few_missed = budgets(members / 2).map(|missed| {
        let point = point_at_false_negatives(roc, missed);
        counts(members - missed, point.false_positives)
    });
    few_wrong.chain(few_missed).collect()
}

/// The cuts for bounds that count guesses, at most `most` of them.
pub fn one_run(roc: &Roc, most: u64) -> Vec<Guesses> {
    let all = roc.members() + roc.nonmembers();
    budgets(all.min(most))
        .skip(1)
        .map(|made| {
            let point = point_at_guesses(roc, made);
            Guesses {
                made: point.true_positives + point.false_positives,
                correct: point.true_positives,
            }
        })
        .collect()
}

/// 0, 1, 2, 4, 8, … up to `most`.
pub(super) fn budgets(most: u64) -> impl Iterator<Item = u64> {
    let doubling = std::iter::successors(Some(1_u64), |&budget| budget.checked_mul(2));
    std::iter::once(0).chain(doubling.take_while(move |&budget| budget <= most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_double() {
        assert_eq!(budgets(0).collect::<Vec<_>>(), [0]);
        assert_eq!(budgets(9).collect::<Vec<_>>(), [0, 1, 2, 4, 8]);
    }

    #[test]
    fn cuts_depend_on_the_sizes_only() {
        let roc = |shift: f64| {
            let scores =
                (0..100).map(|i| (f64::from(i % 10) + shift * f64::from(i % 2), i % 2 == 0));
            Roc::new(scores.into_iter()).unwrap()
        };
        assert_eq!(two_class(&roc(0.0)).len(), two_class(&roc(3.0)).len());
        assert_eq!(one_run(&roc(0.0), 1000).len(), 7);
        assert_eq!(one_run(&roc(0.0), 10).len(), 4);
    }

    #[test]
    fn ties_are_charged_in_full() {
        let scores = [
            (1.0, true),
            (1.0, false),
            (1.0, false),
            (0.0, false),
            (0.0, false),
        ];
        let roc = Roc::new(scores.into_iter()).unwrap();
        let cuts: Vec<_> = two_class(&roc).iter().map(|c| (c.tp, c.fp)).collect();
        assert_eq!(cuts, [(0, 0), (0, 1), (1, 2), (1, 2)]);
    }
}
