//! The models of an audit of a classifier, and how they were trained, for audits that trained them.

use serde::{Deserialize, Serialize};

use crate::document::Data;
use crate::particulars::{INTERVALS, MEASURES, Particulars};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Classifier {
    /// The target and all others that were there.
    pub models: usize,
    pub augmentations: usize,
    /// Which of the models was audited.
    pub target: usize,
    /// How many of the others stood in for it.
    pub shadows: usize,
    /// In an offline audit, whose shadows trained on no audited record: how many reference records told
    /// what training does, maybe none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_records: Option<usize>,
    /// Where the audit trained the models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<Training>,
    /// How often the audited model is right, where its answers tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<Accuracy>,
}

/// The share of records whose true class the audited model names.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Accuracy {
    /// Of those it was trained on.
    pub training: f64,
    /// Of the others.
    pub test: f64,
}

/// Data and training, in words and numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Training {
    /// The trainer and its main settings, in a line.
    pub trainer: String,
    pub records: usize,
    /// Numbers per record after encoding; absent where a program read the data itself.
    pub features: Option<usize>,
    pub classes: Vec<String>,
    /// In the order of the file.
    pub columns: Vec<Column>,
    /// Share of its own training records that the audited model classified right in its last
    /// epoch.
    pub accuracy: Option<f64>,
    /// How often the audited model is right in the end, on its way to [`Classifier::accuracy`].
    #[serde(skip)]
    pub right: Option<Accuracy>,
    /// Share of each model's records that early stopping held out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<f64>,
    /// What DP-SGD spent.
    pub privacy: Option<Privacy>,
    /// How often the same recipe is right under DP-SGD, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub what_if: Vec<WhatIfPrivate>,
}

impl Training {
    /// Whether our own trainer trained: then the same recipe can be tried in other ways.
    pub fn is_native(&self) -> bool {
        self.trainer.starts_with("native ")
    }
}

/// The audited model's recipe on its own records, within an ε.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct WhatIfPrivate {
    pub epsilon: f64,
    pub delta: f64,
    pub accuracy: Accuracy,
    /// The share of the commonest class: what a model reaches that has learnt nothing.
    pub commonest: f64,
}

/// What became of one column of the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Column {
    pub name: String,
    pub treatment: String,
    /// How many values were missing.
    pub missing: usize,
}

/// The promise of differentially private training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Privacy {
    /// Absent without noise: then nothing is promised.
    pub epsilon: Option<f64>,
    pub delta: f64,
    pub noise_multiplier: f64,
}

impl Training {
    pub(crate) fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![self.trainer.clone(), self.data()];
        let missing: Vec<String> = self
            .columns
            .iter()
            .filter(|column| column.missing > 0)
            .map(|column| format!("{} ({})", column.name, column.missing))
            .collect();
        if !missing.is_empty() {
            sentences.push(format!("missing values in {}", listed(&missing)));
        }
        if let Some(accuracy) = self.accuracy {
            sentences.push(format!(
                "the audited model classified {:.1}% of its own training records right in its \
                 last epoch",
                100.0 * accuracy
            ));
        }
        sentences.extend(self.held_out.map(held_out));
        sentences.extend(self.privacy.as_ref().map(promise));
        sentences
    }

    fn data(&self) -> String {
        let features = self
            .features
            .map_or(String::new(), |n| format!(" as {n} numbers each"));
        let classes = match self.classes.len() {
            0 => String::new(),
            n => format!(", {n} classes"),
        };
        format!("{} records{features}{classes}", self.records)
    }
}

/// What early stopping means for an audit that counts its records as members.
pub fn held_out(share: f64) -> String {
    // Rounded to tenths of a percent, without a zero behind the point.
    let percent = (1000.0 * share).round() / 10.0;
    format!(
        "early stopping held out {percent}% of each model's records: they count as members though \
         no gradient comes from them, so the leak of the others is understated"
    )
}

fn promise(privacy: &Privacy) -> String {
    match privacy.epsilon {
        Some(epsilon) => format!(
            "DP-SGD with noise multiplier {:.3} promises ε = {epsilon:.3} at δ = {}",
            privacy.noise_multiplier, privacy.delta
        ),
        None => "DP-SGD without noise promises nothing".to_owned(),
    }
}

/// The first few, and how many more.
fn listed(words: &[String]) -> String {
    const MOST: usize = 5;
    let first = words[..words.len().min(MOST)].join(", ");
    match words.len().checked_sub(MOST) {
        None | Some(0) => first,
        Some(more) => format!("{first} and {more} more"),
    }
}

/// Words of its page, which scores of other programs share.
pub(crate) const GLOSSARY: &[&str] = &[
    "auc",
    "tpr-at-fpr",
    "balanced-accuracy",
    "advantage",
    "log-mia",
    "epsilon",
    "verdict",
    "anderson-darling",
    "qq",
    "slices",
    "vulnerability",
];

impl Particulars for Classifier {
    fn question(&self) -> &str {
        "The question: from what the model says about a record, can somebody tell whether the \
         record was in its training set? A member is a record that was."
    }

    fn hints(&self) -> &'static [&'static str] {
        &[
            MEASURES,
            INTERVALS,
            "A curve near the top left of the log-log ROC matters most: it means that some records \
             can be accused with hardly a mistake, even where the AUC is close to 0.5.",
        ]
    }

    fn glossary(&self) -> &'static [&'static str] {
        GLOSSARY
    }

    fn judged(&self, data: &Data, counts: &str) -> String {
        let Classifier {
            target,
            models,
            shadows,
            ..
        } = self;
        let against = match shadows {
            0 => format!("model {target} alone, without shadows"),
            _ => format!("model {target} of {models} against {shadows} shadows"),
        };
        let against = match self.reference_records {
            None => against,
            Some(0) => format!("{against}, offline, without reference records"),
            Some(count) => format!("{against}, offline, with {count} reference records"),
        };
        format!("{} records {counts}; {against}", data.judged_records)
    }

    fn counts(&self) -> Vec<(&str, usize)> {
        let mut counts = vec![
            ("models", self.models),
            ("augmentations", self.augmentations),
            ("target", self.target),
            ("shadows", self.shadows),
        ];
        counts.extend(
            self.reference_records
                .map(|count| ("reference_records", count)),
        );
        counts
    }
}
