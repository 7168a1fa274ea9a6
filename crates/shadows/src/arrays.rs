//! The data as arrays on disk, for training programs and for other tools.

use std::io::Write;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::store::header;
use crate::Result;
use formats::data::Records;
use formats::files::{self, FileSet, Overwrite};

pub(super) fn write_labels(path: &Path, labels: &[i64]) -> Result<()> {
    let head = header("<i8", &[labels.len()])?;
    write_array(path, &head, labels.iter().map(|label| label.to_le_bytes()))
}

pub(super) fn write_features(path: &Path, data: &Records) -> Result<()> {
    let head = header("<f4", &[data.len(), data.width])?;
    write_array(path, &head, data.features.iter().map(|x| x.to_le_bytes()))
}

/// The digest of the file of these labels.
pub(super) fn labels_digest(labels: &[i64]) -> Result<String> {
    let head = header("<i8", &[labels.len()])?;
    Ok(digest(
        &head,
        labels.iter().map(|label| label.to_le_bytes()),
    ))
}

/// The digest of the file of these features.
pub(super) fn features_digest(data: &Records) -> Result<String> {
    let head = header("<f4", &[data.len(), data.width])?;
    Ok(digest(&head, data.features.iter().map(|x| x.to_le_bytes())))
}

fn digest<const N: usize>(head: &[u8], values: impl Iterator<Item = [u8; N]>) -> String {
    let mut hasher = Sha256::new();
    let mut buffer = head.to_vec();
    for value in values {
        buffer.extend_from_slice(&value);
        if buffer.len() >= 1 << 16 {
            hasher.update(&buffer);
            buffer.clear();
        }
    }
    hasher.update(&buffer);
    files::hexadecimal(&hasher.finalize())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.npy");
        let labels: Vec<i64> = (0..20_000).collect();
        write_labels(&path, &labels).unwrap();
        let digest = labels_digest(&labels).unwrap();
        assert_eq!(digest, files::sha256(&path).unwrap());
    }
}
