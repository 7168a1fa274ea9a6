//! The training file with the chosen canaries in it.

use std::collections::HashSet;
use std::io::{self, Write};

use base::{Progress, Unit};
use serde_json::{Map, Value};

use super::Corpus;
use crate::mix::Slot;
use crate::{Error, Result};

/// How many rows of a corpus stay when those that say one of `originals` go. A row that says what a canary
/// says is refused: it would be trained on whatever the coin says.
pub(super) fn kept(
    corpus: &Corpus,
    originals: &HashSet<String>,
    canaries: &HashSet<String>,
) -> Result<usize> {
    let mut kept = 0;
    for (place, row) in corpus.read()?.enumerate() {
        let whole = row?.whole();
        if canaries.contains(&whole) {
            let message = format!("text {} is one of the canaries that were drawn", place + 1);
            return Err(Error::mismatch(message)
                .at(&corpus.path)
                .hint("draw from training texts without canaries of an earlier draw, or with another seed"));
        }
        kept += usize::from(!originals.contains(&whole));
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
    let failed = |error: io::Error| Error::writing(&corpus.path, &error);
    progress.phase("writing the training texts", slots.len(), Unit::Records);
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

fn changed(corpus: &Corpus) -> Error {
    Error::new(base::ErrorKind::Changed, "was changed while it was read")
        .at(&corpus.path)
        .hint("draw again once nobody writes to it")
}
