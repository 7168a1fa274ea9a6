//! `calls.parquet`: one row per record of unknown membership, with what was said of it.

use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::errors::ParquetError;

use crate::Result;
use crate::files::FileSet;
use crate::scores::write_batches;

/// One record that was asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRow {
    pub id: String,
    pub attack: String,
    /// Null where the attack abstained; the reason stands beside.
    pub score: Option<f64>,
    pub p_value: Option<f64>,
    pub q_value: Option<f64>,
    pub called: bool,
    pub reason: Option<String>,
}

/// Writes the rows as one of several files that appear together.
pub fn add_calls(set: &mut FileSet, path: &Path, rows: &[CallRow]) -> Result<()> {
    set.add(path, |out| {
        encode(rows, out).map_err(crate::files::plain_io)
    })
}

fn encode(rows: &[CallRow], out: impl Write + Send) -> std::result::Result<(), ParquetError> {
    let schema: SchemaRef = Arc::new(Schema::new(vec![
        Field::new("id", DataType::Utf8, false),
        Field::new("attack", DataType::Utf8, false),
        Field::new("score", DataType::Float64, true),
        Field::new("p_value", DataType::Float64, true),
        Field::new("q_value", DataType::Float64, true),
        Field::new("called", DataType::Boolean, false),
        Field::new("reason", DataType::Utf8, true),
    ]));
    write_batches(out, &schema, rows.len(), |range| {
        batch(rows, &schema, range)
    })
}

fn batch(
    rows: &[CallRow],
    schema: &SchemaRef,
    range: Range<usize>,
) -> std::result::Result<RecordBatch, ParquetError> {
    let rows = &rows[range];
    let texts = |of: &dyn Fn(&CallRow) -> Option<String>| -> ArrayRef {
        let texts: StringArray = rows.iter().map(of).collect();
        Arc::new(texts)
    };
    let numbers = |of: fn(&CallRow) -> Option<f64>| -> ArrayRef {
        let numbers: Float64Array = rows.iter().map(of).collect();
        Arc::new(numbers)
    };
    let called: BooleanArray = rows.iter().map(|row| Some(row.called)).collect();
    let columns = vec![
        texts(&|row| Some(row.id.clone())),
        texts(&|row| Some(row.attack.clone())),
        numbers(|row| row.score),
        numbers(|row| row.p_value),
        numbers(|row| row.q_value),
        Arc::new(called),
        texts(&|row| row.reason.clone()),
    ];
    Ok(RecordBatch::try_new(schema.clone(), columns)?)
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float64Type;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;
    use crate::files::Overwrite;

    #[test]
    fn what_was_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.parquet");
        let call = |id: &str, score: Option<f64>| CallRow {
            id: id.into(),
            attack: "lira".into(),
            score,
            p_value: score.map(|_| 0.01),
            q_value: score.map(|_| 0.02),
            called: score.is_some(),
            reason: score.is_none().then(|| "no shadow".into()),
        };
        let mut set = FileSet::new(Overwrite::Replace);
        add_calls(&mut set, &path, &[call("a", Some(3.5)), call("b", None)]).unwrap();
        set.commit().unwrap();
        let file = std::fs::File::open(path).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file)
            .unwrap()
            .build();
        let batch = reader.unwrap().next().unwrap().unwrap();
        assert_eq!(batch["id"].as_string::<i32>().value(1), "b");
        let scores = batch["score"].as_primitive::<Float64Type>();
        assert!(scores.value(0) == 3.5 && scores.is_null(1));
        let called = batch["called"].as_boolean();
        assert!(called.value(0) && !called.value(1));
        assert_eq!(batch["reason"].as_string::<i32>().value(1), "no shadow");
    }
}
