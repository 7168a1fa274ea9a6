//! What every audit is told beside its signals: how to attack, how to judge, what to write down.

use std::path::{Path, PathBuf};

use attacks::settings::{Setting, Settings};
use judge::Options;
use judge::attacker::Wanted;
use judge::gate::Gate;
use report::{Data, Inputs, Note, Provenance};

use super::{AuditOptions, ResolvedOptions};
use crate::Error;

/// The same for every kind of target.
pub struct AuditContext {
    /// The attacks were named one by one: one that cannot run is an error.
    pub named: bool,
    pub settings: Settings,
    pub gate: Gate,
    pub force: bool,
    pub holdout: bool,
    /// The attacker whom the user wants to be safe from.
    pub wanted: Wanted,
    /// Whether the report may say who the records are.
    pub show_records: bool,
    pub measuring: Options,
    /// What gives this report again.
    pub command: String,
    pub inputs: Vec<Inputs>,
    pub notes: Vec<Note>,
}

impl AuditOptions {
    /// Of options that were resolved, for an audit of so many records.
    pub fn context<A>(
        &self,
        resolved: &ResolvedOptions<A>,
        records: usize,
        seed: u64,
        command: String,
        inputs: Vec<Inputs>,
    ) -> AuditContext {
        AuditContext {
            named: resolved.named,
            settings: resolved.settings.clone(),
            gate: resolved.gate,
            force: self.force,
            holdout: self.holdout,
            wanted: self.attacker,
            show_records: self.show_records,
            measuring: self.measuring(records, &resolved.gate, seed),
            command,
            inputs,
            notes: Vec::new(),
        }
    }
}

impl AuditContext {
    /// What is needed to do it again.
    pub(crate) fn provenance(&self, data: Data, known: Vec<&'static Setting>) -> Provenance {
        let value = |setting: &'static Setting| {
            let text = self.settings.text(setting);
            (setting.key.to_string(), text)
        };
        Provenance {
            version: env!("CARGO_PKG_VERSION").into(),
            command: self.command.clone(),
            seed: self.measuring.seed,
            inputs: self.inputs.clone(),
            data,
            settings: known.into_iter().map(value).collect(),
            measuring: self.measuring.clone(),
        }
    }
}

/// Name and digest of every file among these, named as seen from a folder where it lies there.
pub fn digests(
    paths: impl IntoIterator<Item = PathBuf>,
    base: Option<&Path>,
) -> Result<Vec<Inputs>, Error> {
    let files = paths.into_iter().filter(|path| path.is_file());
    files
        .map(|path| {
            let inside = base.and_then(|base| path.strip_prefix(base).ok());
            Ok(Inputs {
                path: inside.unwrap_or(&path).display().to_string(),
                sha256: formats::files::sha256(&path)?,
            })
        })
        .collect()
}
