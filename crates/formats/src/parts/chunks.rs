//! Where the bytes of a part come from: a file, or ranges of an object.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use parquet::errors::{ParquetError, Result as Parsed};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{ChunkReader, Length};

use super::damaged;
use super::object::{self, Ranges};
use crate::{Error, Result};

#[derive(Clone)]
pub(super) enum Chunks {
    File(Arc<File>),
    Object(Arc<Ranges>),
}

impl Chunks {
    pub(super) fn open(path: &Path) -> Result<Self> {
        if object::is_object(path) {
            return Ok(Chunks::Object(Arc::new(Ranges::open(path)?)));
        }
        let file = File::open(path).map_err(|error| Error::reading(path, &error))?;
        Ok(Chunks::File(Arc::new(file)))
    }

    /// Where columns lie, so that no request reaches into one that is not wanted.
    pub(super) fn learn(&mut self, metadata: &ParquetMetaData) {
        if let Chunks::Object(ranges) = self {
            let groups = metadata.row_groups().iter();
            let columns = groups.flat_map(|group| group.columns());
            ranges.learn(columns.map(|column| {
                let (start, length) = column.byte_range();
                start..start + length
            }));
        }
    }

    /// What the reader of Parquet ran into: where a store did not answer, that; else the file is not
    /// whole.
    pub(super) fn damaged(&self, path: &Path, error: &impl Display) -> Error {
        let failed = match self {
            Chunks::File(_) => None,
            Chunks::Object(ranges) => ranges.failure(),
        };
        failed.unwrap_or_else(|| damaged(path, error))
    }
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        match self {
            Chunks::File(file) => file.len(),
            Chunks::Object(ranges) => ranges.size(),
        }
    }
}

impl ChunkReader for Chunks {
    type T = Reading;

    fn get_read(&self, start: u64) -> Parsed<Reading> {
        match self {
            Chunks::File(file) => file.get_read(start).map(Reading::File),
            Chunks::Object(ranges) => Ok(Reading::Object {
                ranges: ranges.clone(),
                at: start,
            }),
        }
    }

    fn get_bytes(&self, start: u64, length: usize) -> Parsed<bytes::Bytes> {
        match self {
            Chunks::File(file) => file.get_bytes(start, length),
            Chunks::Object(ranges) => ranges.bytes(start, length).map_err(external),
        }
    }
}

fn external(error: io::Error) -> ParquetError {
    ParquetError::External(Box::new(error))
}

/// Bytes from some place on.
pub(super) enum Reading {
    File(BufReader<File>),
    Object { ranges: Arc<Ranges>, at: u64 },
}

impl Read for Reading {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Reading::File(file) => file.read(buffer),
            Reading::Object { ranges, at } => {
                let read = ranges.read_at(*at, buffer)?;
                *at += read as u64;
                Ok(read)
            }
        }
    }
}
