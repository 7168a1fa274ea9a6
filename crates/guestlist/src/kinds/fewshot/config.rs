//! `guestlist.toml` of kind fewshot, read and checked as far as it can be without an attack.

use std::path::{Path, PathBuf};

use attacks::fewshot::EpisodeAttack;
use formats::records_file::RecordsFile;
use judge::fewshot::Design;
use serde::Deserialize;

use super::attack::EpisodeRequest;
use super::settings::EpisodeSettings;
use super::{Fewshot, KnownRecords};
use crate::Error;
use crate::pipeline::{AuditOptions, Place, ResolvedOptions, RunFolder, seen_from};

/// The configuration of a few-shot audit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub kind: report::Kind,
    #[serde(default)]
    pub seed: u64,
    pub features: FeatureSettings,
    #[serde(default)]
    pub episodes: EpisodeSettings,
    #[serde(default)]
    pub run: RunFolder,
    #[serde(default)]
    pub audit: AuditOptions,
}

/// Where the records' features come from: a file, or a model that was trained here.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FeatureSettings {
    pub file: Option<PathBuf>,
    /// The folder of a finished `guestlist run` of a classifier.
    pub run: Option<PathBuf>,
    pub layer: Option<String>,
    pub target: usize,
    /// Ids of members, one per line, where the file does not say who is one.
    pub members: Option<PathBuf>,
}

/// A configuration that can be run.
pub struct Plan {
    pub config: Config,
    pub place: Place,
    resolved: ResolvedOptions<&'static dyn EpisodeAttack>,
    subject: KnownRecords,
}

impl Plan {
    pub fn new(config: Config, place: Place) -> Result<Self, Error> {
        let resolved = config.audit.resolve_from::<Fewshot>(&place.base)?;
        let subject = config.features.open(&place.base)?;
        design(&config)?.check(&subject.truth)?;
        Ok(Self {
            config,
            place,
            resolved,
            subject,
        })
    }

    /// The folder of results.
    pub fn folder(&self) -> PathBuf {
        seen_from(&self.place.base, &self.config.run.folder)
    }

    /// What the judge is handed.
    pub fn request(self, command: String) -> Result<EpisodeRequest, Error> {
        let (config, subject) = (self.config, self.subject);
        let base = &self.place.base;
        let sources = subject.sources.iter().map(|path| plainly(base, path));
        let inputs = self.place.inputs(sources)?;
        let records = subject.truth.len();
        let options = &config.audit;
        let mut context = options.context(&self.resolved, records, config.seed, command, inputs);
        let file = config.features.file.as_ref();
        context.slicing = match file {
            Some(file) => {
                let file = RecordsFile::own(&self.place.base.join(file));
                context.slicing.read_table(&file)?
            }
            None => context.slicing,
        };
        subject.tell_left_out(&mut context)?;
        Ok(EpisodeRequest {
            design: design(&config)?,
            context,
            attacks: self.resolved.attacks,
            subject,
        })
    }
}

/// A file as seen from the configuration, where it is the same one: a run names its data from the root of the disk
/// and by way of its own folder.
pub(super) fn plainly(base: &Path, path: &Path) -> PathBuf {
    let seen = || {
        let here = match base.as_os_str().is_empty() {
            true => Path::new("."),
            false => base,
        };
        let file = path.parent()?.canonicalize().ok()?.join(path.file_name()?);
        let inside = file.strip_prefix(here.canonicalize().ok()?).ok()?;
        Some(base.join(inside))
    };
    match path.is_absolute() {
        true => seen().unwrap_or_else(|| path.to_owned()),
        false => path.to_owned(),
    }
}

fn design(config: &Config) -> Result<Design, Error> {
    let rule = config.audit.false_positive_rule()?;
    Ok(config.episodes.design(rule, config.seed))
}

impl FeatureSettings {
    fn open(&self, base: &Path) -> Result<KnownRecords, Error> {
        let wanted = formats::features::Wanted {
            layer: self.layer.clone(),
            target: self.target,
        };
        let members = self.members.as_ref().map(|path| base.join(path));
        match (&self.file, &self.run) {
            (Some(file), None) => KnownRecords::open(&base.join(file), &wanted, members.as_deref()),
            (None, Some(run)) => KnownRecords::open(&base.join(run), &wanted, members.as_deref()),
            (Some(_), Some(_)) => Err(Error::usage(
                "features.file and features.run are both there",
                "features come from one of them: remove the other",
            )),
            (None, None) => Err(Error::usage(
                "[features] names neither file nor run",
                "set features.file to an npz, npy or Parquet file, or features.run to the folder of \
                 a finished `guestlist run` of a classifier",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_of_a_run_are_named_as_seen_from_the_configuration() {
        let desk = tempfile::tempdir().unwrap();
        let base = desk.path();
        std::fs::create_dir(base.join("model")).unwrap();
        std::fs::write(base.join("digits.csv"), "x").unwrap();
        let around = base.join("model/../digits.csv");
        assert_eq!(plainly(base, &around), base.join("digits.csv"));
        let inputs = crate::pipeline::digests([plainly(base, &around)], Some(base)).unwrap();
        assert_eq!(inputs[0].path, "digits.csv");
        // What lies elsewhere, or nowhere, keeps its name.
        for other in ["/nowhere/at/all.csv", "model/../digits.csv"] {
            assert_eq!(plainly(base, Path::new(other)), Path::new(other));
        }
    }
}
