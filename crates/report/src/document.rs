//! The report document: what `report.json` holds, key by key.

use std::collections::BTreeMap;

use judge::calls::Unknown;
use judge::canaries::CanaryFinding;
use judge::claim::ClaimFinding;
use judge::diagnostics::Diagnostics;
use judge::guardrails::Finding;
use judge::persons::Persons;
use judge::policy::PolicyFinding;
use judge::records::Records;
use judge::summary::AttackSummary;
use judge::verdict::Verdict;
use judge::{AttackMeasures, Options};
use serde::{Deserialize, Serialize};

use crate::advice::NextStep;
use crate::detail::{Detail, Kind};
use crate::shown::Typical;
use crate::upgrade;

/// The name and major version of the document. Keys may be added within a version.
pub const SCHEMA: &str = "guestlist.report/2";

/// An audit's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Report {
    pub schema: String,
    pub verdict: Verdict,
    pub guardrails: Vec<Finding>,
    /// In the order of the registry.
    pub attacks: Vec<AttackMeasures>,
    /// The same by person, where records belong to somebody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persons: Option<Persons>,
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
    /// The policy that the audit was held against, and what came of each criterion; absent where a gate
    /// alone decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyFinding>,
    /// The ε that was claimed, and what attacks say of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimFinding>,
    /// What canaries show, tier by tier and design by design; absent where the records are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canaries: Option<CanaryFinding>,
    /// What was said of records of unknown membership, in counts; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<Unknown>,
    /// What in the texts alone tells members from non-members, where records are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical: Option<Typical>,
    /// What else a reader should know, such as that data are synthetic.
    pub notes: Vec<Note>,
    /// What to do about it, what helps most first; reports of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<NextStep>,
    /// The keys `kind`, what was audited, and `detail`, what only this kind has.
    #[serde(flatten)]
    pub detail: Detail,
    pub provenance: Provenance,
}

pub type Note = String;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Skipped {
    pub id: String,
    pub reason: String,
}

/// The same audit with several models in the target's place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Replicates {
    pub targets: Vec<usize>,
    pub shadows: usize,
    pub attacks: Vec<AttackSummary>,
}

/// The same audit with fewer shadows, over the same targets as the replicates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ScalingPoint {
    pub shadows: usize,
    pub attacks: Vec<AttackSummary>,
}

/// What is needed to do it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Provenance {
    pub version: String,
    pub command: String,
    pub seed: u64,
    /// What the user calls what was audited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The day of the audit, as the user or the command line gave it. It is an input like the seed and part
    /// of the command, so that the same command gives the same report on any day: no clock is read here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    pub inputs: Vec<Inputs>,
    pub data: Data,
    /// Every attack setting in force.
    pub settings: BTreeMap<String, String>,
    pub measuring: Options,
}

/// One file that was read. Of an object in a store only some ranges were, so that there is no digest
/// of its bytes: its size and what the store calls this version of it stand in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Inputs {
    pub path: String,
    /// The folder that was given, where this file is one of those in it that are one table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sha256: String,
    /// Bytes, of an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl Inputs {
    /// What the bytes are known by: their digest, or the words of the store that they lie in.
    pub fn known_by(&self) -> String {
        if !self.sha256.is_empty() {
            return self.sha256.clone();
        }
        let said = [
            self.size.map(|size| format!("{size} bytes")),
            self.etag.as_ref().map(|etag| format!("etag {etag}")),
            self.version
                .as_ref()
                .map(|version| format!("version {version}")),
        ];
        let said: Vec<String> = said.into_iter().flatten().collect();
        format!("not read whole: {}", said.join(", "))
    }
}

/// Which part of the input was judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Data {
    pub format: String,
    pub records: usize,
    /// Records the measures are of: fewer than all when some were held out for choosing.
    pub judged_records: usize,
    pub judged_members: usize,
}

impl Report {
    /// The files that were read, less the policy, which says nothing of what was audited.
    pub(crate) fn read_of_subject(&self) -> impl Iterator<Item = &Inputs> {
        let policy = self.policy.as_ref().map(|policy| policy.sha256.as_str());
        let inputs = self.provenance.inputs.iter();
        inputs.filter(move |input| Some(input.sha256.as_str()) != policy)
    }

    /// A verdict and where it came from; an audit adds what else it found.
    pub fn new(verdict: Verdict, detail: Detail, provenance: Provenance) -> Self {
        Report {
            schema: SCHEMA.into(),
            verdict,
            guardrails: Vec::new(),
            attacks: Vec::new(),
            persons: None,
            skipped: Vec::new(),
            replicates: None,
            scaling: Vec::new(),
            diagnostics: Diagnostics::default(),
            records: None,
            policy: None,
            claim: None,
            canaries: None,
            unknown: None,
            typical: None,
            notes: Vec::new(),
            next_steps: Vec::new(),
            detail,
            provenance,
        }
    }

    /// The document as text, ending in a line feed.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        crate::json::pretty(self)
    }

    /// Reads a document back, of an earlier version too; refuses another schema in words.
    pub fn from_json(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Head {
            schema: String,
        }
        let head: Head = serde_json::from_str(text)
            .map_err(|error| format!("is not a guestlist report: {error}"))?;
        let read = match head.schema.as_str() {
            SCHEMA => serde_json::from_str(text),
            upgrade::FIRST => serde_json::from_str(text)
                .and_then(|document| serde_json::from_value(upgrade::upgrade(document))),
            other => {
                return Err(format!(
                    "has schema {} but this version reads {SCHEMA}",
                    crate::printable(other)
                ));
            }
        };
        let report: Report = read.map_err(|error| format!("is a damaged report: {error}"))?;
        if let Some(id) = report.ids().find(|id| !is_plain(id)) {
            let shown = crate::printable(id);
            return Err(format!(
                "names an attack or guardrail {shown:?}, which none of ours is"
            ));
        }
        Ok(report)
    }

    /// What was audited.
    pub fn kind(&self) -> Kind {
        self.detail.kind()
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
        let people = self.persons.iter().flat_map(|persons| &persons.attacks);
        let attacks = self.attacks.iter().chain(people).map(|attack| &attack.id);
        let skipped = self.skipped.iter().map(|skipped| &skipped.id);
        let findings = self.guardrails.iter().map(|finding| &finding.id);
        let repeated = self
            .replicates
            .iter()
            .flat_map(|replicates| &replicates.attacks);
        let scaled = self.scaling.iter().flat_map(|point| &point.attacks);
        let summaries = repeated.chain(scaled).map(|summary| &summary.id);
        let ranking = self.records.iter().map(|records| &records.attack);
        let criteria = self.policy.iter().flat_map(|policy| &policy.criteria);
        let criteria = criteria.filter_map(|criterion| criterion.attack.as_ref());
        let claim = self.claim.iter().filter_map(|claim| claim.attack.as_ref());
        let calling = self.unknown.iter().map(|unknown| &unknown.attack);
        let version = std::iter::once(&self.provenance.version);
        let all = attacks
            .chain(skipped)
            .chain(findings)
            .chain(summaries)
            .chain(ranking)
            .chain(criteria)
            .chain(claim)
            .chain(calling)
            .chain(version);
        all.map(String::as_str)
            .chain(self.detail.particulars().attacks())
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
