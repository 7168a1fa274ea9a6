//! The data as arrays on disk, for training programs and for other tools.

use std::io::Write;
use std::path::Path;

use super::store::header;
use crate::Result;
use crate::data::Records;
use crate::files::{FileSet, Overwrite};

pub(super) fn write_labels(path: &Path, labels: &[i64]) -> Result<()> {
    let head = header("<i8", &[labels.len()])?;
    write_array(path, &head, labels.iter().map(|label| label.to_le_bytes()))
}

pub(super) fn write_features(path: &Path, data: &Records) -> Result<()> {
    let head = header("<f4", &[data.len(), data.width])?;
    write_array(path, &head, data.features.iter().map(|x| x.to_le_bytes()))
}

/// Left alone if it is there already, byte for byte: others may be reading it.
fn write_array<const N: usize>(
    path: &Path,
    head: &[u8],
    values: impl ExactSizeIterator<Item = [u8; N]>,
) -> Result<()> {
    let mut bytes = Vec::with_capacity(head.len() + N * values.len());
    bytes.extend_from_slice(head);
    values.for_each(|value| bytes.extend_from_slice(&value));
    if std::fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let mut set = FileSet::new(Overwrite::Replace);
    set.add(path, |out| out.write_all(&bytes))?;
    set.commit()
}
