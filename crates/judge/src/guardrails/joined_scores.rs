//! Do the scores together tell what none of them tells alone?
//!
//! Scores that are weak and do not depend on each other add up: thirty that reach an AUC of .60 each name nearly every
//! member together. Where they were made elsewhere, nothing here has joined them before.

use super::{Evidence, Status, fails_anyway};
use crate::AttackMeasures;

/// At which what scores show together lies beyond chance.
const CONFIDENCE: f64 = 0.99;

/// All scores of an audit in one, each record's by a model that was fitted on others.
pub struct Joined {
    /// How many there are.
    pub scores: usize,
    /// On how many records, where not on all.
    pub drawn: Option<usize>,
    pub measures: AttackMeasures,
}

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let joined = evidence.joined?;
    if fails_anyway(evidence) {
        return None;
    }
    let gate = evidence.gate;
    let reading = gate.measure.read(&joined.measures, gate.confidence)?;
    let auc = joined.measures.auc.at_confidence(CONFIDENCE);
    let drawn = match joined.drawn {
        None => String::new(),
        Some(records) => format!(", on {records} records drawn by the seed"),
    };
    let detail = format!(
        "the {} scores together, weighed by a model that was fitted on other records, reach an AUC of {:.3} ({:.3} to \
         {:.3}{drawn})",
        joined.scores, auc.value, auc.low, auc.high
    );
    if auc.low <= 0.5 || !gate.fails(&reading) {
        return Some((
            Status::Ok,
            format!("{detail}, no more than the gate allows"),
        ));
    }
    let detail = format!(
        "{detail}: no score violates the gate, but whoever has them all tells more than it allows; add a column that \
         joins them and judge that"
    );
    Some((Status::Violated, detail))
}

#[cfg(test)]
mod tests {
    use attacks::scores::Scores;

    use super::*;
    use crate::gate::{Gate, Rule};
    use crate::{Options, Truth, measure};

    /// Members lie so far above the others.
    fn joined(lift: f64) -> Joined {
        let truth = Truth::new((0..400).map(|place| place % 2 == 0)).unwrap();
        let score = |place: usize| {
            let own = ((place / 2) * 37 % 200) as f64;
            Ok(own + if place.is_multiple_of(2) { lift } else { 0.0 })
        };
        let scores: Scores = (0..400).map(score).collect();
        let options = Options {
            bootstrap_replicates: 0,
            ..Options::default()
        };
        Joined {
            scores: 3,
            drawn: None,
            measures: measure("joined", &scores, &truth, &options).unwrap(),
        }
    }

    fn status(joined: &Joined, gate: &Gate) -> Option<Status> {
        let evidence = Evidence {
            joined: Some(joined),
            ..Evidence::new(200, 200, gate, &[])
        };
        check(&evidence).map(|(status, _)| status)
    }

    #[test]
    fn what_scores_tell_together_takes_a_pass_as_the_gate_would() {
        let gate = Gate::default();
        assert_eq!(status(&joined(0.0), &gate), Some(Status::Ok));
        assert_eq!(status(&joined(40.0), &gate), Some(Status::Violated));
        // An AUC of .68 that may well be .65.
        let proven = Gate {
            rule: Rule::Proven,
            ..gate
        };
        assert_eq!(status(&joined(40.0), &proven), Some(Status::Ok));
        assert_eq!(status(&joined(90.0), &proven), Some(Status::Violated));
    }
}
