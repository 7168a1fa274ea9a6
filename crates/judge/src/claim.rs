//! A claimed ε, held against what attacks prove.
//!
//! Whoever trains with differential privacy claims that no attack does better than ε and δ allow. A
//! lower bound above the claimed ε, at the claimed δ, refutes it with the stated confidence; one below
//! refutes nothing and proves nothing.

use serde::{Deserialize, Serialize};

use crate::epsilon::Claim;
use crate::epsilon::clopper_pearson::{METHOD, NOTE};
use crate::epsilon::coins::CoinGuesses;
use crate::gate::{Gate, Measure, Rule};
use crate::guardrails::{Finding, Status};
use crate::power::{largest_epsilon, more_canaries};
use crate::verdict::{Choice, Outcome, Verdict, by_repeated, decide};
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
    /// The canaries that the bound rests on; absent where it rests on records as they were split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canaries: Option<ClaimedCanaries>,
}

/// What a claim was held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClaimedCanaries {
    pub canaries: u64,
    /// How often each was trained on if its coin said so; a claim about one record is converted.
    pub repetitions: u64,
    /// So many could have refuted the claim, where these could not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<u64>,
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
        let sought = Claim {
            confidence: decision.confidence,
            delta: claimed.delta,
        };
        let largest = attacks.iter().map(|attack| shown(attack, &sought));
        let largest = largest.fold(0.0, f64::max);
        let refuted = decision.value > claimed.epsilon;
        let coins = match refuted {
            true => attacks.iter().find(|attack| attack.id == decision.attack),
            false => attacks.iter().find(|attack| attack.coins.is_some()),
        };
        // The tier that proves it, or that could have.
        let tier = coins.and_then(|attack| match refuted {
            true => attack.proved_by_coins(&sought),
            false => attack.showable_by_coins(&sought),
        });
        let tier = tier.map(|(_, tier)| tier);
        let needed = |tier: &CoinGuesses| {
            let few = largest <= claimed.epsilon;
            coins
                .filter(|_| few)?
                .canaries_needed(claimed.epsilon, tier, &sought)
        };
        Ok(ClaimFinding {
            epsilon: claimed.epsilon,
            delta: claimed.delta,
            by: claimed.by.clone(),
            bound: decision.value,
            attack: (decision.value > 0.0).then_some(decision.attack),
            method: tier.map_or(METHOD, CoinGuesses::method).into(),
            confidence: decision.confidence,
            largest,
            outcome: match refuted {
                true => ClaimOutcome::Refuted,
                false if largest <= claimed.epsilon => ClaimOutcome::Untested,
                false => ClaimOutcome::NotRefuted,
            },
            note: tier.map_or_else(|| NOTE.into(), CoinGuesses::note),
            canaries: tier.map(|tier| ClaimedCanaries {
                canaries: tier.records,
                repetitions: tier.repetitions,
                needed: needed(tier),
            }),
        })
    }

    /// What was counted, and what would help.
    fn records(&self) -> (String, String) {
        let Some(found) = self.canaries else {
            return ("records".into(), "add records".into());
        };
        let times = match found.repetitions {
            1 => String::new(),
            times => format!(" that were trained on {times} times"),
        };
        let more = more_canaries(found.needed, found.repetitions);
        (format!("canaries ({}{times})", found.canaries), more)
    }
}

/// The largest bound that an attack could have shown.
fn shown(attack: &AttackMeasures, sought: &Claim) -> f64 {
    if let Some((largest, _)) = attack.showable_by_coins(sought) {
        return largest;
    }
    let (members, nonmembers) = attack.judged_counts();
    let (members, nonmembers) = (members as usize, nonmembers as usize);
    largest_epsilon(members, nonmembers, sought.confidence, sought.delta)
}

/// In a sentence.
impl std::fmt::Display for ClaimFinding {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        let claim = format!(
            "ε = {} at δ = {:e}, as claimed by {}",
            self.epsilon, self.delta, self.by
        );
        let sure = format!("{:.2}% confidence", 100.0 * self.confidence);
        let (records, more) = self.records();
        match (self.outcome, &self.attack) {
            (ClaimOutcome::Refuted, Some(attack)) => {
                let on = self.canaries.filter(|found| found.repetitions > 1);
                let on = by_repeated(on.map(|found| found.repetitions));
                write!(
                    out,
                    "{claim}, does not hold: {attack} proves ε ≥ {:.4}{} ({sure}; {})",
                    self.bound, on, self.method
                )
            }
            (ClaimOutcome::Untested, _) => write!(
                out,
                "{claim}, was not tested: so few {records} could show an ε of {:.3} at the most; {more}",
                self.largest
            ),
            (_, Some(attack)) => write!(
                out,
                "{claim}, is not refuted: {attack} proves ε ≥ {:.4} ({sure}) and so many {records} could \
                 have shown {:.3}; that is no proof that the claim holds",
                self.bound, self.largest
            ),
            (_, None) => write!(
                out,
                "{claim}, is not refuted: no attack proves any ε above 0 ({sure}), and so many {records} \
                 could have shown {:.3}; that is no proof that the claim holds",
                self.largest
            ),
        }
    }
}

impl Verdict {
    /// A refuted claim fails the audit whatever the gate says, unless what was found may be feigned. A
    /// claim that stands changes nothing, nor does one that was not tested, except where canaries were
    /// drawn to test it.
    pub fn hold(&mut self, claim: &ClaimFinding, guardrails: &[Finding], force: bool) {
        let words = claim.to_string();
        // Canaries were drawn to test it: a pass beside a claim that they could not refute would say
        // nothing.
        let untested = claim.outcome == ClaimOutcome::Untested && claim.canaries.is_some();
        if untested && self.outcome == Outcome::Pass {
            self.forced |= force;
            if !force {
                self.outcome = Outcome::Inconclusive;
            }
            self.reasons.insert(0, words);
            return;
        }
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
