//! The learner: its settings, its training, and its word on a record.

use stats::boosting::{Booster, Growth};

use super::super::view::View;
use super::rehearsal::Row;
use crate::error::{Error, Result};
use crate::settings::{Kind, Setting, Settings};

/// From fewer rows nothing is learnt.
const LEAST_ROWS: usize = 200;

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
    "how many trees the learner grows",
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
    "fewest rows of a leaf; more makes the learner more cautious",
);
pub static STANDINS: Setting = number(
    "understudy.standins",
    (8.0, 1.0, 10_000.0),
    "how many pairs of shadows stand in for the target (fewer above 131,072 records)",
);

pub static SETTINGS: [&Setting; 5] = [&TREES, &LEAVES, &RATE, &LEAF_ROWS, &STANDINS];

/// Trees grown on these rows; nothing where they are too few. Tells the watch of so many records.
pub fn learn<'a, const D: usize>(
    rows: impl Iterator<Item = &'a Row<D>>,
    view: &View,
    records: usize,
) -> Result<Option<Booster<D>>> {
    let (features, labels): (Vec<_>, Vec<_>) = rows.map(|row| (row.features, row.member)).unzip();
    if labels.len() < LEAST_ROWS {
        view.watch.advance(records);
        return Ok(None);
    }
    let growth = growth(view.settings);
    let proceed = |tree: usize| {
        let told = |tree| records * tree / growth.trees;
        view.watch.advance(told(tree + 1) - told(tree));
        !view.watch.cancelled()
    };
    match Booster::fit(&features, &labels, growth, proceed) {
        Some(booster) => Ok(Some(booster)),
        None => Err(Error::interrupted()),
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

/// The mean log-odds over the scenes in which the record could be judged.
pub fn mean_margin<const D: usize>(
    booster: &Booster<D>,
    scenes: &[Vec<Option<[f32; D]>>],
    record: usize,
) -> Option<f64> {
    let played = scenes.iter().filter_map(|scene| scene[record].as_ref());
    let (sum, count) = played.fold((0.0, 0.0), |(sum, count), features| {
        (sum + booster.margin(features), count + 1.0)
    });
    (count > 0.0).then(|| sum / count)
}
