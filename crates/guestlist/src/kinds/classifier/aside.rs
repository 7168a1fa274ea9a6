//! An offline design: which records are audited, and which are set aside for the shadows.

use attacks::signals::membership::MemberRow;
use formats::shadow::ShadowTable;
use judge::diagnostics::SliceColumn;
use shadows::Run;

use super::Plan;
use crate::Result;

/// Places of records in the data, ascending.
pub struct Aside {
    pub audited: Vec<usize>,
    pub reference: Vec<usize>,
}

impl Aside {
    pub fn new(aside: &MemberRow) -> Self {
        let (reference, audited) = (0..aside.len()).partition(|&record| aside.get(record));
        Self { audited, reference }
    }

    /// What a user should know.
    pub fn note(&self) -> String {
        format!(
            "an offline audit: {} records are audited, and {} reference records were set aside; shadows \
             train on halves of these and on no audited record",
            self.audited.len(),
            self.reference.len()
        )
    }

    /// The models that a run trains.
    pub fn models(&self, shadows: usize) -> String {
        let half = |records: &[usize]| records.len() / 2;
        format!(
            "{}: the audited one, trained on a random half of {} audited records ({}), and {shadows} \
             shadows, each on a random half of {} reference records ({})",
            shadows + 1,
            self.audited.len(),
            half(&self.audited),
            self.reference.len(),
            half(&self.reference)
        )
    }
}

impl Plan {
    /// The signals of the audited records and, in an offline design, of the reference records.
    pub(super) fn tables(&self, run: &Run) -> Result<(ShadowTable, Option<ShadowTable>)> {
        let table = run.signals()?;
        match &self.aside {
            None => Ok((table, None)),
            Some(Aside { audited, reference }) => {
                Ok((table.select(audited)?, Some(table.select(reference)?)))
            }
        }
    }

    /// What a column says of the audited records.
    pub(super) fn audited_column(&self, column: &SliceColumn) -> SliceColumn {
        let Some(Aside { audited, .. }) = &self.aside else {
            return column.clone();
        };
        let numbers = audited
            .iter()
            .filter_map(|&record| column.numbers.get(record));
        SliceColumn {
            values: audited
                .iter()
                .map(|&record| column.values[record])
                .collect(),
            numbers: numbers.copied().collect(),
            ..column.clone()
        }
    }
}
