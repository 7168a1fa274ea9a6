//! Texts and token signals in batches of Arrow that a program holds in memory.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use arrow_schema::Schema;

use super::parquet::{check_columns, rows};
use super::{ROWS_PER_BATCH, Rows};
use crate::parts::check_names;
use crate::{Error, Result};

/// Rows of batches with the columns of Parquet token signals; `name` is what messages call them.
pub fn from_batches(
    name: &Path,
    schema: &Schema,
    batches: impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send + 'static,
) -> Result<Rows> {
    let columns: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
    check_columns(&columns, name)?;
    check_names(schema.fields()).map_err(|error| error.at(name))?;
    let path = name.to_owned();
    let cut = batches.flat_map(pieces).map(move |piece| {
        let piece = piece.map_err(|error| Error::malformed(format!("cannot be read: {error}")));
        piece
            .and_then(|piece| rows(&piece))
            .map(Into::into)
            .map_err(|error| error.at(&path))
    });
    Ok(Rows {
        path: name.to_owned(),
        format: "Arrow token signals",
        batches: Box::new(cut),
        read: 0,
    })
}

/// A batch in pieces that are taken into memory one at a time.
fn pieces(
    batch: std::result::Result<RecordBatch, ArrowError>,
) -> Vec<std::result::Result<RecordBatch, ArrowError>> {
    let batch = match batch {
        Ok(batch) => batch,
        error => return vec![error],
    };
    let rows = batch.num_rows();
    let piece = |first| Ok(batch.slice(first, ROWS_PER_BATCH.min(rows - first)));
    (0..rows).step_by(ROWS_PER_BATCH).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, StringArray};
    use arrow_schema::{DataType, Field};

    use super::*;

    #[test]
    fn a_column_that_stands_twice_is_refused() {
        let fields = ["text", "logprob", "member", "member"];
        let fields = fields.map(|name| Field::new(name, DataType::Utf8, true));
        let refused = from_batches(
            Path::new("table"),
            &Schema::new(fields.to_vec()),
            std::iter::empty(),
        );
        let refused = refused.err().unwrap().to_string();
        assert!(
            refused.contains("table: two columns are named member"),
            "{refused}"
        );
    }

    #[test]
    fn large_batches_are_cut_and_rows_counted_through() {
        let ids: ArrayRef = Arc::new(StringArray::from_iter_values(
            (0..1200).map(|row| format!("text {row}")),
        ));
        let batch = RecordBatch::try_from_iter([("text", ids)]).unwrap();
        let schema = batch.schema();
        let batches = vec![Ok(batch.slice(0, 600)), Ok(batch.slice(600, 600))];
        let read = from_batches(Path::new("table"), &schema, batches.into_iter()).unwrap();
        let read: Vec<usize> = read.map(|batch| batch.unwrap().len()).collect();
        assert_eq!(read, [512, 88, 512, 88]);
    }

    #[test]
    fn a_table_without_signals_is_refused() {
        let schema = Schema::empty();
        let error = from_batches(Path::new("table"), &schema, std::iter::empty()).err();
        let error = error.unwrap().to_string();
        assert!(
            error.starts_with("table: has neither a column logprob"),
            "{error}"
        );
    }
}
