//! A few-shot audit of features that a program holds in memory, with a model that it tunes itself.

use std::path::Path;

use attacks::fewshot::WhiteBox;
use base::Progress;
use formats::features::{Draft, SORTED};
use judge::Truth;
use serde::Deserialize;

use super::attack::EpisodeRequest;
use super::settings::EpisodeSettings;
use super::{Fewshot, KnownRecords};
use crate::Result;
use crate::pipeline::{Audit, AuditOptions};

/// What a program asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutsideEpisodes {
    pub audit: AuditOptions,
    #[serde(default)]
    pub seed: u64,
    pub episodes: EpisodeSettings,
    /// What the features are; sorted probabilities are made of logits here.
    pub layer: String,
    /// What the model is, in words.
    pub about: String,
    /// What gives this report again.
    pub command: String,
    pub date: Option<String>,
}

/// What it holds.
pub struct EpisodesGiven {
    pub width: usize,
    /// Features, record by record.
    pub features: Vec<f64>,
    pub members: Vec<bool>,
    /// The model, for attacks that change its weights.
    pub model: Option<Box<dyn WhiteBox + Send>>,
}

impl OutsideEpisodes {
    /// Attacks, judges and reports.
    pub fn run(self, given: EpisodesGiven, progress: Progress<'_>) -> Result<Audit> {
        let resolved = self.audit.resolve::<Fewshot>()?;
        let (sorted, place) = (self.layer == SORTED, Path::new(""));
        let table = Draft {
            format: "memory",
            layer: self.layer,
            width: given.width,
            values: given.features,
            members: None,
            ids: None,
            models: 1,
            others: Vec::new(),
        }
        .finish(place)?;
        let table = match sorted {
            true => table.sorted_probabilities(place)?,
            false => table,
        };
        let truth = Truth::new(given.members)?;
        let about = self.about;
        let subject = KnownRecords::given(table, truth, given.model.map(|model| (model, about)));
        let rule = self.audit.false_positive_rule()?;
        let records = subject.truth.len();
        let context = (self.audit).context(&resolved, records, self.seed, self.command, Vec::new());
        let request = EpisodeRequest {
            design: self.episodes.design(rule, self.seed),
            context,
            attacks: resolved.attacks,
            subject,
        };
        let mut audit = request.run(progress)?;
        audit.report.provenance.date = self.date;
        Ok(audit)
    }
}
