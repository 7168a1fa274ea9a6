//! Scores in Parquet: one row per record, a column of numbers per attack. Null is an abstention.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field};

use super::precomputed::{Draft, Numbers, PrecomputedScores};
use super::{ID, MEMBER};
use crate::convert::{Misfits, convert};
use crate::features::parquet_known_member;
use crate::ids::Ids;
use crate::parts::Parts;
use crate::shadow::parquet_column;
use crate::{Error, Result};

const ROWS_PER_BATCH: usize = 1 << 16;

pub(crate) fn recognise(path: &Path) -> bool {
    Parts::open(path).is_ok_and(|parts| {
        let fields = parts.schema().fields();
        let mut scores = fields.iter();
        parts.has(ID)
            && parts.has(MEMBER)
            && fields.len() > 2
            && scores.all(|field| {
                [ID, MEMBER].contains(&field.name().as_str())
                    || field.data_type() == &DataType::Float64
            })
    })
}

pub(crate) fn read(path: &Path) -> Result<PrecomputedScores> {
    let mut draft = Draft {
        format: "Parquet scores",
        ids: None,
        members: None,
        columns: Vec::new(),
        others: Vec::new(),
    };
    let parts = Parts::open(path)?;
    let rows = parts.rows();
    for field in parts.schema().fields() {
        let (name, kind) = (field.name().clone(), field.data_type());
        match name.as_str() {
            ID => draft.ids = Some(Ids::default()),
            MEMBER => draft.members = Some(Vec::with_capacity(rows)),
            _ if kind.is_numeric() => draft.columns.push((name, Numbers::with_capacity(rows))),
            _ => draft.others.push((name, format!("{kind} values"))),
        }
    }
    for batch in parts.read(is_read, ROWS_PER_BATCH) {
        let batch = batch?;
        let taken = take(&mut draft, &batch.columns, batch.first);
        taken.map_err(|error| error.at(&batch.path))?;
    }
    draft.finish(path, &|row| format!("row {row}"))
}

/// What is no number is left where it lies.
fn is_read(field: &Field) -> bool {
    [ID, MEMBER].contains(&field.name().as_str()) || field.data_type().is_numeric()
}

fn take(draft: &mut Draft, batch: &RecordBatch, read: usize) -> Result<()> {
    let (mut score, schema) = (0, batch.schema());
    for (field, column) in schema.fields().iter().zip(batch.columns()) {
        match field.name().as_str() {
            ID => {
                let ids = parquet_column::id_texts(column, read)?;
                let ids = ids.as_string::<i32>().iter().flatten();
                draft.ids.get_or_insert_default().extend(ids);
            }
            MEMBER => {
                let members = parquet_known_member(column, read)?;
                draft.members.get_or_insert_default().extend(members);
            }
            name if column.data_type().is_numeric() => {
                let numbers =
                    convert(column, &DataType::Float64, Misfits::BecomeNull).map_err(|error| {
                        Error::malformed(format!("column {name} cannot be read: {error}"))
                            .hint("store scores as float64")
                    })?;
                // In the order of the schema, as the draft was made: names may come twice.
                if let Some((_, values)) = draft.columns.get_mut(score) {
                    values.extend(numbers.as_primitive::<Float64Type>().iter());
                }
                score += 1;
            }
            _ => {}
        }
    }
    Ok(())
}
