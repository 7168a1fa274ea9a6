//! What to do next: steps that would lower the leak or settle the verdict, and steps that would not.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NextStep {
    /// What to do, as an instruction.
    pub what: String,
    /// What speaks for it or against it, and what it costs.
    pub why: String,
    /// What this audit measured of it; absent where it measured nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
}

/// What an attacker reaches after the step, as measured in the same audit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Measured {
    /// Whose AUC it is.
    pub attack: String,
    pub auc: f64,
    pub low: f64,
    pub high: f64,
    /// The deciding attack's AUC as things are.
    pub instead_of: f64,
    /// Whether the AUC lies below the gate's threshold then; absent where AUC is not gated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enough: Option<bool>,
}

impl fmt::Display for Measured {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measured {
            attack,
            auc,
            low,
            high,
            instead_of,
            enough,
        } = self;
        let enough = match enough {
            Some(true) => "",
            Some(false) => ", which is not enough",
            None => "",
        };
        write!(
            out,
            "measured: AUC {auc:.3} ({low:.3}–{high:.3}, {attack}) instead of {instead_of:.3}{enough}"
        )
    }
}

impl NextStep {
    /// What speaks for it, and what was measured.
    pub fn reason(&self) -> String {
        match &self.measured {
            Some(measured) => format!("{}; {measured}", self.why),
            None => self.why.clone(),
        }
    }
}
