//! Have all models the same records in the same order? A loader that shuffles gives each model its own, and then
//! one record is compared with another.

use serde::{Deserialize, Serialize};

use super::{Evidence, Status, models_alike};

/// Shadows of which the most agree by less than this do not agree, where there are enough records.
const NONE: f64 = 0.1;
const ENOUGH: usize = 200;

/// How far the models agree on which records are hard, by rank correlation with the mean of the shadows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RecordOrder {
    /// Records that were looked at.
    pub records: usize,
    /// What three of four shadows agree with the others by at most.
    pub typical: f64,
    /// What the audited model agrees with them by; nothing where it hardly tells records apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
    pub target_astray: bool,
    /// Models that do not agree where the others do.
    pub astray: Vec<usize>,
}

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let order = evidence.shadows?.order.as_ref()?;
    let typical = order.typical;
    if !order.astray.is_empty() {
        let models = models_alike::named(&order.astray);
        let who = match (order.astray.len(), order.target_astray) {
            (1, true) => format!("model {models} (the target) does"),
            (1, false) => format!("model {models} does"),
            (_, true) => format!("models {models} (the target among them) do"),
            (_, false) => format!("models {models} do"),
        };
        let detail = format!(
            "shadows agree on which records are hard (rank correlation {typical:.2}), and {who} not: are these \
             outputs of the same records in the same order? A loader that shuffles gives every model an order of \
             its own, and attacks then compare one record with another; collect phi and keep of all models in one \
             order, without shuffling"
        );
        return Some((Status::Violated, detail));
    }
    if typical < NONE {
        return (order.records >= ENOUGH).then(|| {
            let detail = format!(
                "no model agrees with another on which records are hard (rank correlation {typical:.2}), as where \
                 every model has the records in an order of its own; where they were real records, check that all \
                 outputs stand in one order"
            );
            (Status::Warn, detail)
        });
    }
    let target = order.target.map(|by| format!(", the target by {by:.2}"));
    let detail = format!(
        "shadows agree on which records are hard by a rank correlation of {typical:.2}{}",
        target.unwrap_or_default()
    );
    Some((Status::Ok, detail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;
    use crate::guardrails::ShadowFacts;

    fn said(typical: f64, records: usize, astray: &[usize]) -> Option<(Status, String)> {
        let facts = ShadowFacts {
            order: Some(RecordOrder {
                records,
                typical,
                target: Some(typical),
                target_astray: astray.contains(&0),
                astray: astray.to_vec(),
            }),
            ..ShadowFacts::default()
        };
        let gate = Gate::default();
        check(&Evidence {
            shadows: Some(&facts),
            ..Evidence::new(500, 500, &gate, &[])
        })
    }

    #[test]
    fn models_that_disagree_with_the_rest_are_named() {
        let (status, detail) = said(0.9, 1000, &[0]).unwrap();
        assert_eq!(status, Status::Violated);
        assert!(detail.contains("model 0 (the target) does not"), "{detail}");
        let (_, detail) = said(0.9, 1000, &[3, 7]).unwrap();
        assert!(detail.contains("models 3, 7 do not"), "{detail}");
        assert_eq!(said(0.9, 1000, &[]).unwrap().0, Status::Ok);
        // Nobody agrees: it is said, and blocks nothing.
        assert_eq!(said(0.01, 1000, &[]).unwrap().0, Status::Warn);
        assert_eq!(said(0.01, 100, &[]), None);
    }
}
