//! What an outcome rests on: not always a value that lies on one side of the threshold.

use judge::claim::ClaimOutcome;
use judge::diagnostics::Slices;
use judge::gate::Rule;
use judge::guardrails::{Finding, Status};
use judge::policy::Scope;
use judge::verdict::Outcome;

use crate::document::Report;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// The value itself lies where the outcome says.
    Value,
    /// It passes although the value lies at or above the threshold: that this is no chance is not proven.
    NotProven,
    /// It fails although the value lies below the threshold: that this is no chance is not proven.
    NotExcluded,
    /// It fails by a part of the records.
    Slice,
    /// It fails by a claim of differential privacy that an attack refutes.
    Claim,
}

impl Ground {
    pub fn of(report: &Report) -> Self {
        let verdict = &report.verdict;
        let Some(gate) = &verdict.gate else {
            return Ground::Value;
        };
        let above = gate.value >= gate.threshold;
        let by_proof = gate.rule == Rule::Proven || gate.scope == Scope::Slice;
        let slices = report.diagnostics.slices.as_ref();
        let claim = report.claim.as_ref().map(|claim| claim.outcome);
        match verdict.outcome {
            Outcome::Pass if above && by_proof => Ground::NotProven,
            Outcome::Fail if gate.fails_by_its_value() && !above => Ground::NotExcluded,
            Outcome::Fail if gate.fails_by_its_value() => Ground::Value,
            Outcome::Fail if slices.is_some_and(Slices::violate) => Ground::Slice,
            Outcome::Fail if claim == Some(ClaimOutcome::Refuted) => Ground::Claim,
            Outcome::Pass | Outcome::Fail | Outcome::Inconclusive => Ground::Value,
        }
    }
}

/// By name, the guardrails that could explain a fail by the test itself: those that warn of it, and those that the
/// user overruled.
pub fn feigning(report: &Report) -> Vec<&str> {
    let feigns = |one: &&Finding| one.status != Status::Ok && one.blocks.fail();
    let all = report.guardrails.iter().filter(feigns);
    all.map(|one| one.id.as_str()).collect()
}
