//! The three sources.

use serde::{Deserialize, Serialize};

/// Where a word, or a document, came from.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// The model itself knows it.
    Pretrained,
    /// Retrieval brings it.
    Retrieved,
    /// Neither.
    NonMember,
}

impl Label {
    pub const ALL: [Label; 3] = [Label::Pretrained, Label::Retrieved, Label::NonMember];

    /// The name, as files have it.
    pub fn words(self) -> &'static str {
        match self {
            Label::Pretrained => "pretrained",
            Label::Retrieved => "retrieved",
            Label::NonMember => "non-member",
        }
    }

    /// The place in [`Label::ALL`].
    pub fn place(self) -> usize {
        self as usize
    }
}
