//! Shadow signals from one format to another.

use std::path::Path;

use formats::shadow::{self, Overwrite};
use serde::{Deserialize, Serialize};

use crate::{Error, Progress, Result};

/// How to read, and what to write.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConvertRequest {
    /// The input's format, where looking at it is not enough.
    pub from: Option<String>,
    /// The output's; by its ending where nothing is said.
    pub to: Option<String>,
    /// Whether what is there may be replaced.
    pub overwrite: bool,
}

/// What was converted.
#[derive(Clone, Debug, Serialize)]
pub struct Converted {
    /// The format that was read.
    pub from: &'static str,
    /// The format that was written.
    pub to: String,
    /// How many models there are.
    pub models: usize,
    /// How many records each of them has seen.
    pub records: usize,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// Reads signals and writes them again. Logits and probabilities become φ on the way.
pub fn convert(
    input: &Path,
    output: &Path,
    request: &ConvertRequest,
    progress: Progress<'_>,
) -> Result<Converted> {
    let to = match &request.to {
        Some(name) => name.clone(),
        None => by_ending(output)?.to_owned(),
    };
    let mut table = shadow::read(input, request.from.as_deref())?;
    // An audit of what was read would judge people by itself, and so must one of what is written.
    table.groups = groups(input, table.records())?;
    progress.check()?;
    let overwrite = match request.overwrite {
        true => Overwrite::Replace,
        false => Overwrite::Refuse,
    };
    let beside = shadow::beside(input)?;
    shadow::write(&table, output, &to, overwrite)?;
    let not_written = beside.iter().map(|name| {
        format!("{name} is there too and was not written: --group and --slice find it in the input alone")
    });
    Ok(Converted {
        from: table.format,
        to,
        models: table.models(),
        records: table.records(),
        notes: table.notes.into_iter().chain(not_written).collect(),
    })
}

fn groups(input: &Path, records: usize) -> Result<Option<Vec<Option<String>>>> {
    let groups = formats::persons::groups_inside(input)?;
    match groups.as_ref().filter(|groups| groups.len() != records) {
        None => Ok(groups),
        Some(groups) => Err(Error::usage(
            format!(
                "{}: groups names the persons of {} records, but there are {records}",
                input.display(),
                groups.len()
            ),
            "store one group per record, in the same order",
        )),
    }
}

fn by_ending(path: &Path) -> Result<&'static str> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("npz") => Ok("npz"),
        Some("safetensors") => Ok("safetensors"),
        Some("parquet") => Ok("parquet"),
        Some("npy") | None => Ok("npy"),
        Some(_) => Err(Error::usage(
            format!(
                "{}: the ending names no format that can be written",
                path.display()
            ),
            "end it in .npz, .safetensors or .parquet, leave the ending out for a folder of .npy \
             files, or say the format with --to",
        )),
    }
}
