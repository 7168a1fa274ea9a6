//! Files that are either whole or not there: written under a temporary name in the same
//! folder, synced, then renamed.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use parquet::errors::ParquetError;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::{Error, ErrorKind, Result, private};

/// Temporary names, beside the final ones.
const PREFIX: &str = ".guestlist-";
const SUFFIX: &str = ".part";

/// Refuses a pipe before it is opened: that would wait for a writer, deaf to whoever wants to stop, and what is
/// read of a pipe to tell what it holds is gone.
pub fn refuse_pipe(path: &Path) -> Result<()> {
    match is_pipe(path) {
        false => Ok(()),
        true => Err(Error::unsupported("is a pipe")
            .at(path)
            .hint("guestlist reads files, some parts of them twice: write it to a file first")),
    }
}

#[cfg(unix)]
pub(crate) fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = std::fs::metadata(path).map(|metadata| metadata.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_socket())
}

#[cfg(not(unix))]
pub(crate) fn is_pipe(_: &Path) -> bool {
    false
}

/// Whether a file that is there already may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    Refuse,
    Replace,
}

/// Files that appear together: all are written and synced before the first is renamed, and
/// dropping the set before [`FileSet::commit`] leaves nothing behind.
pub struct FileSet {
    overwrite: Overwrite,
    staged: Vec<Staged>,
}

/// A file that is written whole under a temporary name.
struct Staged {
    file: NamedTempFile,
    path: PathBuf,
    /// The disk is waited for once, when all files are written: it takes them together.
    synced: JoinHandle<io::Result<()>>,
}

impl FileSet {
    pub fn new(overwrite: Overwrite) -> Self {
        Self {
            overwrite,
            staged: Vec::new(),
        }
    }

    /// Writes one file under a temporary name beside its final place.
    pub fn add(
        &mut self,
        path: &Path,
        write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
    ) -> Result<()> {
        if self.overwrite == Overwrite::Refuse && path.exists() {
            return Err(exists(path));
        }
        let staged = stage(path, write).map_err(|e| Error::writing(path, &e))?;
        self.staged.push(staged);
        Ok(())
    }

    /// Every file that was added so far, with the SHA-256 of its bytes in lower-case hexadecimal.
    pub fn digests(&self) -> Result<Vec<(PathBuf, String)>> {
        let staged = self.staged.par_iter();
        let digested = staged.map(|Staged { file, path, .. }| {
            let digest = digest(file.path()).map_err(|e| Error::writing(path, &e))?;
            Ok((path.clone(), digest))
        });
        digested.collect()
    }

    /// Renames every file to its final name.
    pub fn commit(self) -> Result<()> {
        let mut written = Vec::with_capacity(self.staged.len());
        for Staged { file, path, synced } in self.staged {
            waited_for(synced).map_err(|e| Error::writing(&path, &e))?;
            written.push((file, path));
        }
        let mut folders = std::collections::BTreeSet::new();
        for (file, path) in written {
            let renamed = match self.overwrite {
                Overwrite::Refuse => file.persist_noclobber(&path),
                Overwrite::Replace => file.persist(&path),
            };
            match renamed {
                Ok(_) => {
                    folders.insert(folder_of(&path).to_owned());
                }
                Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(exists(&path));
                }
                Err(e) => return Err(Error::writing(&path, &e.error)),
            }
        }
        folders.iter().for_each(|folder| sync_folder(folder));
        Ok(())
    }
}

/// A folder for results, with every folder above it that had to be made. Those go again, as long
/// as they are empty, unless [`MadeFolder::keep`] says that the work succeeded.
pub struct MadeFolder {
    made: Vec<PathBuf>,
}

impl MadeFolder {
    pub fn new(folder: &Path) -> io::Result<Self> {
        let missing = |place: &&Path| !place.as_os_str().is_empty() && !place.exists();
        let made = folder
            .ancestors()
            .take_while(missing)
            .map(Path::to_owned)
            .collect();
        // Made even if only some of the folders could be created, so that those go again.
        let folder_set = Self { made };
        private::make_folder(folder)?;
        Ok(folder_set)
    }

    pub fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for MadeFolder {
    fn drop(&mut self) {
        for folder in &self.made {
            // Only an empty folder is removed; anything else in it is not ours.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// What a Parquet writer ran into: the system's own error where there is one.
pub fn plain_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

/// Removes what a process that was killed left under temporary names in a folder. Whoever calls
/// this knows that nobody else writes there now.
pub fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if is_temporary(&entry.file_name()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Whether a file of this name is one of ours that is not whole yet.
pub fn is_temporary(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// One file, whole or not at all; replaces what was there.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut set = FileSet::new(Overwrite::Replace);
    set.add(path, |out| out.write_all(bytes))?;
    set.commit()
}

/// The SHA-256 of a file's bytes in lower-case hexadecimal.
pub fn sha256(path: &Path) -> Result<String> {
    digest(path).map_err(|e| Error::reading(path, &e))
}

fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            n => hasher.update(&buffer[..n]),
        }
    }
    Ok(hexadecimal(&hasher.finalize()))
}

/// A writer that knows the SHA-256 of what went through it.
pub struct Digesting<W> {
    out: W,
    hasher: Sha256,
}

impl<W: Write> Digesting<W> {
    pub fn new(out: W) -> Self {
        Self {
            out,
            hasher: Sha256::new(),
        }
    }

    /// The digest in lower-case hexadecimal.
    pub fn finish(self) -> String {
        hexadecimal(&self.hasher.finalize())
    }
}

impl<W: Write> Write for Digesting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The SHA-256 of bytes in memory, in lower-case hexadecimal.
pub fn sha256_of(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn stage(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> io::Result<Staged> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // Such files are for the user alone from the moment they exist, and keep that when renamed.
    let mut file = builder.tempfile_in(folder_of(path))?;
    let mut out = BufWriter::with_capacity(1 << 18, file.as_file_mut());
    write(&mut out)?;
    out.flush()?;
    drop(out);
    let same = file.as_file().try_clone()?;
    Ok(Staged {
        file,
        path: path.to_owned(),
        synced: std::thread::spawn(move || same.sync_all()),
    })
}

/// A thread that ended without an answer did not sync.
fn waited_for(synced: JoinHandle<io::Result<()>>) -> io::Result<()> {
    let lost = |_| Err(io::Error::other("could not be synced"));
    synced.join().unwrap_or_else(lost)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes the rename durable. Not every system can sync a folder; the file itself is synced.
pub fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

pub fn exists(path: &Path) -> Error {
    Error::new(ErrorKind::Exists, "exists already")
        .at(path)
        .hint("choose another name, or replace it with --overwrite")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_failed_set_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let mut set = FileSet::new(Overwrite::Replace);
        set.add(&folder.path().join("a"), |out| out.write_all(b"1"))
            .unwrap();
        let failed = set.add(&folder.path().join("b"), |_| {
            Err(io::Error::other("disk full"))
        });
        assert_eq!(failed.unwrap_err().kind, ErrorKind::Write);
        drop(set);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn refuses_to_replace_unless_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write(&path, b"old").unwrap();
        let mut set = FileSet::new(Overwrite::Refuse);
        let refused = set.add(&path, |out| out.write_all(b"new"));
        assert_eq!(refused.unwrap_err().kind, ErrorKind::Exists);
        write(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn a_file_is_digested_while_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut digest = String::new();
        let mut set = FileSet::new(Overwrite::Refuse);
        set.add(&path, |out| {
            let mut digesting = Digesting::new(out);
            digesting
                .write_all(b"ab")
                .and_then(|()| digesting.write_all(b"c"))?;
            digest = digesting.finish();
            Ok(())
        })
        .unwrap();
        set.commit().unwrap();
        assert_eq!(digest, sha256(&path).unwrap());
    }

    #[test]
    fn digests_are_known_before_files_have_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let mut set = FileSet::new(Overwrite::Replace);
        for (name, text) in [("b", "abc"), ("a", "")] {
            let path = folder.path().join(name);
            set.add(&path, |out| out.write_all(text.as_bytes()))
                .unwrap();
        }
        let told = set.digests().unwrap();
        set.commit().unwrap();
        let found = ["b", "a"].map(|name| {
            let path = folder.path().join(name);
            (path.clone(), sha256(&path).unwrap())
        });
        assert_eq!(told, found);
    }

    #[test]
    fn the_digest_is_the_standard_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write(&path, b"abc").unwrap();
        assert_eq!(
            sha256(&path).unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
