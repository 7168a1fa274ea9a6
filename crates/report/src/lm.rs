//! Which language models were asked, and about what: the part of a report that says where token
//! signals came from.

use judge::measure::{Auc, TprAtFpr};
use serde::{Deserialize, Serialize};

use crate::document::Data;
use crate::particulars::{INTERVALS, MEASURES, Particulars};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Lm {
    /// Predicted tokens of all texts; none where no model has scored them.
    pub tokens: usize,
    /// Which models scored the texts, where the audit asked them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scoring: Option<Scoring>,
    /// The same audit of other checkpoints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<Checkpoint>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Scoring {
    pub models: Vec<Model>,
    pub texts: usize,
    pub tokens: usize,
    /// Texts longer than a model's context, which were read in overlapping windows.
    pub windowed: usize,
}

/// One model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Model {
    /// What it was asked for: target, reference, or a checkpoint's label.
    pub role: String,
    /// A folder, a file or an address.
    pub source: String,
    /// What kind of model it is and how it was run.
    pub about: String,
    /// The days on which a server gave its answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<String>,
}

/// One checkpoint's audit in brief.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Checkpoint {
    pub label: String,
    /// The audited model itself, which the gate looks at.
    pub target: bool,
    /// Where labels are numbers: the place on the axis.
    pub step: Option<f64>,
    /// Mean loss per token: of members and of non-members.
    pub loss_members: f64,
    pub loss_nonmembers: f64,
    pub attacks: Vec<CheckpointAttack>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CheckpointAttack {
    pub id: String,
    pub auc: Auc,
    pub tpr_at_fpr: Vec<TprAtFpr>,
}

impl Scoring {
    pub(crate) fn sentences(&self) -> Vec<String> {
        let words = |model: &Model| {
            let answered = model.answered.as_ref();
            let answered = answered.map_or(String::new(), |days| format!("; answers of {days}"));
            let Model {
                role,
                source,
                about,
                ..
            } = model;
            format!("{role}: {source}, {about}{answered}")
        };
        let mut sentences: Vec<String> = self.models.iter().map(words).collect();
        let windows = match self.windowed {
            0 => String::new(),
            n => format!(
                "; {n} are longer than the model's context and were read in overlapping windows"
            ),
        };
        sentences.push(format!(
            "{} texts, {} tokens{windows}",
            self.texts, self.tokens
        ));
        sentences
    }
}

impl Particulars for Lm {
    fn question(&self) -> &str {
        "The question: from how likely the model finds a text, can somebody tell whether it was \
         trained on that text? A member is a text that it was trained on."
    }

    fn hints(&self) -> &'static [&'static str] {
        &[
            MEASURES,
            INTERVALS,
            "Texts can give themselves away without any model, by date, length or style: \
             blind-baseline among the guardrails says how far. Only what goes beyond it is a leak.",
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
            "dataset-inference",
            "calibrated",
            "checkpoints",
        ]
    }

    fn judged(&self, data: &Data, counts: &str) -> String {
        let records = data.judged_records;
        match self.tokens {
            0 => format!("{records} texts {counts}; no model has scored them"),
            tokens => format!("{records} texts {counts}; {tokens} predicted tokens in all"),
        }
    }

    fn counts(&self) -> Vec<(&str, usize)> {
        vec![("tokens", self.tokens)]
    }

    fn attacks(&self) -> Vec<&str> {
        let attacks = self.checkpoints.iter().flat_map(|point| &point.attacks);
        attacks.map(|attack| attack.id.as_str()).collect()
    }
}
