//! Files of other programs that are not read here: pickles, PyTorch's, JSON documents, HDF5, MATLAB's,
//! Arrow's. They are known by their first bytes, never opened further, and answered with the lines of
//! Python that write a readable file.

mod lines;
mod look;
#[cfg(test)]
mod tests;

use std::path::Path;

pub use self::lines::python_text;
use self::look::Foreign;
use crate::files::refuse_pipe;
use crate::{Error, Result};

/// What a reader wanted in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Outputs of models and who trained on what.
    Signals,
    /// Texts, documents or token signals, one JSON object per line.
    Rows,
    /// A score per record and who is a member.
    Scores,
    /// A vector per record and who is a member.
    Features,
    /// Records to train on.
    Data,
}

/// Refuses a file that another program wrote, with the lines that make a readable one of it.
pub fn refuse(path: &Path, wanted: Wanted) -> Result<()> {
    refuse_pipe(path)?;
    match look::at(path) {
        // Tables of text may begin with a bracket, too.
        Some(Foreign::Json) if wanted != Wanted::Rows && !look::has_ending(path, &["json"]) => {
            Ok(())
        }
        Some(foreign) => Err(refused(path, &foreign, wanted)),
        None => Ok(()),
    }
}

/// What a file or folder is that no reader of signals knows, and the lines that write a readable
/// one: also of tables of text, and of folders with a file for each model.
pub(crate) fn unrecognised(path: &Path) -> Option<(&'static str, String)> {
    let foreign = look::at(path).or_else(|| look::at_text_or_folder(path))?;
    let lines = lines::python(path, &foreign, Wanted::Signals);
    Some((foreign.what(), lines))
}

/// Whether it is a table of text that says who is a member and has no classes of which there could be outputs.
pub(crate) fn is_scores(path: &Path) -> bool {
    match look::at_text_or_folder(path) {
        Some(Foreign::Csv(columns)) => lines::are_scores(&columns),
        _ => false,
    }
}

fn refused(path: &Path, foreign: &Foreign, wanted: Wanted) -> Error {
    let written = lines::written_as(path, foreign, wanted);
    Error::unsupported(foreign.what())
        .at(path)
        .hint(format!(
            "write {written}: the lines below do, with your own names in place of theirs"
        ))
        .example(lines::python(path, foreign, wanted))
}
