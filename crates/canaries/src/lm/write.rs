//! The training file with the chosen canaries in it.

use std::collections::HashSet;
use std::io::{self, Write};

use base::{Progress, Unit};
use serde_json::{Map, Value};

use super::Corpus;
use crate::Result;
use crate::mix::Slot;

/// How many rows of a corpus stay when those that say one of `originals` go.
pub(super) fn kept(corpus: &Corpus, originals: &HashSet<String>) -> Result<usize> {
    if originals.is_empty() {
        return Ok(corpus.rows);
    }
    let mut kept = 0;
    for row in corpus.read()? {
        kept += usize::from(!originals.contains(&row?.whole()));
    }
    Ok(kept)
}

/// Writes the user's rows byte by byte as they are, without the originals of canaries, and canaries in
/// their places.
pub(super) fn training(
    out: &mut impl Write,
    corpus: &Corpus,
    originals: &HashSet<String>,
    slots: &[Slot],
    rows: &[Map<String, Value>],
    progress: Progress<'_>,
) -> Result<()> {
    let failed = |error: io::Error| crate::Error::writing(&corpus.path, &error);
    progress.phase("writing the training texts", slots.len(), Unit::Texts);
    let mut own = corpus.read()?.filter(|row| {
        row.as_ref()
            .map_or(true, |row| !originals.contains(&row.whole()))
    });
    for (place, slot) in slots.iter().enumerate() {
        if place % 1024 == 0 {
            progress.check()?;
        }
        match slot {
            Slot::Canary(number) => {
                serde_json::to_writer(&mut *out, &rows[*number]).map_err(|e| failed(e.into()))?;
                out.write_all(b"\n").map_err(failed)?;
            }
            Slot::Own => match own.next().transpose()? {
                Some(row) => line(out, &row.bytes).map_err(failed)?,
                None => return Err(changed(corpus)),
            },
        }
        progress.advance(1);
    }
    match own.next() {
        None => Ok(()),
        Some(_) => Err(changed(corpus)),
    }
}

fn line(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(bytes)?;
    match bytes.ends_with(b"\n") {
        true => Ok(()),
        false => out.write_all(b"\n"),
    }
}

fn changed(corpus: &Corpus) -> crate::Error {
    crate::Error::new(base::ErrorKind::Changed, "was changed while it was read")
        .at(&corpus.path)
        .hint("draw again once nobody writes to it")
}
