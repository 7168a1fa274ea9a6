//! Scores of records: written beside every report, and read where they were made elsewhere.

mod csv;
mod json_lines;
mod levels;
mod npz;
mod parquet;
mod precomputed;
mod write;

use std::path::Path;

pub use self::levels::Levels;
pub use self::precomputed::PrecomputedScores;
pub use self::write::{ScoreTable, add_scores, write_scores};
pub use self::write::{check_ids, id_column, write_batches};

use crate::foreign::{self, Wanted};
use crate::parts;
use crate::shadow::folder::first_bytes;
use crate::{Error, Result};

/// Columns that are no scores.
const ID: &str = "id";
const MEMBER: &str = "member";
const MEMBER_HINT: &str = "member is true (or 1) where the record was trained on, false (or 0) where it was \
                           not, and empty where nobody knows";

/// Reads scores that were made elsewhere: `member`, `id` where there is one, and a score in every
/// other column of numbers. The format is known by the first bytes; a folder of Parquet files and
/// objects are one table.
pub fn read(path: &Path) -> Result<PrecomputedScores> {
    let mut found = read_without_truth(path)?;
    match found.untold.take() {
        Some(error) => Err(error),
        None => Ok(found),
    }
}

/// The same where the truth may be elsewhere: without `member`, nobody's is known.
pub fn read_without_truth(path: &Path) -> Result<PrecomputedScores> {
    if parts::is_object(path) || parts::is_folder(path) {
        return parquet::read(path);
    }
    std::fs::metadata(path).map_err(|error| Error::reading(path, &error))?;
    if path.is_dir() {
        return Err(Error::unsupported("is a folder without Parquet files")
            .at(path)
            .hint(
                "give the file with the scores: Parquet, CSV, JSON Lines or npz, one row per record; or \
                 a folder of Parquet files",
            ));
    }
    foreign::refuse(path, Wanted::Scores)?;
    let start = first_bytes(path);
    if start.starts_with(b"PK\x03\x04") {
        npz::read(path)
    } else if start.starts_with(b"PAR1") {
        parquet::read(path)
    } else if json_lines::recognise(path) {
        json_lines::read(path)
    } else {
        csv::read(path)
    }
}

pub use self::json_lines::recognise as is_json_lines;

/// Whether a file looks like the `scores.parquet` of an audit: `id`, `member` and numbers.
pub fn recognise(path: &Path) -> bool {
    parts::is_parquet(path) && parquet::recognise(path)
}

#[cfg(test)]
mod tests;
