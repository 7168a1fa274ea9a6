//! What the audit was held against, and who said why.

use judge::gate::{DEFAULT_AUC_THRESHOLD, Measure};
use judge::verdict::Decision;

use super::threat::to_fill_in;
use super::{Material, words};
use crate::blocks::Block;
use crate::sections::policy;

pub fn blocks(material: &Material<'_>) -> Vec<Block> {
    let report = material.report;
    let mut blocks = match &report.policy {
        Some(found) => {
            let mut blocks = vec![Block::Remark(POLICY.to_owned())];
            blocks.extend(policy::section(found).blocks());
            blocks
        }
        None => gate(report.verdict.gate.as_ref()),
    };
    blocks.extend(
        report
            .claim
            .iter()
            .flat_map(|claim| policy::claim(claim).blocks()),
    );
    blocks.push(Block::Remark(NUMBERS.to_owned()));
    blocks
}

const POLICY: &str = "The test was held against a policy: a file of criteria, each with a threshold and the \
    reason that its authors gave for it. Every criterion must hold for a pass.";
const NUMBERS: &str = "No law sets a number for any of these measures. Of the guidance in part 11, OWASP's \
    AITG-MOD-04 alone names one, as an example: an accuracy above 60%, where guessing has 50%. A threshold is a \
    decision of whoever answers for the model, and its justification is theirs.";
const TO_FILL_IN: [&str; 1] = ["Why this threshold is right for these people and these data"];
const UNJUSTIFIED: &str = "No justification is recorded: the test was held against a threshold alone, not against \
    a policy, where every threshold comes with its reason (guestlist init policy). Whoever relies on the outcome \
    should add why this threshold is right for these people and these data.";

fn gate(gate: Option<&Decision>) -> Vec<Block> {
    let Some(gate) = gate else {
        return vec![Block::Remark(
            "No threshold was applied: nothing was decided.".to_owned(),
        )];
    };
    let usual = match gate.measure == Measure::Auc && gate.threshold == DEFAULT_AUC_THRESHOLD {
        true => " That is the tool's default, a convention of its authors.",
        false => "",
    };
    vec![
        Block::Remark(format!(
            "Held against one threshold: {} of {} (guessing: {}): {}.{usual}",
            words::measure(gate.measure),
            words::threshold(gate.measure, gate.threshold),
            words::chance(gate.measure),
            words::rule(gate.rule)
        )),
        Block::Remark(UNJUSTIFIED.to_owned()),
        Block::Facts(to_fill_in(&TO_FILL_IN)),
    ]
}
