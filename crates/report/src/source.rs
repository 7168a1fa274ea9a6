//! Where a service's answers come from: the part of a report that is special to audits of sources.

use std::collections::BTreeMap;

use judge::source::{Evaluation, Mean, Shuffled};
use serde::{Deserialize, Serialize};

use crate::document::Data;
use crate::particulars::{INTERVALS, MEASURES, Particulars};

use crate::rag::Requests;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Source {
    /// The service in a line, without secrets.
    pub service: String,
    pub off_arm: OffArm,
    /// Who described pictures, and what that took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captioner: Option<Captioner>,
    pub method: Method,
    pub requests: Requests,
    /// Every item, in its order.
    pub documents: Vec<Attributed>,
    /// How many documents and words were called what.
    pub labels: Vec<LabelCount>,
    /// Documents called pretrained whose answers without retrieval mostly repeat the input.
    #[serde(default)]
    pub echoes: usize,
    /// Items without a label, by why.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub abstained: BTreeMap<String, usize>,
    /// Absent where no source is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluation>,
    /// The accuracy of the same labels on shuffled items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shuffled: Option<Shuffled>,
    pub paper: PaperMeasures,
    pub stopping: Stopping,
    pub sweeps: Sweeps,
    /// How often words are called where there is nothing to find, for texts like these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nulls: Option<NullTable>,
}

/// Who answered without retrieval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum OffArm {
    /// The service itself, with its retrieval switched off.
    Switch,
    /// Another endpoint, in its place.
    StandIn { service: String },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Captioner {
    pub service: String,
    pub captions: usize,
    /// Of the captions that documents are labelled by.
    pub noise: f64,
    pub requests: Requests,
}

/// How sources were told apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Method {
    /// `calibrated`, `paper` or `fixed`.
    pub mode: String,
    /// Where they are fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tau: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band: Option<f64>,
    pub level: f64,
    /// Each look at the answers has this share of the level.
    pub level_of_a_look: f64,
    pub perturbations: usize,
    pub perturbation: String,
    pub keep: f64,
    pub reference: String,
    pub similarity: String,
    pub penalty: f64,
    pub length_weight: f64,
    pub similarity_weight: f64,
}

/// One item and what it was called.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Attributed {
    /// From 0, in the order of `scores.parquet`; reports of earlier versions have none.
    #[serde(default)]
    pub row: usize,
    /// Absent where records are not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Where it came from, where that is known and records are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Nothing where too little was heard; `why` says it.
    pub label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Σβ without retrieval and Σ ADS, their p-values, and both in standard deviations over
    /// permutations; null where these have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totals: Option<Totals>,
    /// How much of the text came back; absent where no word was hidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words_back: Option<WordsBack>,
    /// Perturbed inputs that were asked, and those answered in both arms.
    pub rows_asked: usize,
    pub rows: usize,
    /// Its labels were settled before all inputs were asked.
    pub settled: bool,
    /// The thresholds that words were held against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tau: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band: Option<f64>,
    /// Of the first documents alone, where records are shown; attributions.jsonl has all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<Token>,
}

impl Attributed {
    /// Without what says which text it is, what stands in it, and where it came from.
    pub(crate) fn withhold(&mut self) {
        self.id = None;
        self.source = None;
        self.tokens.clear();
    }

    /// As a reader knows it.
    pub fn name(&self) -> String {
        self.id.clone().unwrap_or_else(|| self.row.to_string())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Totals {
    pub off: f64,
    pub ads: f64,
    pub off_p: f64,
    pub ads_p: f64,
    pub off_z: Option<f64>,
    pub ads_z: Option<f64>,
}

/// Shares of the text's words that answers hold: of those that the input showed, and of those that it
/// hid; with retrieval and without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct WordsBack {
    pub shown_on: f64,
    pub hidden_on: f64,
    pub shown_off: f64,
    pub hidden_off: f64,
}

/// One key word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Token {
    pub word: String,
    pub beta_on: f64,
    pub beta_off: f64,
    pub ads: f64,
    pub label: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LabelCount {
    pub label: String,
    pub documents: usize,
    pub tokens: usize,
}

/// What the paper reports, under its names, over documents that were retrieved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PaperMeasures {
    /// "ACC": a cosine, by this measure.
    pub acc: Option<Mean>,
    pub acc_by: String,
    pub coverage: Option<Mean>,
}

/// What early stopping saved, and whether it changed labels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Stopping {
    pub on: bool,
    /// Questions in both arms, were all texts asked in full; those that were asked; the rest.
    pub planned: usize,
    pub asked: usize,
    pub saved: usize,
    /// Documents that were left alone early.
    pub stopped: usize,
    /// Documents asked in full although they were settled, and how often their labels stayed.
    pub checked: usize,
    pub document_agreement: Option<f64>,
    pub token_agreement: Option<f64>,
}

/// The same answers judged otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Sweeps {
    /// With the first so many inputs, of documents that were asked in full.
    pub rows: Vec<SweepPoint>,
    /// With τ and the band fixed at a value, the same for all documents.
    pub fixed: Vec<SweepPoint>,
    /// With thresholds calibrated at a level.
    pub calibrated: Vec<SweepPoint>,
    /// With captions through so much noise.
    pub noise: Vec<SweepPoint>,
}

impl Sweeps {
    pub fn is_empty(&self) -> bool {
        let all = [&self.rows, &self.fixed, &self.calibrated, &self.noise];
        all.iter().all(|points| points.is_empty())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SweepPoint {
    pub at: f64,
    pub n: u64,
    pub accuracy: f64,
    pub low: f64,
    pub high: f64,
    pub macro_f1: f64,
    /// Of the same labels on shuffled items.
    pub chance: f64,
}

/// Words and documents called in made-up texts that nothing brings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NullTable {
    pub length: usize,
    pub rows: usize,
    pub documents: usize,
    pub level: f64,
    /// The share of words that a copy keeps; absent in earlier reports, where it is a half.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<f64>,
    /// The audit's own fixed thresholds; absent where the paper's stand in their place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tau: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band: Option<f64>,
    pub calibrated: NullRates,
    pub fixed: NullRates,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NullRates {
    pub words_retrieved: f64,
    pub words_pretrained: f64,
    pub documents_retrieved: f64,
    pub documents_pretrained: f64,
}

impl Particulars for Box<Source> {
    fn question(&self) -> &str {
        "The question: does an answer come from the store that the service looks things up in, \
         from what its model learnt, or from neither? Members are texts from either source."
    }

    fn hints(&self) -> &'static [&'static str] {
        &[
            "Every key word of a text is called retrieved, pretrained or neither, by how much the \
             answers change when the word is hidden, with retrieval and without.",
            "Accuracy stands beside what chance gives, and beside the same labels on shuffled texts.",
            MEASURES,
            INTERVALS,
        ]
    }

    fn glossary(&self) -> &'static [&'static str] {
        &[
            "ads",
            "source-accuracy",
            "macro-f1",
            "paper-acc",
            "coverage",
            "auc",
            "tpr-at-fpr",
            "verdict",
        ]
    }

    fn judged(&self, data: &Data, counts: &str) -> String {
        let (items, answered) = (data.records, self.requests.answered);
        match data.judged_records {
            0 => format!("{items} items, none of known source, by {answered} answers"),
            records => format!("{records} of {items} items {counts} by {answered} answers"),
        }
    }

    fn withhold(&mut self) {
        for document in &mut self.documents {
            document.withhold();
        }
    }
}
