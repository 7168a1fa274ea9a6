//! `scores.parquet`: one row per record with what every attack said about it.

use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use attacks::scores::Scores;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, compute_leaves};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use rayon::prelude::*;

use super::Levels;
use crate::files::{FileSet, Overwrite};
use crate::ids::Ids;
use crate::{Error, Result};

/// Rows of a batch and of a row group, so that a reader need not take the whole file at once.
const ROWS_PER_BATCH: usize = 1 << 16;

/// What goes into `scores.parquet`.
pub struct ScoreTable<'a> {
    pub records: usize,
    /// The records' names; their indices stand in where there are none.
    pub ids: Option<&'a Ids>,
    /// The truth of a record, where it is known.
    pub member: &'a (dyn Fn(usize) -> Option<bool> + Sync),
    /// The attacks' ids and scores; an abstention is null.
    pub columns: &'a [(String, &'a Scores)],
    /// What was judged besides records.
    pub levels: Levels,
}

/// Writes the table to one file; replaces what was there.
pub fn write_scores(path: &Path, table: &ScoreTable) -> Result<()> {
    let mut set = FileSet::new(Overwrite::Replace);
    add_scores(&mut set, path, table)?;
    set.commit()
}

/// Writes the table as one of several files that appear together.
pub fn add_scores(set: &mut FileSet, path: &Path, table: &ScoreTable) -> Result<()> {
    check(table).map_err(|e| e.at(path))?;
    set.add(path, |out| {
        encode(table, out).map_err(crate::files::plain_io)
    })
}

fn check(table: &ScoreTable) -> Result<()> {
    check_ids(table.ids, table.records)?;
    for (name, scores) in table.columns {
        if scores.len() != table.records {
            let (scores, records) = (scores.len(), table.records);
            let message = format!("{name} has {scores} scores for {records} records");
            return Err(Error::mismatch(message));
        }
    }
    Ok(())
}

pub fn check_ids(ids: Option<&Ids>, records: usize) -> Result<()> {
    match ids.map(Ids::len).filter(|ids| *ids != records) {
        None => Ok(()),
        Some(ids) => Err(Error::mismatch(format!("{ids} ids for {records} records"))),
    }
}

fn encode(table: &ScoreTable, out: impl Write + Send) -> std::result::Result<(), ParquetError> {
    let schema = schema(table);
    write_batches(out, &schema, table.records, |rows| {
        batch(table, &schema, rows)
    })
}

/// Writes a table of so many records batch by batch, compressed.
pub fn write_batches(
    out: impl Write + Send,
    schema: &SchemaRef,
    records: usize,
    batch: impl Fn(Range<usize>) -> std::result::Result<RecordBatch, ParquetError>,
) -> std::result::Result<(), ParquetError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        // Hardly a score or an id comes twice: looking for repeats costs more than all the rest.
        .set_dictionary_enabled(false)
        .set_max_row_group_row_count(Some(ROWS_PER_BATCH))
        .build();
    let writer = ArrowWriter::try_new(out, schema.clone(), Some(properties))?;
    let (mut writer, columns) = writer.into_serialized_writer()?;
    for (group, first) in (0..records).step_by(ROWS_PER_BATCH).enumerate() {
        let batch = batch(first..records.min(first + ROWS_PER_BATCH))?;
        let chunks = encoded(&batch, columns.create_column_writers(group)?)?;
        let mut group = writer.next_row_group()?;
        for chunk in chunks {
            chunk.append_to_row_group(&mut group)?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

/// The columns of a batch, each on a core: compression is most of the work.
fn encoded(
    batch: &RecordBatch,
    writers: Vec<ArrowColumnWriter>,
) -> std::result::Result<Vec<ArrowColumnChunk>, ParquetError> {
    let mut leaves = Vec::with_capacity(writers.len());
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        leaves.extend(compute_leaves(field, column)?);
    }
    let columns = leaves.into_par_iter().zip(writers);
    let chunks = columns.map(|(leaf, mut writer)| {
        writer.write(&leaf)?;
        writer.close()
    });
    chunks.collect()
}

fn schema(table: &ScoreTable) -> SchemaRef {
    let mut fields = vec![
        Field::new("id", DataType::Utf8, false),
        Field::new("member", DataType::Boolean, true),
    ];
    let attacks = table.columns.iter().map(|(name, _)| name);
    fields.extend(attacks.map(|name| Field::new(name, DataType::Float64, true)));
    Arc::new(Schema::new_with_metadata(fields, table.levels.metadata()))
}

fn batch(
    table: &ScoreTable,
    schema: &SchemaRef,
    rows: Range<usize>,
) -> std::result::Result<RecordBatch, ParquetError> {
    let ids = id_column(table.ids, rows.clone());
    let members: BooleanArray = rows.clone().map(|row| (table.member)(row)).collect();
    let mut columns: Vec<ArrayRef> = vec![Arc::new(ids), Arc::new(members)];
    columns.par_extend(table.columns.par_iter().map(|(_, scores)| {
        let scores: Float64Array = rows.clone().map(|row| scores.get(row)).collect();
        Arc::new(scores) as ArrayRef
    }));
    Ok(RecordBatch::try_new(schema.clone(), columns)?)
}

/// The records' names; their indices stand in where there are none.
pub fn id_column(ids: Option<&Ids>, rows: Range<usize>) -> StringArray {
    match ids {
        Some(ids) => ids.range(rows).map(Some).collect(),
        None => rows.map(|row| Some(row.to_string())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float64Type;
    use attacks::scores::Abstention;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;

    fn written(folder: &Path) -> Vec<u8> {
        let path = folder.join("scores.parquet");
        let scores: Scores = [Ok(0.5), Err(Abstention::NoInShadow), Ok(f64::NEG_INFINITY)]
            .into_iter()
            .collect();
        let table = ScoreTable {
            records: 3,
            ids: None,
            member: &|record| (record != 2).then_some(record == 0),
            columns: &[("lira".to_owned(), &scores)],
            levels: Levels::default(),
        };
        write_scores(&path, &table).unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn abstentions_and_unknown_truth_are_null() {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path());
        let file = std::fs::File::open(folder.path().join("scores.parquet")).unwrap();
        let mut reader = ParquetRecordBatchReaderBuilder::try_new(file)
            .unwrap()
            .build()
            .unwrap();
        let batch = reader.next().unwrap().unwrap();
        assert_eq!(batch["id"].as_string::<i32>().value(2), "2");
        let member = batch["member"].as_boolean();
        assert!(member.value(0) && !member.value(1) && member.is_null(2));
        let lira = batch["lira"].as_primitive::<Float64Type>();
        assert!(lira.is_null(1) && lira.value(2) == f64::NEG_INFINITY);
    }

    #[test]
    fn the_same_scores_give_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(written(folder.path()), written(folder.path()));
    }

    #[test]
    fn a_column_of_the_wrong_length_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let scores: Scores = [Ok(0.5)].into_iter().collect();
        let table = ScoreTable {
            records: 2,
            ids: None,
            member: &|_| None,
            columns: &[("lira".to_owned(), &scores)],
            levels: Levels::default(),
        };
        let error = write_scores(&folder.path().join("s.parquet"), &table).unwrap_err();
        assert!(error.message.contains("lira has 1 scores for 2 records"));
    }
}
