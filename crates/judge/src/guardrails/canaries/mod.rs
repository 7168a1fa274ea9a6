//! Guardrails of canaries: whether the coins are fair, and whether the model could have met them.

mod coins;
mod members;
mod missing;
mod unseen;

use super::registry::{Guardrail, hides, misleads};
use super::{Evidence, Status, percent};
use crate::canaries::Draw;

/// How many canaries were drawn, how many nobody scored, and what is known of the draw: always of all
/// of it, also where a half is judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CanaryFacts {
    pub canaries: usize,
    pub missing: usize,
    pub draw: Draw,
}

pub(super) static GUARDRAILS: &[Guardrail] = &[
    misleads(
        "canary-coins",
        coins::check,
        "guesses about coins that are not fair are right or wrong without a model",
    ),
    hides(
        "canary-members",
        members::check,
        "a model of another draw knows nothing of these canaries",
    ),
    hides(
        "missing-canaries",
        missing::check,
        "a canary that was not scored shows nothing of what the model remembers",
    ),
    hides(
        "unseen-canaries",
        unseen::check,
        "a canary that training never saw cannot be remembered",
    ),
];
