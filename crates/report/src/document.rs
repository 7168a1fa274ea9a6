//! The report document: what `report.json` holds, key by key.

use std::collections::BTreeMap;

use judge::diagnostics::Diagnostics;
use judge::guardrails::Finding;
use judge::records::Records;
use judge::summary::AttackSummary;
use judge::verdict::Verdict;
use judge::{AttackMeasures, Options};
use serde::{Deserialize, Serialize};

use crate::classifier::Training;
use crate::fewshot::FewShot;
use crate::lm::{Checkpoint, Language};
use crate::rag::Retrieval;
use crate::shown::Typical;
use crate::source::Source;

/// The name and major version of the document. Keys may be added within a version.
pub const SCHEMA: &str = "guestlist.report/1";

/// An audit's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub schema: String,
    pub verdict: Verdict,
    pub guardrails: Vec<Finding>,
    /// In the order of the registry.
    pub attacks: Vec<AttackMeasures>,
    /// Attacks that were asked for and could not run.
    pub skipped: Vec<Skipped>,
    pub replicates: Option<Replicates>,
    pub scaling: Vec<ScalingPoint>,
    /// What was looked at beside the measures; reports of earlier versions have none.
    #[serde(default, skip_serializing_if = "Diagnostics::is_empty")]
    pub diagnostics: Diagnostics,
    /// The records that the gated attack exposes most; reports of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<Records>,
    /// What in the texts alone tells members from non-members, where records are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical: Option<Typical>,
    /// What else a reader should know, such as that data are synthetic.
    pub notes: Vec<Note>,
    /// How the models were trained, where the audit trained them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<Training>,
    /// Which language models scored the texts, where the audit asked them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// The same audit of other checkpoints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<Checkpoint>,
    /// What was asked of a retrieval service, where that is what was audited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieval: Option<Retrieval>,
    /// Where the service's answers come from, where that is what was audited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Episodes, where the attacker knew the membership of a few records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fewshot: Option<FewShot>,
    pub provenance: Provenance,
}

pub type Note = String;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skipped {
    pub id: String,
    pub reason: String,
}

/// The same audit with several models in the target's place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replicates {
    pub targets: Vec<usize>,
    pub shadows: usize,
    pub attacks: Vec<AttackSummary>,
}

/// The same audit with fewer shadows, over the same targets as the replicates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingPoint {
    pub shadows: usize,
    pub attacks: Vec<AttackSummary>,
}

/// What is needed to do it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    pub version: String,
    pub command: String,
    pub seed: u64,
    pub inputs: Vec<Inputs>,
    pub data: Slice,
    /// Every attack setting in force.
    pub settings: BTreeMap<String, String>,
    pub measuring: Options,
}

/// One file that was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inputs {
    pub path: String,
    pub sha256: String,
}

/// Which part of the input was judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    pub format: String,
    /// None where scores were made elsewhere.
    pub models: usize,
    pub records: usize,
    pub augmentations: usize,
    pub target: usize,
    pub shadows: usize,
    /// Records the measures are of: fewer than all when some were held out for choosing.
    pub judged_records: usize,
    pub judged_members: usize,
    /// Predicted tokens, where the records are texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
}

impl Report {
    /// A verdict and where it came from; an audit adds what else it found.
    pub fn new(verdict: Verdict, provenance: Provenance) -> Self {
        Report {
            schema: SCHEMA.into(),
            verdict,
            guardrails: Vec::new(),
            attacks: Vec::new(),
            skipped: Vec::new(),
            replicates: None,
            scaling: Vec::new(),
            diagnostics: Diagnostics::default(),
            records: None,
            typical: None,
            notes: Vec::new(),
            training: None,
            language: None,
            checkpoints: Vec::new(),
            retrieval: None,
            source: None,
            fewshot: None,
            provenance,
        }
    }

    /// The document as text, ending in a line feed.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        crate::json::pretty(self)
    }

    /// Reads a document back; refuses another schema in words.
    pub fn from_json(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Head {
            schema: String,
        }
        let head: Head = serde_json::from_str(text)
            .map_err(|error| format!("is not a guestlist report: {error}"))?;
        if head.schema != SCHEMA {
            return Err(format!(
                "has schema {} but this version reads {SCHEMA}",
                crate::printable(&head.schema)
            ));
        }
        let report: Report =
            serde_json::from_str(text).map_err(|error| format!("is a damaged report: {error}"))?;
        if let Some(id) = report.ids().find(|id| !is_plain(id)) {
            let shown = crate::printable(id);
            return Err(format!(
                "names an attack or guardrail {shown:?}, which none of ours is"
            ));
        }
        Ok(report)
    }

    /// What was audited. Reports of different kinds have nothing to compare.
    pub fn kind(&self) -> &'static str {
        if self.source.is_some() {
            return "the sources of a service's answers";
        }
        match (&self.retrieval, self.provenance.data.tokens) {
            (Some(_), _) => "a retrieval service",
            (None, Some(_)) => "a language model",
            (None, None) if self.fewshot.is_some() => "a classifier, few-shot",
            (None, None) if self.provenance.data.models == 0 => "scores made elsewhere",
            (None, None) => "a classifier",
        }
    }

    /// The attacks that could not run, those with one reason together.
    pub fn skipped_by_reason(&self) -> Vec<(String, &str)> {
        let mut reasons: Vec<(String, &str)> = Vec::new();
        for Skipped { id, reason } in &self.skipped {
            match reasons.iter_mut().find(|(_, known)| known == reason) {
                Some((ids, _)) => *ids += &format!(", {id}"),
                None => reasons.push((id.clone(), reason)),
            }
        }
        reasons
    }

    /// Every name that renderers print as it is.
    fn ids(&self) -> impl Iterator<Item = &str> {
        let attacks = self.attacks.iter().map(|attack| &attack.id);
        let skipped = self.skipped.iter().map(|skipped| &skipped.id);
        let findings = self.guardrails.iter().map(|finding| &finding.id);
        let repeated = self
            .replicates
            .iter()
            .flat_map(|replicates| &replicates.attacks);
        let scaled = self.scaling.iter().flat_map(|point| &point.attacks);
        let followed = self.checkpoints.iter().flat_map(|point| &point.attacks);
        let followed = followed.map(|attack| &attack.id);
        let summaries = repeated.chain(scaled).map(|summary| &summary.id);
        let few = self.fewshot.iter().flat_map(|few| &few.attacks);
        let few = few.map(|summary| &summary.attack);
        let ranking = self.records.iter().map(|records| &records.attack);
        let version = std::iter::once(&self.provenance.version);
        let all = attacks
            .chain(skipped)
            .chain(findings)
            .chain(summaries)
            .chain(followed)
            .chain(few)
            .chain(ranking)
            .chain(version);
        all.map(String::as_str)
    }

    /// Of texts, what was looked at and found in order is half of the answer.
    pub(crate) fn shows_what_is_in_order(&self) -> bool {
        self.provenance.data.tokens.is_some() || self.retrieval.is_some() || self.source.is_some()
    }

    /// The attacks from the largest AUC to the smallest; equals keep the registry's order.
    pub fn strongest_first(&self) -> Vec<&AttackMeasures> {
        let mut attacks: Vec<&AttackMeasures> = self.attacks.iter().collect();
        attacks.sort_by(|a, b| b.auc.value.total_cmp(&a.auc.value));
        attacks
    }
}

/// Letters, digits and the few marks that names have: nothing a terminal or a page acts on.
pub fn is_plain(id: &str) -> bool {
    id.chars()
        .all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c))
}
