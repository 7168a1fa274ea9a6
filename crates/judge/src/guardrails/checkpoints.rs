//! Do other checkpoints of the audited training leak, which the gate does not look at?

use super::{Evidence, Status};

/// So many are named before the others are counted.
const MOST_NAMED: usize = 5;

/// A checkpoint beside the audited one that would not pass, by the attack that shows most of it.
#[derive(Clone, Debug, PartialEq)]
pub struct LeakingCheckpoint {
    pub label: String,
    pub attack: String,
    /// What the gate looks at.
    pub value: f64,
}

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let leaking = evidence.leaking_checkpoints;
    if leaking.is_empty() {
        return None;
    }
    let measure = evidence.gate.measure.name();
    let named = leaking.iter().take(MOST_NAMED).map(|one| {
        format!(
            "checkpoint {} leaks: {measure} of {} is {:.3}",
            one.label, one.attack, one.value
        )
    });
    let mut listed = named.collect::<Vec<_>>().join("; ");
    if leaking.len() > MOST_NAMED {
        listed += &format!("; and {} more leak", leaking.len() - MOST_NAMED);
    }
    let detail = format!(
        "{listed}; the verdict is about the audited checkpoint alone: whoever gets another one gets what it leaks"
    );
    Some((Status::Warn, detail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;

    #[test]
    fn checkpoints_that_leak_are_named_and_counted() {
        let gate = Gate::default();
        let said = |count: usize| {
            let one = |place: usize| LeakingCheckpoint {
                label: (place * 1000).to_string(),
                attack: "ez".to_owned(),
                value: 0.991,
            };
            let leaking: Vec<LeakingCheckpoint> = (1..=count).map(one).collect();
            check(&Evidence {
                leaking_checkpoints: &leaking,
                ..Evidence::new(100, 100, &gate, &[])
            })
        };
        assert_eq!(said(0), None);
        let (status, detail) = said(1).unwrap();
        assert_eq!(status, Status::Warn);
        assert!(
            detail.starts_with("checkpoint 1000 leaks: AUC of ez is 0.991; the verdict"),
            "{detail}"
        );
        assert!(said(7).unwrap().1.contains("; and 2 more leak;"));
    }
}
