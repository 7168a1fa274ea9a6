//! Episodes of a few-shot audit: the part of a report that is special to attackers who know the
//! membership of a handful of records.

use judge::fewshot::{Selection, Summary, Thresholds};
use serde::{Deserialize, Serialize};

use crate::document::Data;
use crate::particulars::{INTERVALS, MEASURES, Particulars};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Fewshot {
    /// How many models the file of features has, and which of them was audited.
    pub models: usize,
    pub target: usize,
    /// The features in a line.
    pub features: String,
    /// Whether the model's own weights were at hand.
    pub white_box: bool,
    pub design: Design,
    /// Every attack with every number of shots.
    pub attacks: Vec<Summary>,
}

/// What an attack with so many shots is called among the measured ones.
pub(crate) fn measured_as(summary: &Summary) -> String {
    format!("{}-{}-shot", summary.attack, summary.shots)
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Design {
    /// Records of each kind.
    pub validation: usize,
    pub query: usize,
    pub runs: usize,
    pub thresholds: Thresholds,
    pub selection: Selection,
}

impl Particulars for Fewshot {
    fn question(&self) -> &str {
        "The question: can somebody who knows the membership of a handful of records tell that \
         of others? A member is a record of the model's training set."
    }

    fn hints(&self) -> &'static [&'static str] {
        &[
            "Every mean stands beside what a score that says nothing gives, and beside the same \
             procedure with everybody's membership shuffled. Above both there is a leak.",
            MEASURES,
            INTERVALS,
        ]
    }

    fn glossary(&self) -> &'static [&'static str] {
        &[
            "few-shot",
            "log-mia",
            "auc",
            "tpr-at-fpr",
            "balanced-accuracy",
            "advantage",
            "epsilon",
            "verdict",
        ]
    }

    fn judged(&self, data: &Data, counts: &str) -> String {
        let (records, runs, query) = (data.judged_records, self.design.runs, self.design.query);
        format!(
            "{records} records {counts}; {runs} runs that ask about {query} + {query} of them each"
        )
    }

    fn counts(&self) -> Vec<(&str, usize)> {
        vec![("models", self.models), ("target", self.target)]
    }

    fn attacks(&self) -> Vec<&str> {
        let attacks = self.attacks.iter();
        attacks.map(|summary| summary.attack.as_str()).collect()
    }
}
