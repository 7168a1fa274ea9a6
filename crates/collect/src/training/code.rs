//! The files that a training program consists of, as far as we are told.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::settings::CommandSettings;
use crate::files;
use crate::{Error, ErrorKind, Result};

/// Folders that hold no code of the user's.
const SKIPPED: [&str; 3] = ["__pycache__", ".git", "node_modules"];

/// The digest of every file that is named in `command.code`, folders with all they hold, and of
/// every argument that is a file where the program runs.
pub fn digests(settings: &CommandSettings, folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for argument in &settings.run[1..] {
        let path = folder.join(argument);
        if !argument.contains('{') && path.is_file() {
            found.insert(argument.clone(), files::sha256(&path)?);
        }
    }
    for named in &settings.code {
        let path = folder.join(named);
        if !path.exists() {
            return Err(
                Error::new(ErrorKind::NotFound, "command.code names what is not there").at(&path),
            );
        }
        for file in files_in(&path)? {
            let name = file.strip_prefix(folder).unwrap_or(&file);
            found.insert(name.display().to_string(), files::sha256(&file)?);
        }
    }
    Ok(found)
}

fn files_in(path: &Path) -> Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let entries = std::fs::read_dir(path).map_err(|e| Error::reading(path, &e))?;
    for entry in entries {
        let entry = entry.map_err(|e| Error::reading(path, &e))?;
        let kind = entry.file_type().map_err(|e| Error::reading(path, &e))?;
        let skipped = SKIPPED.iter().any(|name| entry.file_name() == *name);
        if kind.is_file() || (kind.is_dir() && !skipped) {
            found.extend(files_in(&entry.path())?);
        }
    }
    Ok(found)
}
