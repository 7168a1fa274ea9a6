//! Before training: traps that would make canaries invisible, looked for on the user's own tokenizer and
//! settings. One file per trap, one line per trap in the registry.

mod deduplicated;
mod duplicates;
mod finding;
mod frozen;
mod look;
mod masked;
mod normalised;
mod noted;
mod packed;
mod sealed;
mod settings;
mod split;
mod truncated;
mod unknown;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;

use base::Progress;
use formats::files;
use lm::Tokenizer;
use serde_json::json;

pub use self::finding::{Check, Finding, Outcome, Status, TokenizerNote, Trap};
use self::finding::{Found, SCHEMA};
use self::look::Look;
pub use self::noted::{Seen, SeenInTraining, note};
pub use self::settings::{CheckSettings, Deduplication};
use crate::{Canary, Kind, Manifest, Result};

/// Every trap, in the order in which training would spring them.
pub static TRAPS: [Trap; 10] = [
    sealed::TRAP,
    deduplicated::TRAP,
    normalised::TRAP,
    unknown::TRAP,
    split::TRAP,
    duplicates::TRAP,
    truncated::TRAP,
    packed::TRAP,
    masked::TRAP,
    frozen::TRAP,
];

/// Looks at the canaries of a draw as the settings will treat them, and notes in the manifest what was
/// found.
pub fn check(manifest: &Path, settings: &CheckSettings, progress: Progress<'_>) -> Result<Check> {
    let manifest = Manifest::read(manifest)?;
    if manifest.kind == Kind::Classifier {
        settings.refuse_for_records()?;
    }
    let canaries = manifest.canaries()?;
    progress.check()?;
    let tokenizer = settings
        .tokenizer
        .as_deref()
        .map(Tokenizer::open)
        .transpose()?;
    let mut look = Look::new(&canaries, tokenizer.as_ref(), settings)?;
    look.manifest = Some(&manifest);
    let found = looked(&look)?;
    let noted = Manifest {
        check: json!(found),
        ..manifest.clone()
    };
    files::write(&manifest.path, &noted.to_json()?)?;
    Ok(found)
}

/// Looks at canaries that are being drawn.
pub(crate) fn texts(
    canaries: &[Canary],
    tokenizer: Option<&Tokenizer>,
    settings: &CheckSettings,
) -> Result<Check> {
    looked(&Look::new(canaries, tokenizer, settings)?)
}

fn looked(look: &Look<'_>) -> Result<Check> {
    let mut struck: BTreeSet<usize> = BTreeSet::new();
    let (mut findings, mut not_checked) = (Vec::new(), Vec::new());
    for trap in &TRAPS {
        let Some(found) = (trap.look)(look)? else {
            not_checked.push(trap.id);
            continue;
        };
        if found.status == Status::Violated {
            struck.extend(&found.struck);
        }
        findings.push(finding(trap, found));
    }
    let violated = findings
        .iter()
        .any(|finding| finding.status == Status::Violated);
    Ok(Check {
        schema: SCHEMA,
        outcome: match (violated, look.tells()) {
            (true, _) => Outcome::Invisible,
            (false, true) => Outcome::Visible,
            (false, false) => Outcome::Unknown,
        },
        canaries: look.canaries.len(),
        invisible: struck.len(),
        tokenizer: look.tokenizer.map(TokenizerNote::new),
        settings: look.settings.clone(),
        findings,
        not_checked,
    })
}

fn finding(trap: &Trap, found: Found) -> Finding {
    Finding {
        trap: trap.id,
        status: found.status,
        canaries: found.struck.len(),
        detail: found.detail,
        remedy: (found.status != Status::Ok).then_some(trap.remedy),
    }
}
