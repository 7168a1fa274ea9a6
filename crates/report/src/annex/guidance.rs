//! Where published guidance asks for what stands in the other parts, in our words.

use judge::AttackMeasures;
use judge::claim::ClaimOutcome;
use judge::verdict::Outcome;

use super::attackers::plural;
use super::{Family, Material};
use crate::blocks::{Block, Table, cells};
use crate::document::Report;
use crate::sections::percent;

pub fn blocks(material: &Material<'_>) -> Vec<Block> {
    let report = material.report;
    let rows = [
        ["EDPB Opinion 28/2024, paragraph 46", "how much testing is right depends on who can reach the model and how", "part 3; the controller fills in who has access"].map(String::from),
        ["EDPB Opinion 28/2024, paragraph 55", "tests against known attacks, their scope and quality; a test is evidence about the attacks that were tried", "parts 4, 5, 6, 8, 9; of the attacks it names, membership inference alone was tested"].map(String::from),
        ["EDPB Opinion 28/2024, paragraph 58", "documentation: threat model, what was tested by whom, when and how, and with what result, beside more", "parts 2, 3, 4, 7, 10, which are a part of what it lists; by whom is for the controller to fill in. Not here: an impact assessment, the advice of a data protection officer, measures taken, what data subjects and other controllers are told"].map(String::from),
        ["OWASP AI Testing Guide, AITG-MOD-04: analysis of outputs", "can outputs of the model for members and others be told apart?", &tried(material, Family::Outputs)].map(String::from),
        ["OWASP AI Testing Guide, AITG-MOD-04: shadow models", "can an attack that learns from shadow models tell them apart?", &tried(material, Family::Shadows)].map(String::from),
        ["OWASP AI Testing Guide, AITG-MOD-04: perturbations", "do answers to slightly changed inputs give members away?", &tried(material, Family::Perturbations)].map(String::from),
        ["OWASP AISVS 1.0, 11.3.1", "outputs are calibrated, so that a sure answer gives less away", "not looked at: a property of how the model is served"].map(String::from),
        ["OWASP AISVS 1.0, 11.3.2", "sensitive data are trained on with differential privacy and a documented ε", private(report)].map(String::from),
        ["OWASP AISVS 1.0, 11.3.3", "simulated attacks do not do meaningfully better than guessing", &attacks(report)].map(String::from),
    ];
    let heads = [
        "guidance",
        "what it asks, in our words",
        "part of this annex, and what is lacking",
    ];
    let rows = rows.iter().map(|row| cells(row)).collect();
    vec![
        Block::Remark(INTRODUCTION.to_owned()),
        Block::Table(Table::new("Guidance", &heads, rows)),
    ]
}

/// What AITG-MOD-04 names as an example.
const EXAMPLE: f64 = 0.6;

const INTRODUCTION: &str = "For finding one's way: which passage asks for what stands where. That a passage is \
    listed does not mean that it is satisfied. EDPB: European Data Protection Board, Opinion 28/2024 of 17 December \
    2024 on AI models. OWASP: AI Testing Guide, and Artificial Intelligence Security Verification Standard (AISVS).";

/// How many attacks of a family ran, and how often the best of them is right.
fn tried(material: &Material<'_>, family: Family) -> String {
    let ran = material.report.attacks.iter().filter(|attack| {
        let known = material.known(&attack.id);
        known.is_some_and(|known| known.family == family)
    });
    // From the strongest by AUC; accuracy is what that guide speaks of.
    let ran: Vec<&AttackMeasures> = ran.collect();
    let accuracy = ran.iter().map(|attack| attack.balanced_accuracy.value);
    let accuracy = accuracy.fold(0.0, f64::max);
    match ran.len() {
        0 => "not tried".to_owned(),
        count => format!(
            "part 4: {} of this kind; the best accuracy is {}, {} (guessing: 50%)",
            plural(count, "attack", "attacks"),
            percent(accuracy),
            match accuracy > EXAMPLE {
                true => "above the 60% that the guide gives as an example",
                false => "not above the 60% that the guide gives as an example",
            }
        ),
    }
}

fn private(report: &Report) -> &'static str {
    match report.claim.as_ref().map(|claim| claim.outcome) {
        None => "no ε was claimed to the audit",
        Some(ClaimOutcome::Refuted) => "part 7: an ε was claimed, and an attack refutes it",
        Some(ClaimOutcome::NotRefuted) => {
            "part 7: an ε was claimed; no attack refutes it, which is no proof of it"
        }
        Some(ClaimOutcome::Untested) => {
            "part 7: an ε was claimed; so few records could not have refuted it"
        }
    }
}

fn attacks(report: &Report) -> String {
    if report.verdict.outcome == Outcome::Inconclusive {
        return "nothing was decided".into();
    }
    let Some(best) = report.strongest_first().into_iter().next() else {
        return "nothing was decided".into();
    };
    let guessing = match best.auc.low > 0.5 {
        true => "surely better than guessing (0.5), as far as this attack by itself is concerned",
        false => "not surely better than guessing (0.5)",
    };
    format!(
        "parts 1, 4: the best attack has an AUC of {:.3} ({:.3}–{:.3}), {guessing}; what is meaningful is for the \
         assessor to say",
        best.auc.value, best.auc.low, best.auc.high
    )
}
