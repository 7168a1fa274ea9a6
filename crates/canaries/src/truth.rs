//! `truth.json`: who was chosen, and the seed that everything was drawn from. Apart from what the
//! attack sees, readable by its owner alone, and sealed by its digest in the manifest.

use std::collections::BTreeMap;

use formats::lines::plain;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::manifest::check_schema;
use crate::{Error, Manifest, Result, Role};

pub const SCHEMA: &str = "guestlist.canaries.truth/1";
pub(crate) const FILE_NAME: &str = "truth.json";

/// The coins of a draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedTruth {
    schema: String,
    seed: u64,
    included: BTreeMap<String, bool>,
}

impl SealedTruth {
    pub fn new(seed: u64, included: BTreeMap<String, bool>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            seed,
            included,
        }
    }

    /// Opens the truth of a draw: its bytes must be those that were sealed, and it must have a coin for
    /// every canary and for nothing else.
    pub fn open(manifest: &Manifest) -> Result<Self> {
        let path = manifest.verified(Role::Truth)?;
        let bytes = std::fs::read(&path).map_err(|error| Error::reading(&path, &error))?;
        let truth = Self::parse(&bytes).map_err(|error| error.within_file(&path))?;
        let canaries = manifest.canaries()?;
        let missing = canaries
            .iter()
            .find(|canary| truth.included(&canary.id).is_none());
        let wrong = match missing {
            Some(canary) => format!("has no coin for the canary {:?}", canary.id),
            None if truth.included.len() == canaries.len() => return Ok(truth),
            None => format!(
                "has {} coins for {} canaries",
                truth.included.len(),
                canaries.len()
            ),
        };
        Err(Error::mismatch(wrong)
            .at(&path)
            .hint("restore the folder as it was drawn, or draw again and train again"))
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        let hint = "restore the truth.json that guestlist canaries wrote";
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|error| Error::malformed(plain(&error)).hint(hint))?;
        check_schema(&value, SCHEMA, hint)?;
        serde_json::from_value(value)
            .map_err(|error| Error::malformed(error.to_string()).hint(hint))
    }

    /// Whether the canary of this id was in the training data; nothing where there is no such canary.
    pub fn included(&self, id: &str) -> Option<bool> {
        self.included.get(id).copied()
    }

    /// Every id with its coin.
    pub fn coins(&self) -> impl Iterator<Item = (&str, bool)> {
        self.included.iter().map(|(id, coin)| (id.as_str(), *coin))
    }

    /// The bytes of the file.
    pub fn to_json(&self) -> Result<Vec<u8>> {
        let mut bytes =
            serde_json::to_vec_pretty(self).map_err(|error| Error::malformed(error.to_string()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}
