//! Data that a study is made of, as users name them.

use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// Data to study, and what to call them. A name of the paper's tables (`Loc-3`, `C10-WRN`) puts its row beside ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Studied {
    pub name: String,
    pub path: PathBuf,
}

impl Studied {
    /// `NAME=PATH`, or a path, whose file name is the name.
    pub fn parse(text: &str) -> Result<Self> {
        // Folders of tables may be called year=2026.
        let named = text.split_once('=').filter(|_| !Path::new(text).exists());
        let (name, path) = match named {
            Some((name, path)) => (name.to_owned(), PathBuf::from(path)),
            None => {
                let path = PathBuf::from(text);
                let stem = path.file_stem().map(|stem| stem.to_string_lossy());
                (stem.unwrap_or_default().into_owned(), path)
            }
        };
        match name.is_empty() || path.as_os_str().is_empty() {
            true => Err(Error::usage(
                format!("{text:?} names no data"),
                "give files or folders, with a name if you like: NAME=PATH",
            )),
            false => Ok(Self { name, path }),
        }
    }

    /// Whether there is anything, before models of other data are trained.
    pub fn check_exists(&self) -> Result<()> {
        // Objects are looked for when they are read.
        if self.path.to_string_lossy().contains("://") {
            return Ok(());
        }
        match std::fs::metadata(&self.path) {
            Ok(_) => Ok(()),
            Err(error) => Err(Error::usage(
                format!("{}: {error}", self.path.display()),
                "give files or folders that are there, or leave data out",
            )),
        }
    }
}
