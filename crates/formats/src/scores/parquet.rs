//! Scores in Parquet: one row per record, a column of numbers per attack. Null is an abstention.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

use super::precomputed::{Draft, PrecomputedScores};
use super::{ID, MEMBER};
use crate::convert::{Misfits, convert};
use crate::features::parquet_known_member;
use crate::shadow::parquet::{builder, damaged, guarded};
use crate::shadow::parquet_column;
use crate::{Error, Result};

const ROWS_PER_BATCH: usize = 1 << 16;

pub(crate) fn recognise(path: &Path) -> bool {
    let schema = guarded(path, || Ok(builder(path)?.schema().clone()));
    schema.is_ok_and(|schema| {
        let named = |name: &str| schema.field_with_name(name).is_ok();
        let mut scores = schema.fields().iter();
        named(ID)
            && named(MEMBER)
            && schema.fields().len() > 2
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
    let mut batches = guarded(path, || {
        let builder = builder(path)?;
        for field in builder.schema().fields() {
            let (name, kind) = (field.name().clone(), field.data_type());
            match name.as_str() {
                ID => draft.ids = Some(Vec::new()),
                MEMBER => draft.members = Some(Vec::new()),
                _ if kind.is_numeric() => draft.columns.push((name, Vec::new())),
                _ => draft.others.push((name, format!("{kind} values"))),
            }
        }
        let reader = builder.with_batch_size(ROWS_PER_BATCH).build();
        reader.map_err(|error| damaged(path, error))
    })?;
    let mut read = 0;
    let mut next = || {
        let batch = batches.next().transpose();
        batch.map_err(|error| damaged(path, error))
    };
    while let Some(batch) = guarded(path, &mut next)? {
        take(&mut draft, &batch, read).map_err(|error| error.at(path))?;
        read += batch.num_rows();
    }
    draft.finish(path, &|row| format!("row {row}"))
}

fn take(draft: &mut Draft, batch: &RecordBatch, read: usize) -> Result<()> {
    let (mut score, schema) = (0, batch.schema());
    for (field, column) in schema.fields().iter().zip(batch.columns()) {
        match field.name().as_str() {
            ID => {
                let ids = parquet_column::ids(column, read)?;
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
