//! What every audit is told beside its signals: how to attack, how to judge, what to write down.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use attacks::Attack;
use attacks::settings::{Setting, Settings};
use formats::parts;
use judge::Options;
use judge::attacker::Wanted;
use judge::claim::Claimed;
use judge::gate::Gate;
use judge::guardrails::{EarlierLevels, LeftOutColumn};
use judge::persons::Join;
use judge::policy::{Criterion, Policy};
use rayon::prelude::*;
use report::{Data, Inputs, Note, Provenance};

use super::slicing::Slicing;
use super::{AuditOptions, PersonsWanted, ResolvedOptions};
use crate::Error;
use crate::kinds::Kind;

/// Bootstrap replicates, where nobody says how many.
const REPLICATES: usize = 1000;
const BOOTSTRAP_RECORDS: usize = 200_000;

/// The same for every kind of target.
pub struct AuditContext {
    /// The attacks were named one by one: one that cannot run is an error.
    pub named: bool,
    pub settings: Settings,
    /// What decides; of a policy, its first criterion.
    pub gate: Gate,
    /// The gate was asked for and is not what it is by default.
    pub gate_named: bool,
    pub policy: Option<Policy>,
    pub claim: Option<Claimed>,
    /// How many settings of private training are known to have been tried on these data.
    pub settings_tried: Option<usize>,
    pub force: bool,
    pub holdout: bool,
    /// The attacker whom the user wants to be safe from.
    pub wanted: Wanted,
    /// Whether the report may say who the records are.
    pub show_records: bool,
    pub measuring: Options,
    /// Bootstrap replicates where an audit shows their interval or rests on it; elsewhere none is drawn unless
    /// somebody asks.
    pub replicates_if_resampled: usize,
    /// The level at which records of unknown membership are called.
    pub call_level: f64,
    /// What gives this report again.
    pub command: String,
    pub inputs: Vec<Inputs>,
    pub notes: Vec<Note>,
    /// Columns of the table that hold no numbers, and nothing else that is known.
    pub left_out: Vec<LeftOutColumn>,
    /// What the audit that wrote the scores judged besides records.
    pub earlier: Option<EarlierLevels>,
    /// What the records are cut by.
    pub slicing: Slicing,
    /// Whose the records are, where that was said.
    pub persons: Option<PersonsWanted>,
    /// How their scores are joined, where that was said.
    pub join: Option<Join>,
    /// What the user calls what is audited.
    pub subject: Option<String>,
    /// The canaries that are audited, once their truth is open.
    pub canaries: Option<judge::canaries::Canaries>,
}

impl AuditOptions {
    /// Of options that were resolved, for an audit of so many records.
    pub fn context<A>(
        &self,
        resolved: &ResolvedOptions<A>,
        records: usize,
        seed: u64,
        command: String,
        mut inputs: Vec<Inputs>,
    ) -> AuditContext {
        inputs.extend(resolved.policy_file.clone());
        AuditContext {
            named: resolved.named,
            settings: resolved.settings.clone(),
            gate: resolved.gate,
            gate_named: self.names_gate(),
            policy: resolved.policy.clone(),
            claim: resolved.claim.clone(),
            settings_tried: self.claim.and_then(|claim| claim.settings_tried),
            force: self.force,
            holdout: self.holdout,
            wanted: self.wanted(resolved.policy.as_ref()),
            show_records: self.show_records,
            measuring: self.measuring_all(resolved, seed),
            replicates_if_resampled: self.replicates_if_resampled(records),
            call_level: self.call_level,
            command,
            inputs,
            notes: Vec::new(),
            left_out: Vec::new(),
            earlier: None,
            slicing: Slicing::new(&self.slices),
            persons: None,
            join: self.join,
            subject: self.subject.clone(),
            canaries: None,
        }
    }

    /// As many as were asked for; beyond so many records they would cost more than the audit.
    fn replicates_if_resampled(&self, records: usize) -> usize {
        let usual = if records <= BOOTSTRAP_RECORDS {
            REPLICATES
        } else {
            0
        };
        self.bootstrap.map_or(usual, |asked| asked as usize)
    }

    /// How the judge measures, with every rate that a policy looks at.
    fn measuring_all<A>(&self, resolved: &ResolvedOptions<A>, seed: u64) -> Options {
        let mut measuring = self.measuring(&resolved.gate, seed);
        measuring.mechanism = self
            .claim
            .and_then(|claim| claim.mechanism)
            .unwrap_or_default();
        for fpr in resolved.policy.iter().flat_map(Policy::rates) {
            if !measuring.fprs.contains(&fpr) {
                measuring.fprs.push(fpr);
            }
        }
        measuring
    }

    /// A policy that accepts one attacker names that one.
    fn wanted(&self, policy: Option<&Policy>) -> Wanted {
        match policy.map(|policy| policy.attackers.as_slice()) {
            Some([one]) if self.attacker == Wanted::default() => *one,
            _ => self.attacker,
        }
    }
}

impl AuditContext {
    /// Has the bootstrap drawn: its interval is shown, or others rest on it.
    pub(crate) fn resample(&mut self) {
        self.measuring.bootstrap_replicates = self.replicates_if_resampled;
    }

    /// Everything that must hold: a gate alone is one criterion.
    pub(crate) fn criteria(&self) -> Vec<Criterion> {
        match &self.policy {
            Some(policy) => policy.criteria.clone(),
            None => vec![Criterion::from(self.gate)],
        }
    }

    /// What is needed to do it again.
    pub(crate) fn provenance<K: Kind>(&self, data: Data) -> Provenance {
        let value = |setting: &'static Setting| {
            let text = self.settings.text(setting);
            (setting.key.to_string(), text)
        };
        Provenance {
            version: env!("CARGO_PKG_VERSION").into(),
            command: self.command.clone(),
            seed: self.measuring.seed,
            subject: self.subject.clone(),
            date: None,
            inputs: each_once(&self.inputs),
            data,
            settings: K::Attack::settings().into_iter().map(value).collect(),
            measuring: self.measuring.clone(),
        }
    }
}

/// Name and digest of every file among these, named as seen from a folder where it lies there. A
/// folder of Parquet files is its files; of an object, what its store says stands in for a digest.
pub fn digests(
    paths: impl IntoIterator<Item = PathBuf>,
    base: Option<&Path>,
) -> Result<Vec<Inputs>, Error> {
    let mut files = Vec::new();
    for path in paths {
        let parts = parts::files_of(&path)?;
        let folder = (parts != [path.clone()]).then(|| folder_name(&path, base));
        files.extend(parts.into_iter().map(|part| (part, folder.clone())));
    }
    files.retain(|(path, _)| path.is_file() || parts::is_object(path));
    let input = |(path, folder): &(PathBuf, Option<String>)| {
        let input = digest(path, shortened(path, base))?;
        Ok(Inputs {
            folder: folder.clone(),
            ..input
        })
    };
    let inputs: Vec<Result<Inputs, Error>> = files.par_iter().map(input).collect();
    inputs.into_iter().collect()
}

/// A file whose digest is known, named like those, and without dots that mean nothing.
pub(crate) fn input(path: &Path, sha256: String, base: &Path) -> Inputs {
    let name: PathBuf = shortened(path, Some(base)).components().collect();
    Inputs {
        path: name.display().to_string(),
        sha256,
        ..Inputs::default()
    }
}

/// Where the folder itself lies does not matter, also to files that are named from the root of the disk.
fn shortened<'a>(path: &'a Path, base: Option<&Path>) -> &'a Path {
    let inside = base.and_then(|base| {
        let from_root = || std::path::absolute(base).ok();
        let inside = path.strip_prefix(base).ok();
        inside.or_else(|| path.strip_prefix(from_root()?).ok())
    });
    inside.unwrap_or(path)
}

/// Each file once. Others of the same name stay: names are seen from more than one folder.
fn each_once(inputs: &[Inputs]) -> Vec<Inputs> {
    let mut known = HashSet::new();
    let mut first = |input: &&Inputs| known.insert((input.path.clone(), input.known_by()));
    inputs
        .iter()
        .filter(|input| first(input))
        .cloned()
        .collect()
}

/// A folder as it was named; one that has dots for a name, as it is called where it lies.
fn folder_name(folder: &Path, base: Option<&Path>) -> String {
    let seen = shortened(folder, base);
    let named = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let called = || named(&folder.canonicalize().ok()?);
    let shown = || seen.display().to_string();
    match named(seen) {
        Some(_) => shown().trim_end_matches('/').to_owned(),
        None => called().unwrap_or_else(shown),
    }
}

fn digest(path: &Path, name: &Path) -> Result<Inputs, Error> {
    let named = Inputs {
        path: name.display().to_string(),
        ..Inputs::default()
    };
    if !parts::is_object(path) {
        let sha256 = formats::files::sha256(path)?;
        return Ok(Inputs { sha256, ..named });
    }
    let stored = parts::stored(path)?;
    Ok(Inputs {
        size: Some(stored.size),
        etag: stored.etag,
        version: stored.version,
        ..named
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_folder_say_which_folder_was_given() {
        let desk = tempfile::tempdir().unwrap();
        let (folder, alone) = (desk.path().join("hive"), desk.path().join("one.csv"));
        std::fs::create_dir_all(folder.join("day=1")).unwrap();
        std::fs::write(folder.join("day=1/p.parquet"), "x").unwrap();
        std::fs::write(&alone, "x").unwrap();
        let inputs = digests([folder.clone(), alone], Some(desk.path())).unwrap();
        let told: Vec<_> = (inputs.iter())
            .map(|input| (input.path.as_str(), input.folder.as_deref()))
            .collect();
        let part = ("hive/day=1/p.parquet", Some("hive"));
        assert_eq!(told, [part, ("one.csv", None)]);
        let dots = folder_name(&folder.join("day=1/.."), None);
        assert_eq!(dots, "hive");
    }
}
