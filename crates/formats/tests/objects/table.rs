//! What lies in the store.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

/// Scores beside a column of texts that no reader of scores wants and that is most of the file.
pub fn table(rows: Range<usize>) -> Vec<u8> {
    let ids: StringArray = rows.clone().map(|row| Some(format!("r{row}"))).collect();
    let members: BooleanArray = rows.clone().map(|row| Some(row % 2 == 0)).collect();
    let scores: Float64Array = rows
        .clone()
        .map(|row| (row % 7 != 0).then_some(row as f64))
        .collect();
    let notes: StringArray = rows
        .map(|row| Some(format!("{row:>2000}").replace(' ', &(row % 10).to_string())))
        .collect();
    let columns: [(&str, ArrayRef); 4] = [
        ("id", Arc::new(ids)),
        ("member", Arc::new(members)),
        ("note", Arc::new(notes)),
        ("loss", Arc::new(scores)),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_dictionary_enabled(false)
        .set_max_row_group_row_count(Some(500))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}
