//! `attributions.jsonl`: one line per item, with every word.

use std::io::Write;
use std::path::{Path, PathBuf};

use formats::files::{FileSet, Overwrite};
use report::source::Attributed;

use crate::Error;

/// What every item was called.
pub struct Attributions(Vec<Attributed>);

impl Attributions {
    pub(super) fn new(all: Vec<Attributed>) -> Self {
        Self(all)
    }

    pub fn all(&self) -> &[Attributed] {
        &self.0
    }

    /// All of it or none.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, Error> {
        let path = folder.join("attributions.jsonl");
        let mut set = FileSet::new(Overwrite::Replace);
        set.add(&path, |out| {
            for attributed in &self.0 {
                serde_json::to_writer(&mut *out, attributed)?;
                out.write_all(b"\n")?;
            }
            Ok(())
        })?;
        set.commit()?;
        Ok(path)
    }
}
