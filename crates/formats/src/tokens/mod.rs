//! Texts, one row each: with token signals where they were scored, without where not yet. Read in
//! batches, so that a file need not fit into memory.

mod blob;
mod folder;
mod in_memory;
mod json_lines;
mod lists;
pub mod parquet;
pub mod raw;
mod scored;
mod write;

use std::path::{Path, PathBuf};

use attacks::signals::tokens::TextSignals;

use crate::Result;
use crate::foreign::{self, Wanted};
use crate::texts::{is_parquet, is_text_file};

pub use in_memory::from_batches;
pub use scored::Scored;
pub use write::{NextBatch, ScoredText, TokenFormat, write};

/// How many texts are read, and handed on, at once.
const ROWS_PER_BATCH: usize = 512;

/// One text and what is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The row's number stands in where there is no id.
    pub id: String,
    pub member: Option<bool>,
    pub date: Option<String>,
    pub token_ids: Option<Vec<u32>>,
    /// The tokens that the reference model was asked about, where they were kept.
    pub reference_ids: Option<Vec<u32>>,
    /// Tokens in all, those without a prediction included.
    pub tokens: usize,
    /// Whether a model has scored it.
    pub scored: bool,
    /// Of a canary: ln p of its drawn tokens, given what stands before them.
    pub secret: Option<f64>,
    pub signals: TextSignals,
}

/// Batches of rows, in the file's order.
pub struct Rows {
    path: PathBuf,
    /// What the file is, for reports.
    pub format: &'static str,
    batches: raw::Batches,
    read: usize,
}

/// Opens a file of texts or token signals: Parquet (a file, a folder of files, or objects), JSON Lines (also gzipped), or a folder of
/// texts, Markdown, HTML and PDF, or one of them.
pub fn open(path: &Path) -> Result<Rows> {
    foreign::refuse(path, Wanted::Rows)?;
    let (format, batches) = if is_parquet(path)? {
        ("Parquet token signals", parquet::read(path)?)
    } else if path.is_dir() || is_text_file(path) {
        ("folder of texts", folder::read(path)?)
    } else {
        ("JSON Lines token signals", json_lines::read(path)?)
    };
    Ok(Rows {
        path: path.to_owned(),
        format,
        batches,
        read: 0,
    })
}

/// Whether a file holds texts or token signals, rather than signals of another kind.
pub fn recognise(path: &Path) -> bool {
    match is_parquet(path) {
        Ok(true) => parquet::recognise(path),
        // A folder is of shadow models: texts in a folder do not say who is a member.
        Ok(false) => !path.is_dir() && json_lines::recognise(path),
        Err(_) => false,
    }
}

impl Iterator for Rows {
    type Item = Result<Vec<Row>>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match self.batches.next()? {
            Ok(batch) => batch,
            Err(error) => return Some(Err(error)),
        };
        let first = self.read;
        self.read += batch.rows.len();
        let rows = raw::check_all(batch, first, &self.path);
        Some(rows)
    }
}
