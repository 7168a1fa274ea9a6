//! Features as a Parquet file, written batch by batch.

use std::path::Path;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use arrow_array::builder::{Float32Builder, ListBuilder};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::files::{FileSet, Overwrite, plain_io};
use crate::{Error, Result};

/// One record: its name, whether it is a member, and its vector.
pub struct FeatureRow<'a> {
    pub id: &'a str,
    pub member: bool,
    pub features: Vec<f32>,
}

/// Records in their order, a batch at a time, until there are no more.
pub type NextRows<'a> = dyn FnMut() -> Result<Vec<FeatureRow<'a>>> + 'a;

/// Writes all batches; the file is there as a whole or not at all.
pub fn write(path: &Path, next: &mut NextRows) -> Result<()> {
    let mut failure: Option<Error> = None;
    let mut set = FileSet::new(Overwrite::Replace);
    let written = set.add(path, |out| {
        let schema = schema();
        let mut writer = ArrowWriter::try_new(out, schema.clone(), None).map_err(plain_io)?;
        loop {
            match next() {
                Ok(rows) if rows.is_empty() => break,
                Ok(rows) => {
                    let batch = columns(&schema, &rows).map_err(std::io::Error::other)?;
                    writer.write(&batch).map_err(plain_io)?;
                }
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        writer.close().map_err(plain_io)?;
        Ok(())
    });
    match failure {
        Some(error) => Err(error),
        None => written.and_then(|()| set.commit()),
    }
}

fn schema() -> SchemaRef {
    let item = Arc::new(Field::new("item", DataType::Float32, true));
    Arc::new(Schema::new(vec![
        Field::new("id", DataType::Utf8, false),
        Field::new("member", DataType::Boolean, false),
        Field::new("features", DataType::List(item), false),
    ]))
}

fn columns(
    schema: &SchemaRef,
    rows: &[FeatureRow],
) -> std::result::Result<RecordBatch, arrow_schema::ArrowError> {
    let mut features = ListBuilder::new(Float32Builder::new());
    for row in rows {
        features.append_value(row.features.iter().map(|value| Some(*value)));
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.id))),
        Arc::new(BooleanArray::from_iter(
            rows.iter().map(|row| Some(row.member)),
        )),
        Arc::new(features.finish()),
    ];
    RecordBatch::try_new(schema.clone(), columns)
}

#[cfg(test)]
mod tests {
    use super::super::{Wanted, read};
    use super::*;

    #[test]
    fn what_is_written_is_read_as_features() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("features.parquet");
        let mut batches = vec![0..2usize, 2..5].into_iter();
        let mut next = || {
            let row = |place: usize| FeatureRow {
                id: ["a", "b", "c", "d", "e"][place],
                member: place.is_multiple_of(2),
                features: vec![place as f32, -0.5],
            };
            Ok(batches.next().into_iter().flatten().map(row).collect())
        };
        write(&path, &mut next).unwrap();
        let table = read(&path, &Wanted::default()).unwrap();
        assert_eq!(table.layer, "features");
        assert_eq!(table.members.unwrap(), [true, false, true, false, true]);
        assert_eq!(table.ids.unwrap(), ["a", "b", "c", "d", "e"]);
        assert_eq!((table.features.records(), table.features.width()), (5, 2));
    }

    #[test]
    fn a_failure_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("features.parquet");
        let mut next = || Err(Error::malformed("no"));
        assert!(write(&path, &mut next).is_err());
        assert!(!path.exists());
    }
}
