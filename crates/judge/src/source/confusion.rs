//! The table of true sources against called ones, and what each class makes of it.

use attacks::source::Label;
use serde::{Deserialize, Serialize};

/// Rows are the truth, columns what was called, both in the order of [`Label::ALL`].
pub type Confusion = [[u64; 3]; 3];

/// One source: how many there are, how many were called so, and how often rightly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClassMeasures {
    pub label: Label,
    pub truth: u64,
    pub called: u64,
    /// Absent where nothing was called so.
    pub precision: Option<f64>,
    /// Absent where nothing is so; F1 too.
    pub recall: Option<f64>,
    pub f1: Option<f64>,
}

pub(super) fn confusion(truth: &[Label], called: &[Label]) -> Confusion {
    let mut table = Confusion::default();
    for (truth, called) in truth.iter().zip(called) {
        table[truth.place()][called.place()] += 1;
    }
    table
}

pub(super) fn right(table: &Confusion) -> u64 {
    (0..3).map(|class| table[class][class]).sum()
}

/// How many there are of each class.
pub(super) fn true_counts(table: &Confusion) -> [u64; 3] {
    table.map(|row| row.iter().sum())
}

/// How many were called each class.
pub(super) fn called_counts(table: &Confusion) -> [u64; 3] {
    [0, 1, 2].map(|class| table.iter().map(|row| row[class]).sum())
}

pub(super) fn classes(table: &Confusion) -> [ClassMeasures; 3] {
    let (truth, called) = (true_counts(table), called_counts(table));
    Label::ALL.map(|label| {
        let class = label.place();
        let right = table[class][class] as f64;
        let share = |of: u64| (of > 0).then(|| right / of as f64);
        ClassMeasures {
            label,
            truth: truth[class],
            called: called[class],
            precision: share(called[class]),
            recall: share(truth[class]),
            // 2TP/(2TP + FP + FN): a class that is there and never called has 0.
            f1: (truth[class] > 0).then(|| 2.0 * right / (truth[class] + called[class]) as f64),
        }
    })
}

/// The mean F1 over the classes that the truth has; 0 where it has none.
pub(super) fn macro_f1(table: &Confusion) -> f64 {
    let present: Vec<f64> = classes(table).iter().filter_map(|class| class.f1).collect();
    present.iter().sum::<f64>() / present.len().max(1) as f64
}
