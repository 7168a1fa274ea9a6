//! Writing shadow signals as Parquet, one row per record.

use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use arrow_array::{
    ArrayRef, BooleanArray, Float16Array, Float32Array, Float64Array, Int64Array, ListArray,
    RecordBatch, StringArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::Field;
use attacks::signals::plane::Number;
use half::f16;

use super::phi;
use super::table::ShadowTable;
use crate::Result;
use crate::files::{FileSet, Overwrite};
use crate::persons::GROUPS;

/// Numbers that are held together while a batch is made.
const VALUES_PER_BATCH: usize = 1 << 20;
/// Batches that make a row group.
const BATCHES_PER_GROUP: usize = 16;

type Written<T> = std::result::Result<T, ParquetError>;

pub(crate) fn write(table: &ShadowTable, path: &Path, overwrite: Overwrite) -> Result<()> {
    let mut set = FileSet::new(overwrite);
    set.add(path, |out| {
        encode(table, out).map_err(crate::files::plain_io)
    })?;
    set.commit()
}

fn encode(table: &ShadowTable, out: impl Write + Send) -> Written<()> {
    let values_per_row = table.models() * table.augmentations();
    let rows = (VALUES_PER_BATCH / values_per_row).clamp(1, 1 << 14);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(false)
        .set_max_row_group_row_count(Some(rows * BATCHES_PER_GROUP))
        .build();
    let schema = batch(table, 0..0)?.schema();
    let mut writer = ArrowWriter::try_new(out, schema, Some(properties))?;
    for first in (0..table.records()).step_by(rows) {
        let last = table.records().min(first + rows);
        writer.write(&batch(table, first..last)?)?;
    }
    writer.close()?;
    Ok(())
}

fn batch(table: &ShadowTable, rows: Range<usize>) -> Written<RecordBatch> {
    let mut columns: Vec<(&str, ArrayRef)> = Vec::new();
    if let Some(ids) = &table.ids {
        let ids = StringArray::from_iter_values(&ids[rows.clone()]);
        columns.push(("id", Arc::new(ids)));
    }
    if let Some(labels) = &table.labels {
        let labels = Int64Array::from_iter_values(labels[rows.clone()].iter().copied());
        columns.push(("label", Arc::new(labels)));
    }
    if let Some(groups) = &table.groups {
        let groups = StringArray::from_iter(&groups[rows.clone()]);
        columns.push((GROUPS, Arc::new(groups)));
    }
    columns.push(("phi", phi_lists(table, rows.clone())?));
    columns.push(("keep", keep_lists(table, rows)?));
    let columns = columns
        .into_iter()
        .map(|(name, column)| (name, column, name == GROUPS));
    Ok(RecordBatch::try_from_iter_with_nullable(columns)?)
}

fn phi_lists(table: &ShadowTable, rows: Range<usize>) -> Written<ArrayRef> {
    let (models, augmentations) = (table.models(), table.augmentations());
    let values = floats(phi::number(table), by_record(table, rows.clone()));
    let per_model = match augmentations {
        1 => values,
        _ => lists(values, rows.len() * models, augmentations)?,
    };
    lists(per_model, rows.len(), models)
}

/// φ of a run of records: a record's models side by side, a model's augmentations within.
fn by_record(table: &ShadowTable, rows: Range<usize>) -> Vec<f64> {
    let (models, augmentations) = (table.models(), table.augmentations());
    let mut all = vec![0.0; rows.len() * models * augmentations];
    for model in 0..models {
        let block = phi::block(table, model, rows.clone());
        for (row, values) in block.chunks(augmentations).enumerate() {
            let at = (row * models + model) * augmentations;
            all[at..at + augmentations].copy_from_slice(values);
        }
    }
    all
}

fn floats(number: Number, values: Vec<f64>) -> ArrayRef {
    match number {
        Number::F16 => Arc::new(Float16Array::from_iter_values(
            values.into_iter().map(f16::from_f64),
        )),
        Number::F32 => Arc::new(Float32Array::from_iter_values(
            values.into_iter().map(|value| value as f32),
        )),
        Number::F64 => Arc::new(Float64Array::from_iter_values(values)),
    }
}

fn keep_lists(table: &ShadowTable, rows: Range<usize>) -> Written<ArrayRef> {
    let length = rows.len();
    let flags: Vec<bool> = rows
        .flat_map(|record| table.members.iter().map(move |row| row.get(record)))
        .collect();
    lists(Arc::new(BooleanArray::from(flags)), length, table.models())
}

fn lists(items: ArrayRef, count: usize, length: usize) -> Written<ArrayRef> {
    let item = Field::new("element", items.data_type().clone(), false);
    let offsets = OffsetBuffer::from_lengths(std::iter::repeat_n(length, count));
    let lists = ListArray::try_new(Arc::new(item), offsets, items, None)?;
    Ok(Arc::new(lists))
}
