//! Files that models are made from, and whether they still are what they were.
//!
//! Reading a large file for every model would be slow. So a file is read again only when the
//! system's own notes about it differ, or are too young to be trusted.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use crate::Result;
use formats::files;

/// Clocks of file systems are coarse: a file may change twice in one tick.
const TICK: Duration = Duration::from_secs(3);

/// One file as it was agreed on.
pub struct Watched {
    /// For people.
    pub name: String,
    pub path: PathBuf,
    pub digest: String,
    /// What the system noted when the file was last seen to have this digest.
    seen: Mutex<Option<Stamp>>,
}

impl Watched {
    /// A file as it is now.
    pub fn new(name: impl Into<String>, path: &Path) -> Result<Self> {
        // Before the file is read: what is written meanwhile must be seen the next time.
        let seen = Stamp::read(path);
        Ok(Self {
            name: name.into(),
            path: path.to_owned(),
            digest: files::sha256(path)?,
            seen: Mutex::new(seen),
        })
    }

    /// A file that must have this digest, whenever it is looked at first.
    pub fn expecting(name: impl Into<String>, path: PathBuf, digest: String) -> Self {
        Self {
            name: name.into(),
            path,
            digest,
            seen: Mutex::new(None),
        }
    }

    /// What became of the file, in words; nothing if it is what it was.
    pub fn change(&self) -> Option<String> {
        let now = Stamp::read(&self.path);
        let Ok(mut seen) = self.seen.lock() else {
            return None;
        };
        if now.is_some() && *seen == now {
            return None;
        }
        if !self.path.exists() {
            return Some(format!("{} was removed", self.name));
        }
        match files::sha256(&self.path) {
            Ok(digest) if digest == self.digest => {
                *seen = now;
                None
            }
            Ok(_) => Some(format!("{} was changed", self.name)),
            Err(error) => Some(format!("{} became unreadable ({error})", self.name)),
        }
    }
}

/// What the system notes about a file. A change of the file changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: SystemTime,
    /// Which file it is and when its entry was changed, where the system says so.
    entry: (u64, i64, i64),
}

impl Stamp {
    /// Nothing where the file is not there, or was written so lately that the next change might
    /// not show.
    fn read(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        let modified = metadata.modified().ok()?;
        let age = SystemTime::now().duration_since(modified).ok()?;
        (age > TICK).then(|| Self {
            length: metadata.len(),
            modified,
            entry: entry(&metadata),
        })
    }
}

#[cfg(unix)]
fn entry(metadata: &Metadata) -> (u64, i64, i64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn entry(_: &Metadata) -> (u64, i64, i64) {
    (0, 0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aged(path: &Path, text: &str) {
        std::fs::write(path, text).unwrap();
        let file = std::fs::File::options().write(true).open(path).unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(3600);
        file.set_modified(long_ago).unwrap();
    }

    #[test]
    fn a_change_is_seen_and_a_touch_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("train.py");
        aged(&path, "one");
        let watched = Watched::new("train.py", &path).unwrap();
        assert_eq!(watched.change(), None);
        std::fs::write(&path, "one").unwrap();
        assert_eq!(watched.change(), None);
        std::fs::write(&path, "two").unwrap();
        assert_eq!(watched.change().unwrap(), "train.py was changed");
        std::fs::write(&path, "one").unwrap();
        assert_eq!(watched.change(), None);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(watched.change().unwrap(), "train.py was removed");
    }

    #[test]
    fn a_file_written_just_now_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("train.py");
        std::fs::write(&path, "one").unwrap();
        let watched = Watched::new("train.py", &path).unwrap();
        std::fs::write(&path, "two").unwrap();
        assert_eq!(watched.change().unwrap(), "train.py was changed");
    }

    #[test]
    fn what_was_expected_is_compared_at_the_first_look() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("features.npy");
        aged(&path, "abc");
        let right = files::sha256_of(b"abc");
        let watched = Watched::expecting("features.npy", path.clone(), right);
        assert_eq!(watched.change(), None);
        let watched = Watched::expecting("features.npy", path, files::sha256_of(b"x"));
        assert_eq!(watched.change().unwrap(), "features.npy was changed");
    }
}
