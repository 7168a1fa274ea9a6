//! What is asked about an audit of a retrieval service beside its measures.

mod crossfit;
mod power;
mod topics;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use crossfit::cross_fitted;
pub use power::{minimum_detectable_auc, needed_for};
pub use topics::{Topics, compare_topics};

use crate::measure::PairedDifference;

/// Facts about the exchanges that guardrails look at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProbeFacts {
    /// Questions in the arm with retrieval, and those without an answer, by why.
    pub asked: usize,
    pub failed: BTreeMap<String, usize>,
    /// Kinds of answers with retrieval: of members, and of non-members.
    pub kinds: BTreeMap<String, [usize; 2]>,
    /// Questions about the document in the middle, by strategy.
    pub variations: BTreeMap<String, usize>,
    pub repeats: Option<Repeats>,
    /// Absent where no answer shows any source.
    pub hits: Option<Hits>,
    /// Where the configuration says that answers show sources.
    #[serde(default)]
    pub sources_named: SourcesNamed,
    /// The gated attack with and without retrieval.
    pub without_retrieval: Option<Without>,
    /// The gated attack weighs answers with retrieval against answers without.
    #[serde(default)]
    pub compares_arms: bool,
    pub topics: Option<Topics>,
    /// Absent where no source was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echoes: Option<Echoes>,
}

/// Documents that the model itself is said to know, and those of them whose answers mostly repeat
/// the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Echoes {
    pub called: usize,
    pub echoes: usize,
}

/// Whether the configuration names where sources are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourcesNamed {
    #[default]
    No,
    /// By a preset: the service may hide them.
    ByPreset,
    /// By whoever wrote it.
    ByHand,
}

/// The same questions asked again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Repeats {
    pub asked: usize,
    /// Answers that were not word for word the same.
    pub changed: usize,
}

/// Documents that were seen among the sources of at least one answer, where sources are visible.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hits {
    pub members: usize,
    pub members_seen: usize,
    pub nonmembers: usize,
    pub nonmembers_seen: usize,
    /// The first non-member that the service itself shows.
    pub example: Option<usize>,
}

/// What the gated attack reaches when the store is not asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Without {
    pub attack: String,
    pub auc: f64,
    pub low: f64,
    pub high: f64,
    pub difference: Option<PairedDifference>,
}

impl ProbeFacts {
    pub fn failures(&self) -> usize {
        self.failed.values().sum()
    }
}
