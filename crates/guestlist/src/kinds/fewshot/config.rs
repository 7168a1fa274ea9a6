//! `guestlist.toml` of kind fewshot, read and checked as far as it can be without an attack.

use std::path::{Path, PathBuf};

use attacks::fewshot::EpisodeAttack;
use serde::Deserialize;

use super::Subject;
use super::settings::EpisodeSettings;
use crate::Error;
use crate::kinds::classifier::config::{self, Kind, RunFolder};
use crate::pipeline::{Granted, Wishes};

/// The configuration of a few-shot audit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FewShotConfig {
    pub kind: Kind,
    #[serde(default)]
    pub seed: u64,
    pub features: FeatureSettings,
    #[serde(default)]
    pub episodes: EpisodeSettings,
    #[serde(default)]
    pub run: RunFolder,
    #[serde(default)]
    pub audit: Wishes,
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
pub struct Checked {
    pub config: FewShotConfig,
    pub base: PathBuf,
    pub granted: Granted<&'static dyn EpisodeAttack>,
    pub subject: Subject,
}

impl Checked {
    pub fn read(path: &Path) -> Result<Self, Error> {
        let config: FewShotConfig = config::parse(path)?;
        let base = config::base(path);
        let granted = config.audit.grant_episodes()?;
        let subject = config.features.open(&base)?;
        config.episodes.design(config.seed).check(&subject.truth)?;
        Ok(Self {
            config,
            base,
            granted,
            subject,
        })
    }

    /// The folder of results.
    pub fn folder(&self) -> PathBuf {
        config::seen_from(&self.base, &self.config.run.folder)
    }
}

impl FeatureSettings {
    fn open(&self, base: &Path) -> Result<Subject, Error> {
        let wanted = formats::features::Wanted {
            layer: self.layer.clone(),
            target: self.target,
        };
        let members = self.members.as_ref().map(|path| base.join(path));
        match (&self.file, &self.run) {
            (Some(file), None) => Subject::open(&base.join(file), &wanted, members.as_deref()),
            (None, Some(run)) => Subject::open(&base.join(run), &wanted, members.as_deref()),
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
