//! What was audited, and the part of a report that only audits of its kind have.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::classifier::{Classifier, Training};
use crate::fewshot::Fewshot;
use crate::lm::{Lm, Scoring};
use crate::rag::Rag;
use crate::source::Source;

/// What an audit looks at. Reports of different kinds have nothing to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Classifier,
    Lm,
    Rag,
    Source,
    Fewshot,
    Scores,
}

impl Kind {
    pub const ALL: [Kind; 6] = [
        Kind::Classifier,
        Kind::Lm,
        Kind::Rag,
        Kind::Source,
        Kind::Fewshot,
        Kind::Scores,
    ];

    /// The one word that commands, configurations and documents have for it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Classifier => "classifier",
            Kind::Lm => "lm",
            Kind::Rag => "rag",
            Kind::Source => "source",
            Kind::Fewshot => "fewshot",
            Kind::Scores => "scores",
        }
    }
}

/// As people say it.
impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Kind::Classifier => "a classifier",
            Kind::Lm => "a language model",
            Kind::Rag => "a retrieval service",
            Kind::Source => "the sources of a service's answers",
            Kind::Fewshot => "a classifier, few-shot",
            Kind::Scores => "scores made elsewhere",
        })
    }
}

/// One variant per kind: the keys `kind` and `detail` of the document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", content = "detail", rename_all = "kebab-case")]
pub enum Detail {
    Classifier(Classifier),
    Lm(Lm),
    Rag(Rag),
    Source(Box<Source>),
    Fewshot(Fewshot),
    Scores(Scores),
}

/// Nothing is known of scores that were made elsewhere but the scores.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Scores {}

impl Detail {
    pub fn kind(&self) -> Kind {
        match self {
            Detail::Classifier(_) => Kind::Classifier,
            Detail::Lm(_) => Kind::Lm,
            Detail::Rag(_) => Kind::Rag,
            Detail::Source(_) => Kind::Source,
            Detail::Fewshot(_) => Kind::Fewshot,
            Detail::Scores(_) => Kind::Scores,
        }
    }

    /// How much of what the audit had, under the keys of the document.
    pub fn counts(&self) -> Vec<(&'static str, usize)> {
        match self {
            Detail::Classifier(one) => vec![
                ("models", one.models),
                ("augmentations", one.augmentations),
                ("target", one.target),
                ("shadows", one.shadows),
            ],
            Detail::Lm(one) => vec![("tokens", one.tokens)],
            Detail::Fewshot(one) => vec![("models", one.models), ("target", one.target)],
            Detail::Rag(_) | Detail::Source(_) | Detail::Scores(_) => Vec::new(),
        }
    }

    /// How models were trained, where the audit trained them.
    pub(crate) fn training(&self) -> Option<&Training> {
        match self {
            Detail::Classifier(classifier) => classifier.training.as_ref(),
            _ => None,
        }
    }

    /// Which models scored texts, where the audit asked them.
    pub(crate) fn scoring(&self) -> Option<&Scoring> {
        match self {
            Detail::Lm(lm) => lm.scoring.as_ref(),
            _ => None,
        }
    }

    /// The attacks that are named here alone.
    pub(crate) fn attacks(&self) -> Vec<&str> {
        match self {
            Detail::Lm(lm) => {
                let attacks = lm.checkpoints.iter().flat_map(|point| &point.attacks);
                attacks.map(|attack| attack.id.as_str()).collect()
            }
            Detail::Fewshot(few) => {
                let attacks = few.attacks.iter();
                attacks.map(|summary| summary.attack.as_str()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Without texts, exchanges and who is a member.
    pub(crate) fn withhold(&mut self) {
        match self {
            Detail::Rag(rag) => rag.exposed.clear(),
            Detail::Source(source) => {
                for document in &mut source.documents {
                    document.withhold();
                }
            }
            _ => {}
        }
    }
}
