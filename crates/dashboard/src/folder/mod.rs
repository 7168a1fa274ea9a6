//! The folder that is shown: the one place that turns what a visitor typed into paths.

pub mod address;
pub mod files;

use std::path::{Path, PathBuf};

use crate::Error;
use crate::http::problem::Problem;

/// What makes a folder an audit.
pub const REPORT: &str = "report.json";
pub const PROGRESS: &str = report::progress::FILE;
pub const CONFIGURATION: &str = "guestlist.toml";

/// The folder as it really is, with no links in its path.
#[derive(Clone, Debug)]
pub struct Root(PathBuf);

impl Root {
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let refuse = |problem: String| {
            Error::usage(
                format!("{}: {problem}", folder.display()),
                "give a folder that holds audits, such as what `guestlist audit --out` wrote",
            )
        };
        let path = folder
            .canonicalize()
            .map_err(|error| refuse(format!("cannot be read: {error}")))?;
        match path.is_dir() {
            true => Ok(Self(path)),
            false => Err(refuse("is not a folder".into())),
        }
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A folder of an audit: it has a report, a progress file or a configuration.
    pub fn audit(&self, place: &[String]) -> Result<PathBuf, Problem> {
        let folder = self.within(&self.0, place)?;
        let marks = [REPORT, PROGRESS, CONFIGURATION];
        match marks.iter().any(|mark| folder.join(mark).is_file()) {
            true => Ok(folder),
            false => Err(nothing()),
        }
    }

    /// A folder whose audit can be started.
    pub fn configured(&self, place: &[String]) -> Result<PathBuf, Problem> {
        let folder = self.within(&self.0, place)?;
        self.within(&folder, &[CONFIGURATION.to_owned()])?;
        Ok(folder)
    }

    /// A file below an audit's folder, by its name with slashes.
    pub fn file(&self, folder: &Path, name: &str) -> Result<PathBuf, Problem> {
        let parts: Vec<String> = name.split('/').map(str::to_owned).collect();
        parts.iter().try_for_each(|part| address::check(part))?;
        self.within(folder, &parts)
    }

    /// A file of an audit's folder, where it is there and really lies in the shown folder.
    pub fn known_file(&self, folder: &Path, name: &str) -> Option<PathBuf> {
        let path = self.file(folder, name).ok()?;
        path.is_file().then_some(path)
    }

    /// Follows the parts and makes sure that links did not lead outside.
    fn within(&self, base: &Path, parts: &[String]) -> Result<PathBuf, Problem> {
        let mut path = base.to_owned();
        path.extend(parts);
        let real = path.canonicalize().map_err(|_| nothing())?;
        match real.starts_with(&self.0) {
            true => Ok(real),
            false => Err(nothing()),
        }
    }
}

/// The same words for what is not there and what is none of the visitor's business.
fn nothing() -> Problem {
    Problem::not_found("there is no such audit or file in this folder")
}
