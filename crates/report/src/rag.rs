//! What was asked of a retrieval service and what came back: the part of a report that is special
//! to services that answer from a store.

use std::collections::BTreeMap;

use judge::measure::{Auc, PairedDifference};
use serde::{Deserialize, Serialize};

use crate::document::Data;
use crate::particulars::{INTERVALS, MEASURES, Particulars};

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
    /// What attacks reach on the same answers as a changed service would have given them; only where
    /// the audit fails, and of changes that would have altered an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ReplayedChange>,
    /// Members that scored highest under the gated attack, with an exchange that shows why; none
    /// where records are not shown.
    pub exposed: Vec<Exposed>,
    /// The same under the names of the threat specification of retrieval services; reports of earlier
    /// versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub specification: Option<Box<Specification>>,
}

/// What the threat specification asks for, under its own names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Specification {
    /// Of the deciding attack, over all documents that it judged.
    pub membership_auc: f64,
    pub threshold: f64,
    /// Whether `membership_auc` is below the threshold. The verdict asks more than this.
    pub pass: bool,
    /// The interval of DeLong, and the stratified bootstrap's where it was asked for.
    pub delong: [f64; 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<[f64; 2]>,
    pub bootstrap_replicates: usize,
    /// Characters of an answer.
    pub response_length: Option<Extracted>,
    /// ln(1 + phrases that sound sure).
    pub confidence_phrases: Option<Extracted>,
    /// ln(1 + numbers, names and rare words of the document that the question had not).
    pub specificity_score: Option<Extracted>,
    /// The share of answers that name the document as a source.
    pub citation_present: Option<Extracted>,
}

/// The mean of a signal over the answers about a document, and how well it tells members apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Extracted {
    pub members: f64,
    pub non_members: f64,
    pub auc: Auc,
}

/// What it cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Requests {
    /// Documents that were to be asked about, and those of them about which everything was asked: these are
    /// judged. None in reports of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<DocumentsAsked>,
    /// Different questions, both arms and repeats.
    pub questions: usize,
    /// Further questions that earlier answers made needless.
    #[serde(default)]
    pub spared: usize,
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

/// Why not all documents were asked about, where they were not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DocumentsAsked {
    pub planned: usize,
    pub asked: usize,
    /// In a few words: `budget spent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

impl std::fmt::Display for DocumentsAsked {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} of {} documents asked", self.asked, self.planned)?;
        match &self.ended {
            Some(why) => write!(out, ", {why}"),
            None => Ok(()),
        }
    }
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

/// A change of the service whose effect can be told from the answers that it gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Answers come without the sources beside them; their words stay.
    WithoutSources,
    /// Every refusal, filter's message, empty answer and "I don't know" is one and the same sentence.
    EqualRefusals,
    Both,
}

impl std::fmt::Display for Change {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Change::WithoutSources => "without sources",
            Change::EqualRefusals => "one refusal for all",
            Change::Both => "both",
        })
    }
}

/// The attacks on the answers of a changed service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReplayedChange {
    pub change: Change,
    /// Answers with retrieval that are others then.
    pub altered: usize,
    /// Those that can still judge documents.
    pub attacks: Vec<ReplayedAttack>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReplayedAttack {
    pub id: String,
    /// Of `refusals` in the direction that tells more: which one that is, the change decides.
    pub auc: Auc,
}

impl ReplayedChange {
    /// The best that an attacker can do then.
    pub fn strongest(&self) -> Option<&ReplayedAttack> {
        let attacks = self.attacks.iter();
        attacks.max_by(|a, b| a.auc.value.total_cmp(&b.auc.value))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Exposed {
    pub document: String,
    pub score: f64,
    pub strategy: String,
    pub query: String,
    pub answer: String,
}

impl Particulars for Rag {
    fn question(&self) -> &str {
        "The question: from what the service answers, can somebody tell whether a document is in \
         its store? A member is a document that is."
    }

    fn hints(&self) -> &'static [&'static str] {
        &[
            MEASURES,
            INTERVALS,
            "What the service says about a document with its retrieval off is no leak of the store: \
             the difference between both is.",
            "Each exposed document below opens to the question and the answer that gave it away. \
             Both are shown as text; nothing in them is a link.",
        ]
    }

    fn glossary(&self) -> &'static [&'static str] {
        &[
            "auc",
            "tpr-at-fpr",
            "balanced-accuracy",
            "advantage",
            "log-mia",
            "epsilon",
            "verdict",
            "hit-rate",
        ]
    }

    fn judged(&self, data: &Data, counts: &str) -> String {
        let (records, answered) = (data.judged_records, self.requests.answered);
        format!("{records} documents {counts} by {answered} answers")
    }

    fn withhold(&mut self) {
        self.exposed.clear();
    }
}
