//! Whether a model's answers were right, which a program that writes φ alone may say in a file beside it.

use std::path::Path;

use crate::{Error, ErrorKind, Result};
use formats::npy;
use formats::shadow::keep;

/// The file's name in the folder of an attempt.
pub const FILE: &str = "right.npy";

/// What was written, as many answers as there are numbers of φ; nothing where the program wrote nothing.
pub fn written(path: &Path, answers: usize) -> Result<Option<Vec<bool>>> {
    if std::fs::symlink_metadata(path).is_err() {
        return Ok(None);
    }
    let refused = |why: String| {
        Error::new(ErrorKind::Training, format!("{FILE}: {why}")).hint(
            "write true or false for every number of the output, in its shape, or no such file",
        )
    };
    if !path.is_file() {
        return Err(refused("it is not a file".into()));
    }
    let found = npy::open(path).and_then(|array| keep::flags(&array));
    let found = found.map_err(|error| refused(error.message))?;
    match found.len() == answers {
        true => Ok(Some(found)),
        false => Err(refused(format!(
            "it has {} answers but the output {answers}",
            found.len()
        ))),
    }
}
