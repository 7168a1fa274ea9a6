//! What was seen in the batches of a trainer, noted where `guestlist canaries check` notes what it finds. There
//! are no counts in it: a manifest is for everybody, and how many chosen canaries are struck may be how many were
//! chosen.

use std::path::Path;

use formats::files;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::finding::{Outcome, SCHEMA, Status};
use crate::{Manifest, Result};

/// One trap that was met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    pub trap: String,
    pub status: Status,
    pub detail: String,
    pub remedy: String,
}

/// What was met, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenInTraining {
    pub by: String,
    pub findings: Vec<Seen>,
}

/// Replaces what the manifest says of a check: the batches themselves were looked at.
pub fn note(manifest: &Path, seen: &SeenInTraining) -> Result<Outcome> {
    let manifest = Manifest::read(manifest)?;
    let hidden = |finding: &Seen| finding.status == Status::Violated;
    let outcome = match seen.findings.iter().any(hidden) {
        true => Outcome::Invisible,
        false => Outcome::Visible,
    };
    let noted = Manifest {
        check: json!({
            "schema": SCHEMA,
            "by": seen.by,
            "outcome": outcome,
            "canaries": manifest.canaries,
            "findings": seen.findings,
        }),
        ..manifest
    };
    files::write(&noted.path, &noted.to_json()?)?;
    Ok(outcome)
}
