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
    pub fn as_str(self) -> &'static str {
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

impl std::fmt::Display for Label {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str(self.as_str())
    }
}
