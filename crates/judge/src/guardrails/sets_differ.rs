//! Do members and others differ by themselves, whatever the audited model remembers?
//!
//! Easier records get surer answers from every model. Shadows that never trained on a record show how easy it is,
//! and a class that holds members alone tells as much as any attack.

use serde::{Deserialize, Serialize};

use super::{Evidence, ShadowFacts, Status};
use crate::AttackMeasures;

/// What sets the records apart for sure this well may be all that an attack finds.
const APART: f64 = 0.6;
/// Standard errors of the training gain that count as none: shadows without any may be copies of the target.
const NO_GAIN: f64 = 2.0;

/// How well something tells members from others that knows nothing of the audited model: an AUC and its interval
/// at [`Apart::CONFIDENCE`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Apart {
    pub auc: f64,
    pub low: f64,
    pub high: f64,
}

impl Apart {
    pub const CONFIDENCE: f64 = 0.99;
}

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.shadows?;
    let (by, apart) = strongest(facts)?;
    let found = format!(
        "{by} tell the target's members from others with AUC {:.3} ({:.3} to {:.3})",
        apart.auc, apart.low, apart.high
    );
    if apart.low <= 0.5 {
        return Some((Status::Ok, found));
    }
    let remedy = "draw both at random from one pool";
    let gated = evidence.gated_attack();
    Some(match gated.filter(|attack| no_better(attack, &apart)) {
        Some(attack) => {
            let detail = format!(
                "{found}, without a look at the target: members are easier records, or of other classes, and {} \
                 does no better; {remedy}",
                attack.id
            );
            (Status::Violated, detail)
        }
        None => {
            let detail = format!(
                "{found}, without a look at the target: part of what attacks find may be this difference; {remedy}"
            );
            (Status::Warn, detail)
        }
    })
}

fn strongest(facts: &ShadowFacts) -> Option<(&'static str, Apart)> {
    let real = facts.shadows > 0 && facts.training_gain > NO_GAIN * facts.training_gain_error;
    let outsiders = facts.outsiders.filter(|_| real);
    let outsiders = outsiders.map(|apart| ("shadows that never trained on a record", apart));
    let labels = facts.labels.map(|apart| ("classes alone", apart));
    let found = outsiders.into_iter().chain(labels);
    found.max_by(|(_, one), (_, other)| one.auc.total_cmp(&other.auc))
}

fn no_better(attack: &AttackMeasures, apart: &Apart) -> bool {
    apart.low >= APART && attack.auc.low <= apart.high
}
