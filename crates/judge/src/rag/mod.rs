//! What is asked about an audit of a retrieval service beside its measures.

mod topics;
mod unlike;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use topics::{Topics, compare_topics};
pub use unlike::chance_of_so_unlike;

use crate::compare::fisher::{Count, fisher};
use crate::measure::{Auc, PairedDifference};

/// Facts about the exchanges that guardrails look at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProbeFacts {
    /// Questions in the arm with retrieval, and those without an answer, by why.
    pub asked: usize,
    pub failed: BTreeMap<String, usize>,
    /// The same about members, and about non-members; absent where none failed, and in earlier reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_about: Option<[usize; 2]>,
    /// Kinds of answers with retrieval: of members, and of non-members.
    pub kinds: BTreeMap<String, [usize; 2]>,
    /// Questions about the document in the middle, by strategy.
    pub variations: BTreeMap<String, usize>,
    pub repeats: Option<Repeats>,
    /// Absent where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<CutShort>,
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
    /// How well the share of failed questions tells members from non-members; absent where none
    /// failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failures_tell: Option<Auc>,
    /// The same of documents that were left out though it was their turn to be asked about; absent where none
    /// were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out_tells: Option<Auc>,
    /// The same of the share of answers that say nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence_tells: Option<Auc>,
    /// The same of the share of answers that bear one mark which comes again and again, chosen on half of the documents
    /// and judged on the others; absent where none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_tells: Option<ReplyTells>,
    /// The same of every signal of the answers alone, and of the sources that stand beside them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<SignalTells>,
    /// Absent where no document was asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<Reach>,
    /// Absent where none were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controls: Option<Controls>,
    /// Absent where every answer is of this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<StoredAnswers>,
}

/// A wording, a word, a source or a blank that recurs in answers, and how well it tells members from non-members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReplyTells {
    pub auc: Auc,
    /// What it says; nothing where records are not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
}

/// One thing that is seen in answers, and how well it tells members from non-members by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SignalTells {
    /// In words.
    pub what: String,
    /// The attack that reads it; nothing where none does.
    pub read_by: String,
    pub auc: Auc,
    /// Its AUC where the store was not asked; absent where nobody asked so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_retrieval: Option<f64>,
}

/// What may show that questions reached the members' documents, beside the attacks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Reach {
    /// How well it tells members apart how much of a document comes back that the question did not
    /// hold; less what comes back without retrieval, where that was asked.
    pub overlap: Option<Auc>,
    /// The same of being seen among the sources of answers, where sources are visible.
    pub sources: Option<Auc>,
    /// Answers with retrieval, and how many of them are word for word the commonest.
    pub answers: usize,
    pub commonest: usize,
    /// Documents that came back word for word; absent where no text is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verbatim: Option<Verbatim>,
}

/// Documents, and those of which a run of words came back that no question had.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Verbatim {
    pub members: usize,
    pub members_seen: usize,
    pub nonmembers: usize,
    pub nonmembers_seen: usize,
}

impl Verbatim {
    /// The chance that as many fall on members by luck alone, where they fall on nobody else (Fisher's exact test,
    /// both sides); nothing where others come back as well.
    pub fn chance_of_members_alone(&self) -> Option<f64> {
        if self.nonmembers_seen > 0 || self.members_seen == 0 {
            return None;
        }
        let count = |caught: usize, of: usize| Count {
            caught: caught as u64,
            of: of as u64,
        };
        let others = count(0, self.nonmembers);
        let one_sided = fisher(others, count(self.members_seen, self.members));
        Some((2.0 * one_sided).min(1.0))
    }
}

/// Documents with invented facts that the owner put into the store, and how many were found again.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Controls {
    pub documents: usize,
    pub found: usize,
    /// Of which no question was answered.
    pub unanswered: usize,
    /// Questions that had found theirs and were asked once more, between other questions and at the end, and those
    /// of them that did not find it any more; reports of earlier versions have none.
    #[serde(default)]
    pub asked_later: usize,
    #[serde(default)]
    pub lost_later: usize,
}

/// Answers of an earlier run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StoredAnswers {
    pub reused: usize,
    /// The day of the oldest.
    pub since: String,
    /// Of them, asked once more in this run and found alike; and the requests that this took.
    pub asked_again: usize,
    pub sent: u64,
    /// Of those asked again, the ones with other words; and the same of answers to one question on one day.
    #[serde(default)]
    pub reworded: usize,
    #[serde(default)]
    pub reworded_on_one_day: usize,
    /// As many had to be asked again for a change to show; reports of earlier versions do not say.
    #[serde(default)]
    pub wanted: usize,
    /// How well it tells members from non-members about whom any are stored; absent where they are about all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored_tells: Option<Auc>,
    /// The user wanted nobody to be asked.
    pub replayed: bool,
}

impl StoredAnswers {
    /// How many there are, and how old.
    pub fn told(&self) -> String {
        format!(
            "{} answers are from the store, the oldest of {}",
            self.reused, self.since
        )
    }

    /// Whether so many were asked again that a change of the service would have shown.
    pub fn are_seen_again(&self) -> bool {
        self.asked_again > 0 && self.asked_again >= self.wanted
    }
}

impl Controls {
    /// Half are enough: an invented fact cannot be guessed, but a filter may keep a few back.
    pub fn are_found(&self) -> bool {
        self.found > 0 && 2 * self.found >= self.documents
    }

    /// Of what was found at first, most is found later: one in four may be lost to a filter or to a failure.
    pub fn are_kept(&self) -> bool {
        4 * self.lost_later <= self.asked_later
    }
}

/// Documents that the model itself is said to know, and those of them whose answers mostly repeat
/// the input.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Echoes {
    pub called: usize,
    pub echoes: usize,
}

/// Whether the configuration names where sources are.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Repeats {
    pub asked: usize,
    /// Answers that were not word for word the same.
    pub changed: usize,
    /// Absent where the second answers were not compared with the documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tells: Option<AgainTells>,
}

/// What a second answer shows beyond the first, by what it tells members apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AgainTells {
    /// In words, of the second answer.
    pub what: String,
    pub auc: f64,
    /// How often chance shows as much, over all that was looked at.
    pub p: f64,
}

/// Answers, and those of them of which the service says that they reached its limit.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct CutShort {
    pub answers: usize,
    pub cut_short: usize,
    /// Those of which the beginning alone was kept here, for they are too long.
    #[serde(default)]
    pub shortened: usize,
}

/// Documents that were seen among the sources of at least one answer, where sources are visible.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Hits {
    pub members: usize,
    pub members_seen: usize,
    pub nonmembers: usize,
    pub nonmembers_seen: usize,
    /// The first non-member that the service itself shows.
    pub example: Option<usize>,
    /// Members that are seen more often in answers to their own questions than in answers to those of another
    /// document, and members of which it is the other way round.
    #[serde(default)]
    pub own: usize,
    #[serde(default)]
    pub elsewhere: usize,
    /// Members that were looked for in both kinds of answers.
    #[serde(default)]
    pub compared: usize,
}

/// What the gated attack reaches when the store is not asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
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
