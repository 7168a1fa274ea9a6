//! A file that the manifest names, with the digest by which a change is seen.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use formats::files;
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// What the model is trained on.
    Training,
    /// All canaries, chosen or not: what is scored.
    Canaries,
    /// The canaries of a classifier as data, in the order of the canaries.
    Records,
    /// Who was chosen.
    Truth,
    /// The user's own file, which stays where it is.
    Source,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Training => "training",
            Role::Canaries => "canaries",
            Role::Records => "records",
            Role::Truth => "truth",
            Role::Source => "source",
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedFile {
    pub role: Role,
    /// Seen from the manifest's folder; of the source, its name alone.
    pub path: PathBuf,
    pub sha256: String,
    /// Texts or records; of the truth, coins.
    pub rows: usize,
}

impl SealedFile {
    /// Files of a draw lie in its folder: a manifest of a stranger leads nowhere else.
    pub(super) fn check(&self) -> Result<()> {
        let plain = |part: Component| matches!(part, Component::Normal(_));
        match !self.path.as_os_str().is_empty() && self.path.components().all(plain) {
            true => Ok(()),
            false => Err(Error::malformed(format!(
                "files names {:?}, which does not lie in the manifest's folder",
                self.path.display().to_string()
            ))
            .hint("draw again with guestlist canaries; a manifest is not edited")),
        }
    }

    /// The file's place, if its bytes are those that were sealed.
    pub(super) fn verify(&self, folder: &Path, manifest: &Path) -> Result<PathBuf> {
        let path = folder.join(&self.path);
        if !path.exists() {
            let message = format!("is not there, but {} names it", manifest.display());
            return Err(Error::missing(message).at(&path).hint(
                "keep the files of a draw in one folder; copy it there from where they were drawn",
            ));
        }
        match files::sha256(&path)? == self.sha256 {
            true => Ok(path),
            false => Err(Error::mismatch(format!(
                "was changed since it was sealed: its digest is not the one in {}",
                manifest.display()
            ))
            .at(&path)
            .hint("restore the file as it was drawn, or draw again and train again")),
        }
    }
}
