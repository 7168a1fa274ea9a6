//! Scores in Parquet: one row per record, a column of numbers per attack. Null is an abstention.

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_schema::{DataType, Field};

use super::precomputed::{Draft, Numbers, PrecomputedScores};
use super::{ID, Levels, MEMBER, levels};
use crate::convert::{Misfits, convert};
use crate::features::parquet_known_member;
use crate::ids::Ids;
use crate::left_out::{Holds, LeftOut, texts_of};
use crate::parts::{Parts, is_index};
use crate::shadow::parquet_column;
use crate::{Error, Result};

const ROWS_PER_BATCH: usize = 1 << 16;

pub(crate) fn recognise(path: &Path) -> bool {
    Parts::open(path).is_ok_and(|parts| {
        let fields = parts.schema().fields().iter();
        let mut scores = fields.filter(|field| {
            let name = field.name().as_str();
            ![ID, MEMBER].contains(&name) && !is_index(name)
        });
        let is_score = |field: &Arc<Field>| field.data_type() == &DataType::Float64;
        parts.has(ID)
            && parts.has(MEMBER)
            && scores.next().is_some_and(is_score)
            && scores.all(is_score)
    })
}

pub(crate) fn read(path: &Path) -> Result<PrecomputedScores> {
    let mut draft = Draft::new("Parquet scores");
    let parts = Parts::open(path)?;
    let rows = parts.rows();
    draft.levels = Levels::of(parts.said(levels::KEY));
    let mut texts = Vec::new();
    for field in parts.schema().fields() {
        let (name, kind) = (field.name().clone(), field.data_type());
        match (name.as_str(), Holds::of(kind)) {
            (ID, _) => draft.ids = Some(Ids::default()),
            (MEMBER, _) => draft.members = Some(Vec::with_capacity(rows)),
            _ if is_index(&name) => draft.indices.push(name),
            _ if parts.is_of_folders(&name) => {
                draft.others.push(LeftOut::new(&name, "names of folders"));
            }
            (_, Holds::Numbers) => draft.columns.push((name, Numbers::with_capacity(rows))),
            (_, Holds::Texts) => texts.push(name),
            (_, Holds::Others) => {
                draft
                    .others
                    .push(LeftOut::new(&name, format!("{kind} values")));
            }
            (_, Holds::Doubtful) => {
                draft
                    .others
                    .push(LeftOut::doubted(&name, format!("{kind} values")));
            }
        }
    }
    for batch in parts.read(is_read, ROWS_PER_BATCH) {
        let batch = batch?;
        let taken = take(&mut draft, &batch.columns, batch.first);
        taken.map_err(|error| error.at(&batch.path))?;
    }
    draft.others.extend(texts_of(path, &texts)?);
    draft.finish(path, &|row| format!("row {row}"))
}

/// What is no number is left where it lies, and so is what pandas numbered rows by.
fn is_read(field: &Field) -> bool {
    let name = field.name().as_str();
    let numbers = Holds::of(field.data_type()) == Holds::Numbers;
    [ID, MEMBER].contains(&name) || numbers && !is_index(name)
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
            name => {
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
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray};
    use parquet::arrow::ArrowWriter;

    use super::*;

    #[test]
    fn an_index_that_pandas_saved_is_no_score() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.parquet");
        let columns: [(&str, ArrayRef); 4] = [
            ("id", Arc::new(StringArray::from(vec!["a", "b"]))),
            ("__index_level_0__", Arc::new(Int64Array::from(vec![7, 9]))),
            ("member", Arc::new(BooleanArray::from(vec![true, false]))),
            ("loss", Arc::new(Float64Array::from(vec![1.0, 2.0]))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let file = File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        assert!(recognise(&path));
        let found = read(&path).unwrap();
        let names: Vec<&str> = (found.columns.iter())
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["loss"]);
        assert_eq!(found.columns[0].1.get(1), Some(2.0));
        assert!(
            found.notes[0].contains("__index_level_0__"),
            "{:?}",
            found.notes
        );
    }
}
