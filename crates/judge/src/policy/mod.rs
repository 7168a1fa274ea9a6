//! A policy: several criteria that an audit must meet, each with its threshold and why that is the
//! threshold. A gate alone is a policy of one criterion; there is no second way to a verdict.
//!
//! Every criterion gets a verdict of its own, by the same rules as a gate: its own best attack, an
//! interval that counts the attacks tried, its own slices, and the guardrails as they look at it.
//! The audit fails where one criterion does, and passes only where every one of them was decided and
//! holds. What cannot be measured is inconclusive and says what to add; nothing is skipped.

mod combine;
mod persons;
mod slices;

use serde::{Deserialize, Serialize};

use crate::attacker::{Attacker, Wanted};
use crate::gate::{Gate, Measure, Rule};
use crate::verdict::{Outcome, Verdict};

pub use combine::combine;
pub use persons::{decide_persons, no_persons};
pub use slices::decide_slices;

/// Whom a criterion is about.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// All records together.
    #[default]
    Whole,
    /// Every slice that is large enough, each by itself.
    Slice,
    /// People, where records belong to people.
    Person,
}

impl Scope {
    pub fn is_whole(&self) -> bool {
        *self == Scope::Whole
    }

    /// Ends "AUC of …".
    pub fn word(self) -> &'static str {
        match self {
            Scope::Whole => "all records",
            Scope::Slice => "every slice",
            Scope::Person => "persons",
        }
    }
}

/// One thing that must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Criterion {
    pub gate: Gate,
    pub scope: Scope,
    /// Why this threshold, in a sentence.
    pub why: String,
}

impl From<Gate> for Criterion {
    fn from(gate: Gate) -> Self {
        Criterion {
            gate,
            scope: Scope::Whole,
            why: String::new(),
        }
    }
}

/// Fewer records than this decide nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Smallest {
    pub members: usize,
    pub nonmembers: usize,
    /// Slices with as many members and as many non-members must be decided, too.
    pub slice: usize,
}

impl Default for Smallest {
    fn default() -> Self {
        Smallest {
            members: 0,
            nonmembers: 0,
            slice: 20,
        }
    }
}

/// What several audits are held against.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    pub name: String,
    /// Of the file it came from.
    pub sha256: String,
    /// At least one.
    pub criteria: Vec<Criterion>,
    pub smallest: Smallest,
    /// Whom a pass may hold for.
    pub attackers: Vec<Wanted>,
}

impl Policy {
    /// Whether a pass against this attacker is what the policy asks for.
    pub fn accepts(&self, attacker: &Attacker) -> bool {
        self.attackers.iter().any(|wanted| match wanted {
            Wanted::Strongest => attacker.stronger.is_none(),
            weaker => attacker.name.as_deref() == Some(weaker.name()),
        })
    }

    /// The rates that its criteria look at.
    pub fn rates(&self) -> impl Iterator<Item = f64> {
        self.criteria
            .iter()
            .filter_map(|one| match one.gate.measure {
                Measure::TprAtFpr(fpr) => Some(fpr),
                _ => None,
            })
    }
}

/// A policy and what an audit made of it, for the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PolicyFinding {
    pub name: String,
    /// Of the file's bytes: equal policies have equal digests.
    pub sha256: String,
    pub smallest: Smallest,
    pub attackers: Vec<Wanted>,
    pub criteria: Vec<CriterionFinding>,
}

/// One criterion and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CriterionFinding {
    pub measure: Measure,
    pub scope: Scope,
    pub threshold: f64,
    pub rule: Rule,
    /// Of intervals, before it is corrected for the number of attacks.
    pub confidence: f64,
    pub why: String,
    /// Absent where it could not be measured.
    pub value: Option<f64>,
    /// Corrected for the number of attacks.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub attack: Option<String>,
    pub outcome: Outcome,
    /// What decided it, or what keeps it from being decided.
    pub reason: String,
}

impl CriterionFinding {
    fn new(criterion: &Criterion, verdict: &Verdict) -> Self {
        let decision = verdict.gate.as_ref();
        CriterionFinding {
            measure: criterion.gate.measure,
            scope: criterion.scope,
            threshold: criterion.gate.threshold,
            rule: criterion.gate.rule,
            confidence: criterion.gate.confidence,
            why: criterion.why.clone(),
            value: decision.map(|decision| decision.value),
            low: decision.map(|decision| decision.low),
            high: decision.map(|decision| decision.high),
            attack: decision.map(|decision| decision.attack.clone()),
            outcome: verdict.outcome,
            reason: verdict.reasons.first().cloned().unwrap_or_default(),
        }
    }

    /// What was asked.
    pub fn criterion(&self) -> Criterion {
        Criterion {
            gate: Gate {
                measure: self.measure,
                threshold: self.threshold,
                rule: self.rule,
                confidence: self.confidence,
            },
            scope: self.scope,
            why: self.why.clone(),
        }
    }
}

impl PolicyFinding {
    pub fn new(policy: &Policy, verdicts: &[Verdict]) -> Self {
        let criteria = policy.criteria.iter().zip(verdicts);
        PolicyFinding {
            name: policy.name.clone(),
            sha256: policy.sha256.clone(),
            smallest: policy.smallest,
            attackers: policy.attackers.clone(),
            criteria: criteria
                .map(|(criterion, verdict)| CriterionFinding::new(criterion, verdict))
                .collect(),
        }
    }

    /// What was asked, without what came of it.
    pub fn policy(&self) -> Policy {
        let criteria = self.criteria.iter();
        Policy {
            name: self.name.clone(),
            sha256: self.sha256.clone(),
            criteria: criteria.map(CriterionFinding::criterion).collect(),
            smallest: self.smallest,
            attackers: self.attackers.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
