//! The policy that an audit was held against, criterion by criterion, and what was claimed.

use judge::claim::ClaimFinding;
use judge::gate::{Measure, Rule};
use judge::policy::{CriterionFinding, PolicyFinding};

use super::heads;
use crate::blocks::Section;
use crate::document::Report;
use crate::headline::sign;

pub fn sections(report: &Report) -> Vec<Section> {
    let policy = report.policy.as_ref().map(section);
    let claim = report.claim.as_ref().map(claim);
    policy.into_iter().chain(claim).collect()
}

/// Every criterion with its threshold, what was found, and why the threshold is what it is.
pub fn section(policy: &PolicyFinding) -> Section {
    let attackers: Vec<&str> = policy.attackers.iter().map(|one| one.name()).collect();
    let mut remarks = vec![format!(
        "SHA-256 of the policy: {}. A pass may hold for the attacker {}; smallest sizes: {} members, {} \
         non-members; slices of {} and more must be decided where a criterion asks for them.",
        policy.sha256,
        attackers.join(" or "),
        policy.smallest.members,
        policy.smallest.nonmembers,
        policy.smallest.slice
    )];
    remarks.extend(policy.criteria.iter().enumerate().map(why));
    Section {
        title: format!("Policy: {}", policy.name),
        heads: heads(&["criterion", "of", "fails at", "found", "attack", "outcome"]),
        rows: policy.criteria.iter().enumerate().map(row).collect(),
        remarks,
        ..Section::default()
    }
}

fn row((place, one): (usize, &CriterionFinding)) -> Vec<String> {
    let at = match one.rule {
        Rule::Point => one.threshold.to_string(),
        Rule::Conservative => format!("{} (whole interval below)", one.threshold),
        Rule::Proven => format!("{} (whole interval above)", one.threshold),
    };
    vec![
        format!("{} {}", place + 1, one.measure),
        one.scope.word().into(),
        at,
        found(one),
        one.attack.clone().unwrap_or_else(|| "–".into()),
        sign(one.outcome).into(),
    ]
}

fn found(one: &CriterionFinding) -> String {
    match (one.measure, one.value, one.low.zip(one.high)) {
        (Measure::Epsilon(_), Some(value), _) => format!("≥ {value:.4}"),
        (_, Some(value), Some((low, high))) => format!("{value:.4} ({low:.3}–{high:.3})"),
        (_, Some(value), None) => format!("{value:.4}"),
        (_, None, _) => "not measured".into(),
    }
}

/// What decided a criterion, and why its threshold is what it is.
fn why((place, one): (usize, &CriterionFinding)) -> String {
    let threshold = match one.why.is_empty() {
        true => String::new(),
        false => format!(" Why {}: {}", one.threshold, one.why),
    };
    format!("{}. {}.{threshold}", place + 1, one.reason)
}

/// What was claimed of ε, and what attacks say of it.
pub fn claim(claim: &ClaimFinding) -> Section {
    Section {
        title: "Claimed privacy".into(),
        points: vec![claim.to_string(), format!("The bound {}.", claim.note)],
        ..Section::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::attacker::Wanted;
    use judge::policy::{Scope, Smallest};
    use judge::verdict::Outcome;

    #[test]
    fn every_criterion_has_a_row_and_a_reason() {
        let one = |measure, value, outcome| CriterionFinding {
            measure,
            scope: Scope::Whole,
            threshold: 0.65,
            rule: Rule::Point,
            confidence: 0.95,
            why: "it was so before".into(),
            value,
            low: value,
            high: value,
            attack: value.map(|_| "lira".to_owned()),
            outcome,
            reason: "what was found".into(),
        };
        let policy = PolicyFinding {
            name: "ours".into(),
            sha256: "ab".into(),
            smallest: Smallest::default(),
            attackers: vec![Wanted::Strongest],
            criteria: vec![
                one(Measure::Auc, Some(0.7), Outcome::Fail),
                one(Measure::Epsilon(1e-5), Some(0.5), Outcome::Pass),
                one(Measure::TprAtFpr(0.001), None, Outcome::Inconclusive),
            ],
        };
        let section = section(&policy);
        assert_eq!(section.title, "Policy: ours");
        let found: Vec<&str> = section.rows.iter().map(|row| row[3].as_str()).collect();
        assert_eq!(found, ["0.7000 (0.700–0.700)", "≥ 0.5000", "not measured"]);
        assert_eq!(section.remarks.len(), 4);
        assert!(section.remarks[1].contains("Why 0.65: it was so before"));
        assert!(
            section
                .rows
                .iter()
                .all(|row| row.len() == section.heads.len())
        );
    }
}
