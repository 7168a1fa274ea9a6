//! Small data sets on disk.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use flate2::Compression;
use flate2::write::GzEncoder;
use formats::data::{self, ColumnNote, Records, Wanted};
use parquet::arrow::ArrowWriter;
use parquet::basic;
use parquet::file::properties::WriterProperties;
use tempfile::TempDir;

/// A file in a folder of its own.
pub struct Fixture {
    pub folder: TempDir,
    pub path: PathBuf,
}

pub fn file(name: &str, bytes: impl AsRef<[u8]>) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    Fixture { folder, path }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn parquet(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    compressed(path, columns, basic::Compression::UNCOMPRESSED);
}

pub fn compressed(path: &Path, columns: Vec<(&str, ArrayRef)>, by: basic::Compression) {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = File::create(path).unwrap();
    let properties = WriterProperties::builder().set_compression(by).build();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

pub fn column(values: impl arrow_array::Array + 'static) -> ArrayRef {
    Arc::new(values)
}

pub fn csv(text: &str, wanted: &Wanted) -> Records {
    data::read(&file("data.csv", text).path, wanted).unwrap()
}

/// What is said about a CSV that cannot be read.
pub fn refusal(text: impl AsRef<[u8]>, wanted: &Wanted) -> String {
    data::read(&file("data.csv", text).path, wanted)
        .unwrap_err()
        .to_string()
}

/// A record's features.
pub fn row(records: &Records, record: usize) -> &[f32] {
    &records.features[record * records.width..][..records.width]
}

pub fn note<'a>(records: &'a Records, name: &str) -> &'a ColumnNote {
    let mut notes = records.columns.iter();
    notes.find(|note| note.name == name).unwrap()
}

pub fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
}
