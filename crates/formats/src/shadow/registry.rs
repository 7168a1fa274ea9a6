//! The layouts that are known, and the choice among them by looking at the input.

use std::path::Path;

use super::npz::Archive;
use super::table::ShadowTable;
use super::{
    folder, lira, lira_analysis, lira_pytorch, matrix, matrix::NamedArrays, npy_pair, npz, parquet,
    privacy_meter, safetensors,
};
use crate::files::{Overwrite, refuse_pipe};
use crate::foreign::{self, Wanted};
use crate::parts::{self, Parts};
use crate::persons::GROUPS;
use crate::{Error, Result};

/// One way of laying shadow signals out on disk.
pub trait Format: Sync {
    fn name(&self) -> &'static str;

    /// The layout in one line, for people.
    fn layout(&self) -> &'static str;

    /// Whether the input looks like this layout: its first bytes, or what the folder holds.
    fn detect(&self, path: &Path) -> bool;

    fn read(&self, path: &Path) -> Result<ShadowTable>;

    /// Most layouts are only read.
    fn writer(&self) -> Option<Writer> {
        None
    }
}

pub type Writer = fn(&ShadowTable, &Path, Overwrite) -> Result<()>;

static FORMATS: [&dyn Format; 8] = [
    &npz::Npz,
    &npy_pair::NpyPair,
    &safetensors::Safetensors,
    &parquet::Parquet,
    &privacy_meter::PrivacyMeter,
    &lira_analysis::LiraAnalysis,
    &lira::Lira,
    &lira_pytorch::LiraPytorch,
];

/// Every known layout; where two could match, the more particular comes first.
pub fn formats() -> &'static [&'static dyn Format] {
    &FORMATS
}

/// Reads shadow signals in the layout named, or in the one that the input looks like.
pub fn read(path: &Path, forced: Option<&str>) -> Result<ShadowTable> {
    if !parts::is_object(path) {
        std::fs::metadata(path).map_err(|e| Error::reading(path, &e))?;
        refuse_pipe(path)?;
    }
    let format = match forced {
        Some(name) => named(name)?,
        None => {
            foreign::refuse(path, Wanted::Signals)?;
            detected(path)?
        }
    };
    format.read(path).map_err(|error| match forced {
        // A forced format that the input does not look like is the likelier mistake.
        Some(name) if !format.detect(path) => error.hint(format!(
            "{name} was asked for, but the input does not look like it"
        )),
        _ => error,
    })
}

/// Writes shadow signals in the layout named. Logits and probabilities become φ.
pub fn write(table: &ShadowTable, path: &Path, format: &str, overwrite: Overwrite) -> Result<()> {
    match named(format)?.writer() {
        Some(_) if !table.members_known || table.unknown.is_some() => Err(unknown_members(table)),
        Some(writer) => writer(table, path, overwrite),
        None => Err(
            Error::unsupported(format!("{format} can be read but not written"))
                .hint(format!("write one of {}", names(|f| f.writer().is_some()))),
        ),
    }
}

/// What lies beside signals and is no part of them: arrays or columns that an audit may be told to look at.
pub fn beside(path: &Path) -> Result<Vec<String>> {
    let names = if parts::is_parquet(path) {
        Parts::open(path)?.names()
    } else if folder::first_bytes(path).starts_with(b"PK\x03\x04") {
        Archive::open(path)?.names()
    } else {
        Vec::new()
    };
    let known = [
        &matrix::OUTPUTS[..],
        &matrix::TRUTHS,
        &["labels", "label", "ids", "id", GROUPS],
    ];
    let further = |name: &String| !known.iter().any(|names| names.contains(&name.as_str()));
    Ok(names.into_iter().filter(further).collect())
}

fn unknown_members(table: &ShadowTable) -> Error {
    let error =
        Error::missing("keep is not there, or unknown (-1) for some records, which is not written")
            .hint("store keep [records] beside the outputs");
    match table.sources.first() {
        Some(path) => error.at(path),
        None => error,
    }
}

fn named(name: &str) -> Result<&'static dyn Format> {
    let found = formats().iter().find(|format| format.name() == name);
    found.copied().ok_or_else(|| {
        Error::unsupported(format!("there is no format {name}"))
            .hint(format!("the formats are {}", names(|_| true)))
    })
}

fn names(wanted: impl Fn(&dyn Format) -> bool) -> String {
    let names: Vec<_> = formats()
        .iter()
        .filter(|format| wanted(**format))
        .map(|format| format.name())
        .collect();
    names.join(", ")
}

fn detected(path: &Path) -> Result<&'static dyn Format> {
    let found = formats().iter().find(|format| format.detect(path));
    found.copied().ok_or_else(|| unrecognised(path))
}

fn unrecognised(path: &Path) -> Error {
    let usual = match path.is_dir() {
        true if folder::is_empty(path) => "the folder is empty",
        true => "the folder holds no shadow signals in a layout that is known",
        false if folder::first_bytes(path).is_empty() => "is an empty file",
        false => "is a file of an unknown type",
    };
    if foreign::is_scores(path) {
        return Error::unsupported(
            "is a table with a column member and no outputs of classes: scores, it seems",
        )
        .at(path)
        .hint("judge scores that were made elsewhere with --kind scores");
    }
    let (what, lines) = foreign::unrecognised(path).unzip();
    let error = Error::unsupported(what.unwrap_or(usual)).at(path).hint(format!(
        "known are {}; name one of them if this is its input. Token signals of language models are \
         JSON Lines (.jsonl) or Parquet with logprob; a table of scores made elsewhere is judged with \
         --kind scores",
        names(|_| true)
    ));
    match lines {
        Some(lines) => error.example(lines),
        None => error,
    }
}
