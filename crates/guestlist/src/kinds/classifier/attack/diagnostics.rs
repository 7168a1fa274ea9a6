//! What an audit looks at beside its measures: the shape of the shadows' values, exposed records
//! and slices. The judge computes; this hands it the numbers.

use attacks::classifier::columns::fold_columns;
use attacks::scores::Scores;
use attacks::signals::shadow::ShadowSignals;
use base::Progress;
use formats::shadow::ShadowTable;
use judge::Truth;
use judge::diagnostics::normality::Drawn;
use judge::diagnostics::vulnerability::single_target;
use judge::diagnostics::{Classes, Diagnostics, Exposures, ShapeTally, SliceColumn, normality};
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

/// What the gated attack shows, beside what was found before.
pub(super) fn gated(
    mut found: Diagnostics,
    table: &ShadowTable,
    gated: Option<Gated>,
    confidence: f64,
) -> Result<Diagnostics, Error> {
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
    let found = shapes(&wanted, table, signals, seed, progress)?;
    let none = || normality::normality(&Classes::default(), AUGMENTATION, None);
    Ok(found.normality.unwrap_or_else(none))
}

/// What the shadows' values look like, which no attack has a part in; nothing without shadows.
pub(super) fn shapes(
    wanted: &DiagnosticsWanted,
    table: &ShadowTable,
    signals: &ShadowSignals,
    seed: u64,
    progress: Progress<'_>,
) -> Result<Diagnostics, Error> {
    let mut found = Diagnostics::default();
    if signals.shadows.is_empty() || !(wanted.normality || wanted.qq) {
        return Ok(found);
    }
    let all = signals.records();
    let mut stream = Seed(seed).stream("shapes");
    let records = stats::streams::some_of(&mut stream, all, MOST_TESTED);
    let tallies = fold_columns(
        signals,
        AUGMENTATION,
        &records,
        // Others tell how far they are at the same time.
        progress.quietly(),
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
        let (inside, outside) = rayon::join(
            || tallies.inside.residuals.quantiles(),
            || tallies.outside.residuals.quantiles(),
        );
        found.qq = Some(Classes { inside, outside });
    }
    Ok(found)
}
