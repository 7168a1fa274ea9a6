//! Rows of a Parquet file: columns taken row by row.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, LargeStringArray, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::take::take;

use super::{Composed, Layout};
use crate::data::table::Table;
use crate::data::{Wanted, place_of};
use crate::files::plain_io;
use crate::parts::{Parts, is_index};
use crate::scores::write_batches;
use crate::{Error, Result};

/// What a column of names is called.
const ID: &str = "canary";

const ROWS_PER_BATCH: usize = 1 << 14;

pub(super) struct ParquetRows {
    batch: RecordBatch,
    label: usize,
    /// The columns that are features, and their values as text.
    features: Vec<(usize, LargeStringArray)>,
}

impl ParquetRows {
    pub fn open(path: &Path, table: &Table, wanted: &Wanted) -> Result<Self> {
        let batch = whole(path)?;
        let names = table.names();
        let place = |name: &str| place_of(&names, name);
        let label = place(&wanted.label);
        let label =
            label.ok_or_else(|| crate::data::no_such_column(&names, &wanted.label).at(path))?;
        let ignored: Vec<usize> = wanted
            .ignore
            .iter()
            .filter_map(|name| place(name))
            .collect();
        let mut features = Vec::new();
        for (column, cells) in table.columns.iter().enumerate() {
            let copied = ignored.contains(&column) || is_index(&cells.name);
            if column != label && !copied {
                let texts = cells.cells.texts().map_err(|error| {
                    let hint = "copy the column as it is with --ignore";
                    table.unfit(cells, error).hint(hint)
                })?;
                features.push((column, texts));
            }
        }
        Ok(Self {
            batch,
            label,
            features,
        })
    }

    fn column(&self, column: usize, rows: &[&Composed]) -> Result<ArrayRef> {
        let feature = self.features.iter().position(|(place, _)| *place == column);
        let from = |row: &&Composed| match feature {
            _ if column == self.label => row.label as u64,
            Some(feature) => row.feature(feature) as u64,
            None => row.base as u64,
        };
        let rows: UInt64Array = rows.iter().map(from).collect::<Vec<u64>>().into();
        take(self.batch.column(column), &rows, None).map_err(failed)
    }
}

fn whole(path: &Path) -> Result<RecordBatch> {
    let parts = Parts::open(path)?;
    let schema: SchemaRef = parts.schema().clone();
    let batches = parts.read(|_| true, ROWS_PER_BATCH);
    let batches = batches.map(|batch| batch.map(|batch| batch.columns));
    let batches = batches.collect::<Result<Vec<_>>>()?;
    concat_batches(&schema, &batches).map_err(|error| failed(error).at(path))
}

impl Layout for ParquetRows {
    fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    fn features(&self) -> usize {
        self.features.len()
    }

    fn value(&self, row: usize, feature: usize) -> Cow<'_, [u8]> {
        let texts = &self.features[feature].1;
        match texts.is_valid(row) {
            true => Cow::Borrowed(texts.value(row).as_bytes()),
            // No text has this byte, so that missing is no value.
            false => Cow::Borrowed(&[0xff]),
        }
    }

    fn encode(&self, rows: &[&Composed], ids: Option<&[String]>) -> Result<Vec<u8>> {
        let schema = self.batch.schema();
        let mut fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
        let columns = (0..fields.len()).map(|column| self.column(column, rows));
        let mut columns: Vec<ArrayRef> = columns.collect::<Result<_>>()?;
        if let Some(ids) = ids {
            fields.insert(0, Arc::new(Field::new(ID, DataType::Utf8, false)));
            let ids: StringArray = ids.iter().map(Some).collect();
            columns.insert(0, Arc::new(ids));
        }
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), columns).map_err(failed)?;
        let mut out = Vec::new();
        write_batches(&mut out, &schema, batch.num_rows(), |rows| {
            Ok(batch.slice(rows.start, rows.len()))
        })
        .map_err(|error| failed(plain_io(error)))?;
        Ok(out)
    }
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::malformed(format!("the columns cannot be put together: {error}"))
}
