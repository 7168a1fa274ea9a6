//! What kind of file it is, by its first bytes, gunzipped where need be; of a folder, by the files in it.

use std::path::Path;

use attacks::signals::bytes::Bytes;
use flate2::read::MultiGzDecoder;

use crate::foreign::{self, Wanted};
use crate::{Error, Result, memory, npy, parts};

const GZIP: &[u8] = b"\x1f\x8b";
const ZIP: &[u8] = b"PK\x03\x04";
const PARQUET: &[u8] = b"PAR1";

/// Compressions that are not undone here.
const COMPRESSED: [(&[u8], &str); 3] = [
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
];

pub(crate) enum Source {
    Parquet,
    Npz,
    Idx(Bytes),
    Text(Bytes),
}

pub(crate) fn open(path: &Path) -> Result<Source> {
    // Many files may be one table.
    if parts::is_object(path) || parts::is_folder(path) {
        return Ok(Source::Parquet);
    }
    foreign::refuse(path, Wanted::Data)?;
    let file = memory::map(path)?;
    let start = file.as_slice();
    if start.starts_with(PARQUET) {
        return Ok(Source::Parquet);
    }
    if start.starts_with(ZIP) {
        return Ok(Source::Npz);
    }
    let plain = gunzipped(path, file)?;
    refuse(plain.as_slice()).map_err(|e| e.at(path))?;
    match plain.as_slice() {
        // Two zeros, the type of the elements, the number of axes.
        [0, 0, 8..=14, 1..=8, ..] => Ok(Source::Idx(plain)),
        _ => Ok(Source::Text(plain)),
    }
}

/// The bytes of a file that may be compressed with gzip.
pub(crate) fn plain(path: &Path) -> Result<Bytes> {
    gunzipped(path, memory::map(path)?)
}

fn gunzipped(path: &Path, file: Bytes) -> Result<Bytes> {
    if !file.as_slice().starts_with(GZIP) {
        return Ok(file);
    }
    memory::gather(MultiGzDecoder::new(file.as_slice()), |e| {
        Error::malformed(format!("is not a whole gzip file: {e}"))
            .at(path)
            .hint("write or copy it again")
    })
}

fn refuse(bytes: &[u8]) -> Result<()> {
    if bytes.is_empty() {
        return Err(Error::malformed("holds nothing").hint("write or copy it again"));
    }
    if bytes.starts_with(npy::MAGIC) {
        return Err(Error::unsupported("is a single array")
            .hint("store features and labels together: numpy.savez(\"data.npz\", x=x, y=y)"));
    }
    if bytes.starts_with(PARQUET) || bytes.starts_with(ZIP) {
        return Err(
            Error::unsupported("is compressed twice").hint("undo the outer one with gunzip")
        );
    }
    let compressed = COMPRESSED
        .iter()
        .find(|(magic, _)| bytes.starts_with(magic));
    compressed.map_or(Ok(()), |(_, name)| {
        Err(Error::unsupported(format!("is compressed with {name}"))
            .hint("decompress it first, or compress it with gzip"))
    })
}
