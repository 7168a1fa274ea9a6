//! `manifest.json`: what was drawn, without who was chosen. It holds neither the truth nor the seed,
//! which would be the truth, but the digest of the file that has both: the seal.

mod sealed;

use std::fmt;
use std::path::{Path, PathBuf};

use formats::lines::plain;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::sealed::{Role, SealedFile};
use crate::{Error, Result};

pub const SCHEMA: &str = "guestlist.canaries/1";
pub const FILE_NAME: &str = "manifest.json";

/// What the canaries are: texts, or records with a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Lm,
    Classifier,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Lm => "lm",
            Kind::Classifier => "classifier",
        })
    }
}

/// How many canaries a design made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DesignCount {
    pub design: String,
    pub canaries: usize,
}

/// How many canaries are in the training data this often, where their coin says that they are in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TierCount {
    pub repetitions: u32,
    pub canaries: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    pub schema: String,
    pub kind: Kind,
    /// The version of guestlist that drew.
    pub guestlist: String,
    pub canaries: usize,
    pub designs: Vec<DesignCount>,
    pub tiers: Vec<TierCount>,
    /// The probability with which each canary is chosen, independently of the others.
    pub coin: f64,
    pub files: Vec<SealedFile>,
    /// What was checked before training; null where nothing was.
    #[serde(default)]
    pub check: Value,
    /// Where it was read from; files are named as seen from its folder.
    #[serde(skip)]
    pub path: PathBuf,
}

impl Manifest {
    /// Reads a manifest, or the one in a folder, and checks that it can be one. The files that it names
    /// are checked when they are asked for.
    pub fn read(path: &Path) -> Result<Self> {
        let path = match path.is_dir() {
            true => path.join(FILE_NAME),
            false => path.to_owned(),
        };
        let bytes = std::fs::read(&path).map_err(|error| Error::reading(&path, &error))?;
        let manifest = Self::parse(&bytes).map_err(|error| error.within_file(&path))?;
        Ok(Self { path, ..manifest })
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        let hint = "name the manifest.json that guestlist canaries wrote";
        let broken = |error: &serde_json::Error| Error::malformed(plain(error)).hint(hint);
        let value: Value = serde_json::from_slice(bytes).map_err(|error| broken(&error))?;
        check_schema(&value, SCHEMA, hint)?;
        let manifest: Self = serde_json::from_value(value)
            .map_err(|error| Error::malformed(error.to_string()).hint(hint))?;
        manifest.check_counts()?;
        Ok(manifest)
    }

    /// Numbers that contradict each other come from a hand that changed them.
    fn check_counts(&self) -> Result<()> {
        let again = "draw again with guestlist canaries; a manifest is not edited";
        let tiers: usize = self.tiers.iter().map(|tier| tier.canaries).sum();
        let designs: usize = self.designs.iter().map(|design| design.canaries).sum();
        let rows = self.file(Role::Canaries)?.rows;
        for (name, count) in [("tiers", tiers), ("designs", designs), ("files", rows)] {
            if count != self.canaries {
                let message = format!(
                    "{name} count {count} canaries but canaries is {}",
                    self.canaries
                );
                return Err(Error::mismatch(message).hint(again));
            }
        }
        if self.coin != FAIR {
            let message = format!(
                "coin is {}; only fair coins of {FAIR} can be judged",
                self.coin
            );
            return Err(Error::mismatch(message).hint(again));
        }
        self.files.iter().try_for_each(SealedFile::check)?;
        self.file(Role::Truth).map(|_| ())
    }

    /// The one file of a role.
    pub fn file(&self, role: Role) -> Result<&SealedFile> {
        let mut found = self.files.iter().filter(|file| file.role == role);
        match (found.next(), found.next()) {
            (Some(file), None) => Ok(file),
            (found, _) => {
                let count = if found.is_some() {
                    "several files"
                } else {
                    "no file"
                };
                let message = format!("files names {count} with the role {role}");
                Err(Error::malformed(message)
                    .within_file(&self.path)
                    .hint("draw again with guestlist canaries; a manifest is not edited"))
            }
        }
    }

    /// Where the file of a role lies.
    pub fn place(&self, role: Role) -> Result<PathBuf> {
        Ok(self.folder().join(&self.file(role)?.path))
    }

    /// Where the file of a role lies, once its bytes are known to be those that were sealed.
    pub fn verified(&self, role: Role) -> Result<PathBuf> {
        let file = self.file(role)?;
        file.verify(self.folder(), &self.path)
    }

    pub fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }

    /// The bytes of the file.
    pub fn to_json(&self) -> Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec_pretty(self)
            .map_err(|error| Error::malformed(error.to_string()).within_file(&self.path))?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

/// Each canary's coin.
pub const FAIR: f64 = 0.5;

/// Refuses a file of another schema, naming the one that it has.
pub(crate) fn check_schema(value: &Value, wanted: &str, hint: &str) -> Result<()> {
    match value.get("schema").and_then(Value::as_str) {
        Some(schema) if schema == wanted => Ok(()),
        Some(other) => Err(Error::unsupported(format!(
            "schema is {other:?}; this version reads {wanted:?}"
        ))
        .hint(format!("{hint}, with this version"))),
        None => Err(Error::malformed("names no schema").hint(hint)),
    }
}

#[cfg(test)]
mod tests;
