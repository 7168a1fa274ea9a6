//! What was audited, and the part of a report that only audits of its kind have.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::classifier::{Classifier, Training};
use crate::fewshot::Fewshot;
use crate::lm::{Lm, Scoring};
use crate::particulars::Particulars;
use crate::rag::Rag;
use crate::source::Source;

/// The enums that have a variant per kind, of a line per kind: its variant, its detail, the one word that
/// commands, configurations and documents have for it, and what people say.
macro_rules! kinds {
    ($($variant:ident($detail:ty), $name:literal, $said:literal;)+) => {
        /// What an audit looks at. Reports of different kinds have nothing to compare.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema,
        )]
        pub enum Kind {
            $(#[serde(rename = $name)] $variant,)+
        }

        impl Kind {
            pub const ALL: [Kind; [$($name),+].len()] = [$(Kind::$variant),+];

            /// The one word that commands, configurations and documents have for it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Kind::$variant => $name,)+
                }
            }
        }

        /// As people say it.
        impl fmt::Display for Kind {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(match self {
                    $(Kind::$variant => $said,)+
                })
            }
        }

        /// One variant per kind: the keys `kind` and `detail` of the document.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(tag = "kind", content = "detail")]
        pub enum Detail {
            $(#[serde(rename = $name)] $variant($detail),)+
        }

        impl Detail {
            pub fn kind(&self) -> Kind {
                match self {
                    $(Detail::$variant(_) => Kind::$variant,)+
                }
            }

            /// What this kind says of itself.
            pub(crate) fn particulars(&self) -> &dyn Particulars {
                match self {
                    $(Detail::$variant(detail) => detail,)+
                }
            }

            /// Without texts, exchanges and who is a member.
            pub(crate) fn withhold(&mut self) {
                match self {
                    $(Detail::$variant(detail) => detail.withhold(),)+
                }
            }
        }
    };
}

kinds! {
    Classifier(Classifier), "classifier", "a classifier";
    Lm(Lm), "lm", "a language model";
    Rag(Rag), "rag", "a retrieval service";
    Source(Box<Source>), "source", "the sources of a service's answers";
    Fewshot(Fewshot), "fewshot", "a classifier, few-shot";
    Scores(Scores), "scores", "scores made elsewhere";
}

/// Nothing is known of scores that were made elsewhere but the scores.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Scores {}

impl Detail {
    /// How much of what the audit had, under the keys of the document.
    pub fn counts(&self) -> Vec<(&str, usize)> {
        self.particulars().counts()
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
}
