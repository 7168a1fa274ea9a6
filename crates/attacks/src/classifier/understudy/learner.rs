//! The learner: its settings, and how many trees it dares to grow.

use std::sync::atomic::{AtomicUsize, Ordering};

use stats::boosting::Growth;

use super::super::view::View;
use super::lesson::{Learnt, Lesson};
use super::rehearsal::Row;
use crate::settings::{Kind, Setting, Settings};
use base::Result;

/// From fewer rows nothing is learnt.
const LEAST_ROWS: usize = 200;

/// How far above nothing a gain must be before it is believed.
const STANDARD_ERRORS: f64 = 2.0;

/// No leaf is smaller than this part of all rows: with many stand-ins, many rows are of one record.
const MOST_LEAVES_OF_ROWS: usize = 400;

const fn number(
    key: &'static str,
    (default, least, most): (f64, f64, f64),
    help: &'static str,
) -> Setting {
    Setting {
        key,
        kind: Kind::Number {
            default,
            least,
            most,
        },
        help,
    }
}

static TREES: Setting = number(
    "understudy.trees",
    (150.0, 1.0, 10_000.0),
    "most trees that the learner grows; it stops where held-out records no longer gain",
);
static LEAVES: Setting = number(
    "understudy.leaves",
    (15.0, 2.0, 1024.0),
    "most leaves of a tree",
);
static RATE: Setting = number(
    "understudy.rate",
    (0.06, 1e-4, 1.0),
    "share of each tree's step that is taken",
);
static LEAF_ROWS: Setting = number(
    "understudy.leaf_rows",
    (100.0, 1.0, 1e9),
    "fewest rows of a leaf (and a 400th of all); more makes the learner more cautious",
);
pub static STANDINS: Setting = number(
    "understudy.standins",
    (8.0, 1.0, 10_000.0),
    "how many pairs of shadows stand in for the target (more below 5,000 records, fewer above \
     131,072)",
);

pub static SETTINGS: [&Setting; 5] = [&TREES, &LEAVES, &RATE, &LEAF_ROWS, &STANDINS];

/// A learner taught by these rows; nothing where they are too few or tell nothing. Tells the
/// progress of so many records.
///
/// Which half of the records a row is in, `half_of` says. Each half tells how many trees, grown
/// on the other, are worth having; then all rows teach that many.
pub fn learn<'a, const D: usize, const B: usize>(
    rows: impl Iterator<Item = &'a Row<D>> + Clone + Sync,
    half_of: impl Fn(usize) -> usize + Sync,
    view: &View,
    records: usize,
) -> Result<Option<Learnt<D, B>>> {
    let growth = growth(view.settings);
    let told = Reported {
        view,
        records,
        steps: 3 * growth.trees,
        step: AtomicUsize::new(0),
    };
    let all = Lesson::new(rows.clone());
    let half = |half: usize| Lesson::new(rows.clone().filter(|row| half_of(row.record) == half));
    let taught = |lesson: &Lesson<D>, trees: usize| {
        let leaf_rows = growth.leaf_rows.max(lesson.len() / MOST_LEAVES_OF_ROWS);
        let growth = Growth {
            trees,
            leaf_rows,
            ..growth
        };
        lesson.teach(growth, |_| told.proceed())
    };
    let enough = all.len() >= LEAST_ROWS;
    let learnt = if enough {
        // Side by side: two learners wait for each other less than the cores within one.
        let held_out = |half_of_all: usize| {
            let lesson = half(half_of_all);
            taught(&lesson, growth.trees).map(|learnt| (lesson, learnt))
        };
        let (first, second) = rayon::join(|| held_out(0), || held_out(1));
        let ((lesson, first), (other_lesson, second)) = (first?, second?);
        let trees = worthwhile([(&other_lesson, &first), (&lesson, &second)]);
        Some(taught(&all, trees)?).filter(Learnt::tells)
    } else {
        None
    };
    told.finish();
    Ok(learnt)
}

/// How many trees lower the loss most on records that they were not grown on; none where the
/// gain is within two standard errors, by records, of nothing.
fn worthwhile<const D: usize, const B: usize>(held_out: [(&Lesson<D>, &Learnt<D, B>); 2]) -> usize {
    let losses = held_out.map(|(lesson, learnt)| lesson.losses(learnt));
    let [first, second] = &losses;
    let sums: Vec<f64> = first.iter().zip(second).map(|(a, b)| a + b).collect();
    let best = (0..sums.len()).min_by(|&a, &b| sums[a].total_cmp(&sums[b]));
    let best = best.unwrap_or(0);
    let gains = held_out
        .iter()
        .flat_map(|(lesson, learnt)| lesson.gains(learnt, best));
    let (sum, squares) = gains.fold((0.0, 0.0), |(sum, squares), gain| {
        (sum + gain, squares + gain * gain)
    });
    if sum > STANDARD_ERRORS * squares.sqrt() {
        best
    } else {
        0
    }
}

fn growth(settings: &Settings) -> Growth {
    Growth {
        trees: settings.number(&TREES) as usize,
        leaves: settings.number(&LEAVES) as usize,
        rate: settings.number(&RATE),
        leaf_rows: settings.number(&LEAF_ROWS) as usize,
    }
}

/// What the progress was told: of so many records, step by step.
struct Reported<'a> {
    view: &'a View<'a>,
    records: usize,
    steps: usize,
    step: AtomicUsize,
}

impl Reported<'_> {
    /// One more tree; whether to go on.
    fn proceed(&self) -> bool {
        let before = self.step.fetch_add(1, Ordering::Relaxed);
        self.told(before, before + 1);
        !self.view.progress.cancelled()
    }

    fn finish(&self) {
        self.told(self.step.load(Ordering::Relaxed), self.steps);
    }

    /// What lies between two steps, whoever else tells of others.
    fn told(&self, before: usize, after: usize) {
        let told = |step: usize| self.records * step.min(self.steps) / self.steps;
        self.view.progress.advance(told(after) - told(before));
    }
}
