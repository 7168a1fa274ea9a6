//! What an audit looks at beside its measures: the shape of the shadows' values, exposed records
//! and slices. The judge computes; this hands it the numbers.

use attacks::classifier::columns::fold_columns;
use attacks::scores::Scores;
use attacks::signals::shadow::ShadowSignals;
use base::{Progress, Unit};
use formats::shadow::ShadowTable;
use judge::diagnostics::normality::Drawn;
use judge::diagnostics::vulnerability::single_target;
use judge::diagnostics::{Classes, Diagnostics, Exposures, ShapeTally, SliceColumn, normality};
use judge::{Options, Truth};
use stats::streams::Seed;

use super::slicing;
use crate::Error;

/// The augmentation whose φ is tested for normality: the first, which is usually the plain record.
const AUGMENTATION: usize = 0;

/// Of more records so many are drawn whose shapes are tested: a rejection rate is then known to about a
/// percentage point, and what decides nothing costs less than the attacks.
const MOST_TESTED: usize = 2048;

/// What to look at. Exposed records are always listed.
#[derive(Clone, Debug)]
pub struct DiagnosticsWanted {
    /// The Anderson–Darling test, record by record.
    pub normality: bool,
    /// Quantiles beside those of a normal.
    pub qq: bool,
    /// Columns to cut the records by beside the true label, one value per record of the signals.
    pub slices: Vec<SliceColumn>,
}

impl Default for DiagnosticsWanted {
    fn default() -> Self {
        Self {
            normality: true,
            qq: true,
            slices: Vec::new(),
        }
    }
}

impl DiagnosticsWanted {
    /// What can be refused before anything slow starts.
    pub(super) fn check(&self, records: usize) -> Result<(), Error> {
        for column in &self.slices {
            column.check(records)?;
        }
        Ok(())
    }
}

/// The attack that the gate looked at, and what there is to judge it by.
pub(super) struct Gated<'a> {
    pub attack: &'a str,
    pub scores: &'a Scores,
    pub truth: &'a Truth,
    /// The same attack over several targets, where there are any.
    pub exposures: Option<&'a Exposures>,
}

pub(super) fn run(
    wanted: &DiagnosticsWanted,
    table: &ShadowTable,
    signals: &ShadowSignals,
    gated: Option<Gated>,
    options: &Options,
    progress: Progress<'_>,
) -> Result<Diagnostics, Error> {
    let mut found = Diagnostics::default();
    let shaped = !signals.shadows.is_empty();
    if shaped && (wanted.normality || wanted.qq) {
        shapes(wanted, table, signals, options, progress, &mut found)?;
    }
    let Some(gated) = gated else {
        return Ok(found);
    };
    let Gated {
        attack,
        scores,
        truth,
        exposures,
    } = gated;
    let id = |row: usize| match &table.ids {
        Some(ids) => ids[row].clone(),
        None => row.to_string(),
    };
    let confidence = options.confidence;
    found.vulnerability = Some(match exposures {
        Some(exposures) => exposures.vulnerability(attack, confidence, id),
        None => single_target(attack, scores, truth, confidence, id)?,
    });
    Ok(found)
}

/// The shapes alone.
pub(crate) fn normality_of(
    table: &ShadowTable,
    signals: &ShadowSignals,
    seed: u64,
    progress: Progress<'_>,
) -> Result<normality::Normality, Error> {
    let wanted = DiagnosticsWanted {
        qq: false,
        ..DiagnosticsWanted::default()
    };
    let mut found = Diagnostics::default();
    let options = Options {
        seed,
        ..Options::default()
    };
    shapes(&wanted, table, signals, &options, progress, &mut found)?;
    let none = || normality::normality(&Classes::default(), AUGMENTATION, None);
    Ok(found.normality.unwrap_or_else(none))
}

fn shapes(
    wanted: &DiagnosticsWanted,
    table: &ShadowTable,
    signals: &ShadowSignals,
    options: &Options,
    progress: Progress<'_>,
    found: &mut Diagnostics,
) -> Result<(), Error> {
    let all = signals.records();
    let mut stream = Seed(options.seed).stream("shapes");
    let records = stats::streams::some_of(&mut stream, all, MOST_TESTED);
    progress.phase("testing shapes", records.len(), Unit::Records);
    let tallies = fold_columns(
        signals,
        AUGMENTATION,
        &records,
        progress,
        |tallies: &mut Classes<ShapeTally>, column| {
            let mut sample: Vec<f64> = column.class(true).collect();
            tallies.inside.add(&mut sample);
            sample.clear();
            sample.extend(column.class(false));
            tallies.outside.add(&mut sample);
        },
        |one, other| Classes {
            inside: one.inside.merge(other.inside),
            outside: one.outside.merge(other.outside),
        },
    )?;
    if wanted.normality {
        let labels = slicing::of_labels(table).map(|labels| labels.of_rows(&records));
        let mut tested = normality::normality(&tallies, AUGMENTATION, labels.as_ref());
        tested.drawn = (records.len() < all).then_some(Drawn {
            records: records.len(),
            of: all,
        });
        found.normality = Some(tested);
    }
    if wanted.qq {
        found.qq = Some(Classes {
            inside: tallies.inside.residuals.quantiles(),
            outside: tallies.outside.residuals.quantiles(),
        });
    }
    Ok(())
}
