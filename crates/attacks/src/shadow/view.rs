//! What an attack is handed: the signals of one augmentation and their shared statistics.

use rayon::prelude::*;

use super::statistics::block::{Block, block_records};
use super::statistics::{Column, RecordStatistics, Statistics};
use crate::error::{Error, Result};
use crate::scores::{Answer, Scores};
use crate::settings::Settings;
use crate::signals::shadow::{Rescale, ShadowSignals};
use crate::watch::Watch;

/// One augmentation of the signals under attack.
pub struct View<'a> {
    pub signals: &'a ShadowSignals,
    pub augmentation: usize,
    pub statistics: &'a Statistics,
    /// The same statistics of population records, where the user gave some.
    pub population: Option<&'a Statistics>,
    pub settings: &'a Settings,
    pub(super) watch: &'a dyn Watch,
}

impl View<'_> {
    /// How many shadow models there are.
    pub fn shadows(&self) -> usize {
        self.signals.shadows.len()
    }

    /// The records that a population attack compares with: those given, or the audited ones.
    pub fn comparison(&self) -> &Statistics {
        self.population.unwrap_or(self.statistics)
    }

    /// Scores every record from its statistics alone.
    pub fn per_record(&self, score: impl Fn(&RecordStatistics) -> Answer + Sync) -> Scores {
        let answers: Vec<Answer> = self
            .statistics
            .records
            .par_iter()
            .map(|record| score(record))
            .collect();
        answers.into_iter().collect()
    }

    /// The same signals under another augmentation. Statistics stay those of this one.
    pub fn at(&self, augmentation: usize) -> View<'_> {
        View {
            augmentation,
            ..*self
        }
    }

    /// Scores every record from its values under all shadows.
    pub fn per_column(
        &self,
        rescale: Rescale,
        score: impl Fn(&Column) -> Answer + Sync,
    ) -> Result<Scores> {
        Ok(self.map_columns(rescale, score)?.into_iter().collect())
    }

    /// Something of every record, from its values under all shadows.
    pub fn map_columns<T: Send>(
        &self,
        rescale: Rescale,
        map: impl Fn(&Column) -> T + Sync,
    ) -> Result<Vec<T>> {
        let size = block_records(self.shadows());
        let blocks = self.signals.records().div_ceil(size);
        let mapped = (0..blocks)
            .into_par_iter()
            .map_init(Default::default, |scratch: &mut (Block, Column), index| {
                if self.watch.cancelled() {
                    return Err(Error::interrupted());
                }
                let (block, column) = scratch;
                let first = index * size;
                let last = self.signals.records().min(first + size);
                block.load(self.signals, first..last, self.augmentation, rescale);
                let mapped = (0..block.len())
                    .map(|record| {
                        block.column(record, column);
                        map(column)
                    })
                    .collect();
                self.watch.advance(block.len());
                Ok(mapped)
            })
            .collect::<Result<Vec<Vec<T>>>>()?;
        Ok(mapped.into_iter().flatten().collect())
    }
}
