//! `npz`: NumPy's archive of arrays. What is stored plainly is mapped where it lies; what is
//! compressed is inflated once.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use attacks::signals::bytes::Bytes;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::folder;
use super::matrix::{self, NamedArrays};
use super::npy_pair;
use super::registry::{Format, Writer};
use super::table::ShadowTable;
use crate::array::{Array, Place};
use crate::files::{FileSet, Overwrite};
use crate::memory;
use crate::npy;
use crate::{Error, Result};

/// An entry larger than this needs the 64-bit form of the archive's directory.
const LARGE: u64 = u32::MAX as u64;

pub(crate) struct Npz;

impl Format for Npz {
    fn name(&self) -> &'static str {
        "npz"
    }

    fn layout(&self) -> &'static str {
        "a .npz with phi [models, records(, augmentations)] and keep [models, records], or \
         logits (or probabilities) [models, records, (augmentations,) classes], labels and keep; \
         of one model the first axis may be left out; ids optional"
    }

    fn detect(&self, path: &Path) -> bool {
        folder::first_bytes(path).starts_with(b"PK\x03\x04")
    }

    fn read(&self, path: &Path) -> Result<ShadowTable> {
        matrix::read(self.name(), Archive::open(path)?)
    }

    fn writer(&self) -> Option<Writer> {
        Some(write)
    }
}

pub struct Archive {
    path: PathBuf,
    zip: ZipArchive<BufReader<File>>,
    /// The whole file, mapped.
    bytes: Bytes,
}

impl Archive {
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = memory::map(path)?;
        let file = File::open(path).map_err(|e| Error::reading(path, &e))?;
        let zip = ZipArchive::new(BufReader::new(file)).map_err(|e| {
            Error::malformed(format!("is not a whole .npz archive: {e}"))
                .at(path)
                .hint("the file was cut short: write or copy it again")
        })?;
        Ok(Self {
            path: path.to_owned(),
            zip,
            bytes,
        })
    }

    /// The bytes of an entry that is stored plainly, as a place in the whole file.
    fn stored(&self, place: &Place, entry: &Entry) -> Result<(usize, usize)> {
        let whole = self.bytes.as_slice();
        let first = entry.start.and_then(|start| usize::try_from(start).ok());
        let size = usize::try_from(entry.size).ok();
        let run = first.zip(size).filter(|(first, size)| {
            first
                .checked_add(*size)
                .is_some_and(|end| end <= whole.len())
        });
        let (first, size) = run.ok_or_else(|| damaged(place, "it reaches past the end"))?;
        if crc32fast::hash(&whole[first..first + size]) != entry.checksum {
            return Err(damaged(place, "its checksum does not match"));
        }
        Ok((first, size))
    }

    /// The bytes of an entry that is compressed. The reader checks their checksum.
    fn inflated(&mut self, place: &Place, entry: &Entry) -> Result<Bytes> {
        let entry = self.zip.by_index(entry.index);
        let reader = entry.map_err(|e| unreadable(place, e))?;
        memory::gather(reader, |e| damaged(place, e))
    }

    fn entry(&mut self, place: &Place) -> Result<Entry> {
        let names = [format!("{}.npy", place.name), place.name.clone()];
        let index = names.iter().find_map(|name| self.zip.index_for_name(name));
        let index = index.ok_or_else(|| damaged(place, "its name cannot be looked up"))?;
        let entry = self.zip.by_index(index).map_err(|e| unreadable(place, e))?;
        Ok(Entry {
            index,
            method: entry.compression(),
            start: entry.data_start(),
            size: entry.size(),
            checksum: entry.crc32(),
        })
    }
}

/// What the archive's directory says of an array.
struct Entry {
    index: usize,
    method: CompressionMethod,
    start: Option<u64>,
    size: u64,
    checksum: u32,
}

impl NamedArrays for Archive {
    fn path(&self) -> &Path {
        &self.path
    }

    fn names(&self) -> Vec<String> {
        let names = self.zip.file_names().filter_map(|name| name.ok());
        let mut names: Vec<String> = names
            .map(|name| name.strip_suffix(".npy").unwrap_or(&name).to_owned())
            .collect();
        names.sort();
        names
    }

    fn fetch(&mut self, name: &str) -> Result<Array> {
        let place = Place::new(&self.path, name);
        let entry = self.entry(&place)?;
        if entry.method == CompressionMethod::Stored {
            let (first, size) = self.stored(&place, &entry)?;
            return npy::array(place, self.bytes.clone(), first, size);
        }
        let bytes = self.inflated(&place, &entry)?;
        let size = bytes.as_slice().len();
        npy::array(place, bytes, 0, size)
    }
}

fn unreadable(place: &Place, error: ZipError) -> Error {
    match error {
        ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => {
            Error::unsupported(format!("{} cannot be read: {error}", place.name))
                .at(&place.path)
                .hint("write it with numpy.savez or numpy.savez_compressed")
        }
        error => damaged(place, error),
    }
}

fn damaged(place: &Place, why: impl Display) -> Error {
    let name = &place.name;
    Error::malformed(format!("{name} is damaged inside the archive: {why}"))
        .at(&place.path)
        .hint("write or copy the file again")
}

/// Stored plainly, so that it can be mapped when it is read again.
fn write(table: &ShadowTable, path: &Path, overwrite: Overwrite) -> Result<()> {
    let mut set = FileSet::new(overwrite);
    set.add(path, |out| archive(table, out))?;
    set.commit()
}

fn archive(table: &ShadowTable, out: &mut BufWriter<&mut File>) -> io::Result<()> {
    // A writer that is dropped unfinished prints its own error to stderr; ours is enough.
    let mut zip = ManuallyDrop::new(ZipWriter::new(out));
    fill(table, &mut zip)?;
    ManuallyDrop::into_inner(zip).finish()?;
    Ok(())
}

fn fill(table: &ShadowTable, zip: &mut ZipWriter<impl Write + Seek>) -> io::Result<()> {
    for part in npy_pair::parts(table) {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(part.bytes(table) > LARGE);
        zip.start_file(format!("{}.npy", part.name()), options)?;
        part.write(table, zip)?;
    }
    Ok(())
}
