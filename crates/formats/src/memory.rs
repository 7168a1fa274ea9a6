//! Where bytes live: in a mapped file, or in a buffer that moves to disk when it grows large.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use attacks::signals::bytes::Bytes;
use memmap2::Mmap;

use crate::files::refuse_pipe;
use crate::{Error, Result};

/// What may stay in memory before a buffer moves to an unlinked temporary file.
const MOST_IN_MEMORY: usize = 256 << 20;

/// Maps a file. Its pages come and go with the system's page cache, so a matrix larger than
/// memory can be read.
pub fn map(path: &Path) -> Result<Bytes> {
    refuse_pipe(path)?;
    let file = File::open(path).map_err(|e| Error::reading(path, &e))?;
    let metadata = file.metadata().map_err(|e| Error::reading(path, &e))?;
    if metadata.is_dir() {
        return Err(Error::malformed("is a folder where a file is wanted").at(path));
    }
    if metadata.len() == 0 {
        return Err(Error::malformed("is an empty file")
            .at(path)
            .hint("write or copy it again"));
    }
    map_file(&file).map_err(|e| Error::reading(path, &e))
}

fn map_file(file: &File) -> io::Result<Bytes> {
    // SAFETY: the bytes are only ever read as plain numbers, for which every bit pattern is
    // valid. Whoever truncates an input while it is audited stops the program; nothing else
    // can be done about that short of a copy.
    let map = unsafe { Mmap::map(file)? };
    Ok(Bytes::new(map))
}

/// Everything that a reader gives; `broken` words what it ran into.
pub fn gather(mut reader: impl Read, broken: impl Fn(io::Error) -> Error) -> Result<Bytes> {
    let mut spill = Spill::default();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match reader.read(&mut buffer).map_err(&broken)? {
            0 => return spill.finish().map_err(|e| Error::buffering(&e)),
            n => spill
                .write_all(&buffer[..n])
                .map_err(|e| Error::buffering(&e))?,
        }
    }
}

/// A growing buffer: memory at first, an unlinked temporary file once it is large.
pub struct Spill {
    memory: Vec<u8>,
    disk: Option<io::BufWriter<File>>,
    most_in_memory: usize,
}

impl Spill {
    fn with_limit(most_in_memory: usize) -> Self {
        Self {
            memory: Vec::new(),
            disk: None,
            most_in_memory,
        }
    }

    /// The bytes written so far, for reading.
    pub fn finish(self) -> io::Result<Bytes> {
        match self.disk {
            None => Ok(Bytes::new(self.memory)),
            Some(disk) => map_file(&disk.into_inner().map_err(|e| e.into_error())?),
        }
    }

    fn move_to_disk(&mut self) -> io::Result<()> {
        let mut disk = io::BufWriter::with_capacity(1 << 20, tempfile::tempfile()?);
        disk.write_all(&std::mem::take(&mut self.memory))?;
        self.disk = Some(disk);
        Ok(())
    }
}

impl Default for Spill {
    fn default() -> Self {
        Self::with_limit(MOST_IN_MEMORY)
    }
}

impl Write for Spill {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.disk.is_none() && self.memory.len() + bytes.len() > self.most_in_memory {
            self.move_to_disk()?;
        }
        match &mut self.disk {
            Some(disk) => disk.write(bytes),
            None => self.memory.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.disk.as_mut().map_or(Ok(()), io::Write::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_reads_the_same_from_memory_and_from_disk() {
        for limit in [0, 3, 100] {
            let mut spill = Spill::with_limit(limit);
            spill.write_all(b"ab").unwrap();
            spill.write_all(b"cd").unwrap();
            assert_eq!(spill.finish().unwrap().as_slice(), b"abcd");
        }
    }
}
