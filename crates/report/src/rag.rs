//! What was asked of a retrieval service and what came back: the part of a report that is special
//! to services that answer from a store.

use std::collections::BTreeMap;

use judge::measure::{Auc, PairedDifference};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Rag {
    /// The service in a line, without secrets; absent for exchanges recorded elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Models that helped to write questions or to read answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub helpers: Vec<String>,
    pub requests: Requests,
    /// Kinds of answers, with retrieval and without.
    pub answers: Vec<AnswerKinds>,
    /// How often the document itself was looked up or shown, by strategy and over all.
    pub hit_rates: Vec<HitRate>,
    /// Every attack with and without retrieval.
    pub attacks: Vec<RetrievalAttack>,
    /// Every signal's own AUC.
    pub signals: Vec<SignalMeasure>,
    /// Members that scored highest under the gated attack, with an exchange that shows why; none
    /// where records are not shown.
    pub exposed: Vec<Exposed>,
}

/// What it cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Requests {
    /// Different questions, both arms and repeats.
    pub questions: usize,
    pub answered: usize,
    /// Of those, answered by an earlier run and not asked again.
    pub from_store: usize,
    /// Requests that this run sent, tries that failed included.
    pub sent: u64,
    pub retried: u64,
    /// Not asked, because the budget was spent.
    pub not_asked: usize,
    /// Questions without an answer, by why.
    pub failed: BTreeMap<String, usize>,
    /// Tries of this run that failed, by why, whether or not another one mended it.
    #[serde(default)]
    pub faults: BTreeMap<String, usize>,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// The service reports no tokens: they are estimated from characters.
    pub tokens_estimated: bool,
    /// The days on which the answers came, the first and the last, in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<String>,
}

/// Kinds of answers in one arm: of members, of non-members.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AnswerKinds {
    pub retrieval: bool,
    pub kinds: BTreeMap<String, [usize; 2]>,
}

/// Answers whose sources held the document, of all answers about members and non-members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HitRate {
    /// `all` for every strategy together.
    pub strategy: String,
    pub members: [usize; 2],
    pub nonmembers: [usize; 2],
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RetrievalAttack {
    pub id: String,
    /// Questions per document in one arm; none for attacks that look at others' answers.
    pub requests_per_document: f64,
    /// The same attack on the answers without retrieval.
    pub without_retrieval: Option<Auc>,
    /// With less without, on documents that have both.
    pub difference: Option<PairedDifference>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SignalMeasure {
    pub strategy: String,
    pub signal: String,
    pub auc: Auc,
    pub without_retrieval: Option<Auc>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Exposed {
    pub document: String,
    pub score: f64,
    pub strategy: String,
    pub query: String,
    pub answer: String,
}
