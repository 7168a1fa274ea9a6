//! The measuring: audits as `guestlist audit` makes them, and what is kept of their reports.

use base::Progress;
use judge::AttackMeasures;
use judge::fewshot::Summary;
use judge::measure::{Auc, LogMia, TprAtFpr};
use report::{Detail, Report, Skipped};
use serde::{Deserialize, Serialize};

use super::readied::{Readied, WHOLE};
use crate::kinds::Kind;
use crate::kinds::classifier::Classifier;
use crate::kinds::classifier::attack::ShadowRequest;
use crate::kinds::fewshot::Fewshot;
use crate::kinds::fewshot::attack::EpisodeRequest;
use crate::study::{Doubt, doubts};
use crate::{Error, Result};

/// One model of one data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetMeasured {
    pub name: String,
    /// Which of the models it is.
    pub target: usize,
    pub models: usize,
    pub records: usize,
    pub members: usize,
    /// The model in words, where its weights were at hand.
    pub at_hand: Option<String>,
    /// What attacks that see all reach.
    pub whole: Vec<Pooled>,
    /// Shadow models that these had.
    pub shadows: usize,
    /// Those that could not run, and why.
    pub skipped: Vec<Skipped>,
    pub layers: Vec<LayerMeasured>,
    /// What audits find against the data, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
}

/// Few-shot attacks from one layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerMeasured {
    pub layer: String,
    /// Numbers per record.
    pub width: usize,
    /// Every record's score in the first run that asked about it.
    pub attacks: Vec<Pooled>,
    /// Means over the runs.
    pub episodes: Vec<Summary>,
}

/// One attack on all records at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pooled {
    pub id: String,
    pub n_members: u64,
    pub n_nonmembers: u64,
    pub auc: Auc,
    pub tpr_at_fpr: Vec<TprAtFpr>,
    pub log_mia: LogMia,
}

impl From<AttackMeasures> for Pooled {
    fn from(found: AttackMeasures) -> Self {
        Self {
            id: found.id,
            n_members: found.n_members,
            n_nonmembers: found.n_nonmembers,
            auc: found.auc,
            tpr_at_fpr: found.tpr_at_fpr,
            log_mia: found.log_mia,
        }
    }
}

pub fn measure(readied: Readied, progress: Progress<'_>) -> Result<SetMeasured> {
    let Readied {
        name,
        target,
        layers,
        whole,
        asked_for_whole,
    } = readied;
    let mut set = SetMeasured {
        name,
        target,
        models: 1,
        records: 0,
        members: 0,
        at_hand: None,
        whole: Vec::new(),
        shadows: 0,
        skipped: Vec::new(),
        layers: Vec::new(),
        doubts: Vec::new(),
    };
    if let Some(request) = whole {
        progress.note(&format!("{}: {}", set.name, WHOLE.join(" and ")));
        match set.take_whole(request, progress) {
            Err(error) if asked_for_whole || error.is_interruption() => return Err(error),
            Err(error) => set.skip_whole(&error),
            Ok(()) => {}
        }
    }
    for request in layers {
        let layer = &request.subject.table.layer;
        progress.note(&format!("{}: few-shot attacks from {layer}", set.name));
        set.take_layer(request, progress)?;
    }
    doubts::tell(&set.name, &set.doubts, progress);
    Ok(set)
}

impl SetMeasured {
    fn take_whole(&mut self, request: ShadowRequest, progress: Progress<'_>) -> Result<()> {
        let table = &request.table;
        let (signals, _) = table.signals(request.target, table.models() - 1)?;
        self.shadows = signals.shadows.len();
        let report = Classifier::attack(request, progress)?.report;
        self.doubt(&report);
        self.skipped = report.skipped.clone();
        self.whole = pooled(report);
        Ok(())
    }

    fn doubt(&mut self, report: &Report) {
        for doubt in doubts::of(report) {
            if !self.doubts.contains(&doubt) {
                self.doubts.push(doubt);
            }
        }
    }

    /// Data that are shadow signals by the look of them, and cannot be judged as such.
    fn skip_whole(&mut self, error: &Error) {
        let skipped = WHOLE.map(|id| Skipped {
            id: id.to_owned(),
            reason: error.message.clone(),
        });
        self.skipped = skipped.into();
    }

    fn take_layer(&mut self, request: EpisodeRequest, progress: Progress<'_>) -> Result<()> {
        let (subject, truth) = (&request.subject, &request.subject.truth);
        let (table, model) = (&subject.table, &subject.model);
        self.models = table.models;
        (self.records, self.members) = (truth.len(), truth.members());
        self.at_hand = model.as_ref().map(|model| model.about().to_owned());
        let (layer, width) = (table.layer.clone(), table.features.width());
        let report = Fewshot::attack(request, progress)?.report;
        self.doubt(&report);
        let episodes = match &report.detail {
            Detail::Fewshot(detail) => detail.attacks.clone(),
            _ => Vec::new(),
        };
        self.layers.push(LayerMeasured {
            layer,
            width,
            attacks: pooled(report),
            episodes,
        });
        Ok(())
    }
}

fn pooled(report: Report) -> Vec<Pooled> {
    report.attacks.into_iter().map(Pooled::from).collect()
}
