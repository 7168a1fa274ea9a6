//! Who attacks: what a verdict holds for. A pass against a weak attacker says nothing about a
//! stronger one, so it counts only where no stronger one was open to the auditor, or where the
//! user named the weaker.

use serde::{Deserialize, Serialize};

/// Attacks that see the predicted class alone, the simplest first.
pub const LABEL_ONLY: [&str; 2] = ["correctness", "label-ratio"];

/// What the attacker is called who asks the audited model alone.
pub const TARGET_ONLY: &str = "target-only";

/// The attacker whom a user wants to be safe from.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// Whoever has all that an auditor can have.
    #[default]
    Strongest,
    /// Somebody who asks the audited model and has nothing to compare its answers with.
    TargetOnly,
    /// Somebody who knows a few members and non-members, and guesses about the others from these.
    FewShot,
}

impl Wanted {
    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            Wanted::Strongest => "strongest",
            Wanted::TargetOnly => TARGET_ONLY,
            Wanted::FewShot => "few-shot",
        }
    }
}

/// Who attacked in an audit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Attacker {
    /// Ends the sentence "it holds for an attacker who …".
    pub who: String,
    /// What a stronger attacker would have and how to add it; nothing where none is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stronger: Option<String>,
    /// What to name where this attacker is the only one to be safe from; nothing where that is nobody
    /// who has what the auditor has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The user named this attacker, and so answers for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub named: bool,
}

impl Attacker {
    /// The strongest there is.
    pub fn strongest(who: impl Into<String>) -> Self {
        Self {
            who: who.into(),
            stronger: None,
            name: None,
            named: false,
        }
    }

    /// One who knows a few records and what the audited model makes of all, and does no more with it.
    pub fn few_shot(who: impl Into<String>, stronger: impl Into<String>, wanted: Wanted) -> Self {
        Self {
            who: who.into(),
            stronger: Some(stronger.into()),
            name: Some("few-shot".into()),
            named: wanted == Wanted::FewShot,
        }
    }

    /// One who has more than is used: no user can mean to be safe from this one alone.
    pub fn careless(who: impl Into<String>, stronger: impl Into<String>) -> Self {
        Self {
            who: who.into(),
            stronger: Some(stronger.into()),
            name: None,
            named: false,
        }
    }

    /// One who asks the audited model alone, though more would have been open.
    pub fn target_only(
        who: impl Into<String>,
        stronger: impl Into<String>,
        wanted: Wanted,
    ) -> Self {
        Self {
            who: who.into(),
            stronger: Some(stronger.into()),
            name: Some(TARGET_ONLY.into()),
            named: wanted == Wanted::TargetOnly,
        }
    }
}
