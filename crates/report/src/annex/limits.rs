//! What may be concluded, and what may not.

use judge::verdict::Outcome;

use super::Material;
use super::ground::{Ground, feigning};
use super::threat::to_fill_in;
use crate::blocks::Block;
use crate::caveats;
use crate::detail::Kind;
use crate::document::Report;

pub fn blocks(material: &Material<'_>) -> Vec<Block> {
    let report = material.report;
    let says = match report.verdict.outcome {
        Outcome::Pass => vec![held(report).to_owned(), seen(report).to_owned()],
        Outcome::Fail => vec![broken(report).to_owned(), appeared(report)],
        Outcome::Inconclusive => vec![
            "Nothing about the model or service. Part 8 says what stood in the way, and the next steps below \
             what to change."
                .to_owned(),
        ],
    };
    let mut not = NOT_SAID.to_vec();
    not.extend(of_kind(report.kind()));
    if report.verdict.outcome == Outcome::Pass {
        not.push(
            "A pass is no proof. It is evidence about the attacks that were tried; stronger ones may be published \
             tomorrow.",
        );
    }
    let list = |lines: &[&str]| Block::List(lines.iter().map(|line| (*line).to_owned()).collect());
    let mut blocks = vec![
        Block::Heading("It says".into()),
        Block::List(says),
        Block::Heading("It does not say".into()),
        list(&not),
    ];
    blocks.push(Block::Heading(
        "What follows, for the controller to fill in".into(),
    ));
    blocks.push(Block::Facts(to_fill_in(&TO_FILL_IN)));
    if let Some(steps) = crate::composed::next_steps(report) {
        blocks.push(Block::Heading("What the tool suggests next".into()));
        blocks.push(Block::Remark(SUGGESTIONS.to_owned()));
        blocks.push(steps);
    }
    blocks
}

/// What a pass says.
fn held(report: &Report) -> &'static str {
    match Ground::of(report) {
        Ground::NotProven => {
            "With the attacks of part 4, on the records of part 5, it is not proven that membership was told better \
             than the threshold of part 7 allows, though the measured value lies at or above it."
        }
        _ => {
            "With the attacks of part 4, on the records of part 5, membership was not told better than the \
             threshold of part 7 allows."
        }
    }
}

fn seen(report: &Report) -> &'static str {
    if report.verdict.detectable.is_none() {
        return "How small a leak would have been seen is not stated.";
    }
    match caveats::caveats(report).is_empty() {
        true => "A leak as large as the one stated in part 5 would most likely have been seen.",
        false => {
            "A leak as large as the one stated in part 5 would most likely have been seen, unless it is one that \
             the warnings of part 1 speak of."
        }
    }
}

/// What a fail says.
fn broken(report: &Report) -> &'static str {
    match Ground::of(report) {
        Ground::Value | Ground::NotProven => {
            "With an attack of part 4, membership was told better than the threshold of part 7 allows."
        }
        Ground::Slice => {
            "With an attack of part 4, membership was told better than the threshold of part 7 allows in a part of \
             the records, which part 6 names."
        }
        Ground::NotExcluded => {
            "It is not proven that with the attacks of part 4 membership is not told better than the threshold of \
             part 7 allows, though the measured value lies below it."
        }
        Ground::Claim => {
            "An attack of part 4 proves a larger ε than the one that is claimed in part 7."
        }
    }
}

/// Whether the test itself may have made it appear.
fn appeared(report: &Report) -> String {
    let feigning = feigning(report);
    match (feigning.is_empty(), report.verdict.forced) {
        (true, _) => {
            "The guardrails of part 8 found no reason to think that the test itself made it appear."
                .into()
        }
        (false, true) => format!(
            "Guardrails of part 8 say that the test itself may have made it appear, and were overruled: {}.",
            feigning.join(", ")
        ),
        (false, false) => format!(
            "Guardrails of part 8 warn that the test itself may have added to it, not that it made it: {}.",
            feigning.join(", ")
        ),
    }
}

const TO_FILL_IN: [&str; 3] = [
    "How grave it is for a person to be known as a member, and how likely such an attacker is",
    "What is done about the outcome, by whom and until when",
    "Which risk remains, and who accepts it",
];

const SUGGESTIONS: &str = "Suggestions for engineers. What is measured beside one is what the attacks tried here would \
    reach then, which is a minimum; none makes a model anonymous by itself, differential privacy included, whose \
    strength depends on the number ε that is chosen. After a change the test has to be done again.";

const NOT_SAID: [&str; 4] = [
    "That the model is anonymous, or that it is not, in the sense of data protection law. That is a legal \
     conclusion, for which this test is one piece of evidence.",
    "Anything about attacks of another kind than membership inference (part 4).",
    "Anything about another version of the model, other training data, or records unlike those that were judged.",
    "Whether the data were lawfully collected or used.",
];

fn of_kind(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Classifier => &[
            "How shadow models of another recipe would have done: the attacker is given models that were trained \
             as the audited one was, which is the cautious assumption.",
        ],
        Kind::Lm => &[
            "Whether the texts of pre-training leak, where members are texts of fine-tuning alone.",
        ],
        Kind::Rag => &[
            "What the language model behind the service learned in its own training: what it says without \
             retrieval is no leak of the store.",
        ],
        Kind::Source => &[
            "How exactly the service came to an answer: sources are inferred from how answers change.",
        ],
        Kind::Fewshot => {
            &["What an attacker reaches who knows more records than the few that were given here."]
        }
        Kind::Scores => &[
            "How the scores were made: whether the attack saw what it should not have cannot be seen from them.",
        ],
    }
}
