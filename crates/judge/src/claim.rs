//! A claimed ε, held against what attacks prove.
//!
//! Whoever trains with differential privacy claims that no attack does better than ε and δ allow. A
//! lower bound above the claimed ε, at the claimed δ, refutes it with the stated confidence; one below
//! refutes nothing and proves nothing.

use serde::{Deserialize, Serialize};

use crate::epsilon::clopper_pearson::{METHOD, NOTE};
use crate::gate::{Gate, Measure, Rule};
use crate::guardrails::{Finding, Status};
use crate::power::largest_epsilon;
use crate::verdict::{Choice, Outcome, Verdict, decide};
use crate::{AttackMeasures, Error};

/// What is claimed, and by whom.
#[derive(Clone, Debug, PartialEq)]
pub struct Claimed {
    pub epsilon: f64,
    pub delta: f64,
    /// Ends "as claimed by …".
    pub by: String,
}

impl Claimed {
    /// Refuses what is no claim, under the names that it was given by.
    pub fn check(&self, epsilon: &str, delta: &str) -> Result<(), Error> {
        if !(self.epsilon > 0.0 && self.epsilon.is_finite()) {
            return Err(Error::setting(
                format!("{epsilon} is {}", self.epsilon),
                "give an ε above 0, such as 1.0",
            ));
        }
        if !(0.0..1.0).contains(&self.delta) {
            return Err(Error::setting(
                format!("{delta} is {}", self.delta),
                "give a δ from 0 to below 1, such as 1e-5",
            ));
        }
        Ok(())
    }
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimOutcome {
    /// An attack does better than the claim allows.
    Refuted,
    /// No attack does; that is no proof of the claim.
    NotRefuted,
    /// Not even an attack that tells all records apart could have refuted it with so few.
    Untested,
}

/// A claim and what attacks say of it, for the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClaimFinding {
    pub epsilon: f64,
    pub delta: f64,
    pub by: String,
    /// The largest lower bound on ε that an attack proves at this δ.
    pub bound: f64,
    /// The attack that proves it; nothing where none proves any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attack: Option<String>,
    pub method: String,
    /// Of the bound, corrected for the number of attacks.
    pub confidence: f64,
    /// The largest bound that so many records could have shown.
    pub largest: f64,
    pub outcome: ClaimOutcome,
    /// What the bound takes for granted.
    pub note: String,
}

impl ClaimFinding {
    /// Holds a claim against the measures of all attacks, at this confidence over all of them.
    pub fn new(
        claimed: &Claimed,
        attacks: &[AttackMeasures],
        confidence: f64,
        choice: Choice,
    ) -> Result<Self, Error> {
        let gate = Gate {
            measure: Measure::Epsilon(claimed.delta),
            threshold: claimed.epsilon,
            rule: Rule::Point,
            confidence,
        };
        let decision = decide(attacks, &gate, choice)?;
        let counts = attacks.iter().map(AttackMeasures::judged_counts);
        let possible = counts.map(|(members, nonmembers)| {
            let (members, nonmembers) = (members as usize, nonmembers as usize);
            largest_epsilon(members, nonmembers, decision.confidence, claimed.delta)
        });
        let largest = possible.fold(0.0, f64::max);
        Ok(ClaimFinding {
            epsilon: claimed.epsilon,
            delta: claimed.delta,
            by: claimed.by.clone(),
            bound: decision.value,
            attack: (decision.value > 0.0).then_some(decision.attack),
            method: METHOD.into(),
            confidence: decision.confidence,
            largest,
            outcome: match decision.value > claimed.epsilon {
                true => ClaimOutcome::Refuted,
                false if largest <= claimed.epsilon => ClaimOutcome::Untested,
                false => ClaimOutcome::NotRefuted,
            },
            note: NOTE.into(),
        })
    }
}

/// In a sentence.
impl std::fmt::Display for ClaimFinding {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        let claim = format!(
            "ε = {} at δ = {:e}, as claimed by {}",
            self.epsilon, self.delta, self.by
        );
        let sure = format!("{:.2}% confidence", 100.0 * self.confidence);
        match (self.outcome, &self.attack) {
            (ClaimOutcome::Refuted, Some(attack)) => write!(
                out,
                "{claim}, does not hold: {attack} proves ε ≥ {:.4} ({sure}; {})",
                self.bound, self.method
            ),
            (ClaimOutcome::Untested, _) => write!(
                out,
                "{claim}, was not tested: so few records could show an ε of {:.3} at the most; add records",
                self.largest
            ),
            (_, Some(attack)) => write!(
                out,
                "{claim}, is not refuted: {attack} proves ε ≥ {:.4} ({sure}) and so many records could \
                 have shown {:.3}; that is no proof that the claim holds",
                self.bound, self.largest
            ),
            (_, None) => write!(
                out,
                "{claim}, is not refuted: no attack proves any ε above 0 ({sure}), and so many records \
                 could have shown {:.3}; that is no proof that the claim holds",
                self.largest
            ),
        }
    }
}

impl Verdict {
    /// A refuted claim fails the audit whatever the gate says, unless what was found may be feigned. A
    /// claim that stands changes nothing.
    pub fn hold(&mut self, claim: &ClaimFinding, guardrails: &[Finding], force: bool) {
        let words = claim.to_string();
        if claim.outcome != ClaimOutcome::Refuted {
            self.reasons.push(words);
            return;
        }
        // How many records there are is in the bound already.
        let feigned = |finding: &&Finding| {
            let counts = finding.status == Status::Violated && finding.blocks.fail();
            counts && finding.id != "policy-sizes"
        };
        let feigned: Vec<&Finding> = guardrails.iter().filter(feigned).collect();
        if !feigned.is_empty() && !force {
            // Nothing passes beside this, and nothing fails by it.
            if self.outcome == Outcome::Pass {
                self.outcome = Outcome::Inconclusive;
            }
            self.reasons.push(words);
            return;
        }
        self.forced |= !feigned.is_empty();
        self.outcome = Outcome::Fail;
        self.reasons.insert(0, words);
    }
}

#[cfg(test)]
mod tests;
