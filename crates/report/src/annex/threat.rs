//! Whom the test takes for the attacker, and what that one wants.

use super::Material;
use super::result::sentence;
use crate::blocks::{Block, Cell};
use crate::detail::Kind;
use crate::document::Report;

pub fn blocks(material: &Material<'_>) -> Vec<Block> {
    let report = material.report;
    let kind = report.detail.particulars();
    let facts = vec![
        ("The question".to_owned(), question(kind.question()).into()),
        (
            "What the attacker wants".to_owned(),
            wish(report.kind()).into(),
        ),
        ("What the attacker has".to_owned(), attacker(report)),
        ("Stronger attackers".to_owned(), stronger(report).into()),
        ("Why it matters".to_owned(), harm(report.kind()).into()),
    ];
    vec![
        Block::Facts(facts),
        Block::Remark(CONTEXT.to_owned()),
        Block::Facts(to_fill_in(&TO_FILL_IN)),
    ]
}

const CONTEXT: &str = "Who will really be able to reach the model or service (the public, customers, staff; its \
    answers, its probabilities or its weights) is not known to this test, and decides which attackers have to \
    be reckoned with. The controller fills in:";
const TO_FILL_IN: [&str; 4] = [
    "Who will have access, and to what",
    "Tested by (name, role)",
    "Reviewed by (name, role, day)",
    "When the test will be repeated",
];
const BLANK: &str = "…………………………………………………………";

/// Lines for somebody's own words.
pub fn to_fill_in(lines: &[&str]) -> Vec<(String, Cell)> {
    let blank = |what: &&str| ((*what).to_owned(), Cell::from(BLANK));
    lines.iter().map(blank).collect()
}

/// Without the words that introduce it on a page.
fn question(words: &str) -> String {
    let words = words.strip_prefix("The question: ").unwrap_or(words);
    sentence(words)
}

fn wish(kind: Kind) -> &'static str {
    match kind {
        Kind::Rag | Kind::Source => {
            "To learn whether a document that is at hand is in the store that the service answers from. The \
             attacker has the document already: what leaks is that it is there."
        }
        _ => {
            "To learn whether a record that is at hand was used for training. The attacker has the record \
             already: what leaks is that it was used."
        }
    }
}

fn harm(kind: Kind) -> &'static str {
    match kind {
        Kind::Rag | Kind::Source => {
            "That a document is in a store can itself be confidential: a contract, a complaint, a patient's \
             file. Membership is also the first step of attacks that go after contents."
        }
        _ => {
            "That somebody's record was used can itself be personal data, as where all records are of patients \
             or of debtors. That membership can be told is also a sign that the model remembers single records, which attacks on \
             their contents build on."
        }
    }
}

fn attacker(report: &Report) -> Cell {
    let known = report.verdict.attacker.as_ref();
    match known {
        Some(attacker) => sentence(&format!("somebody who {}", attacker.who)).into(),
        None => "The report does not say: nothing was decided, or an earlier version made it. Part 4 lists \
                 what each attack needs."
            .into(),
    }
}

fn stronger(report: &Report) -> String {
    match report.verdict.attacker.as_ref() {
        None => "Not stated.".to_owned(),
        Some(attacker) => match (&attacker.stronger, attacker.named) {
            (None, _) => {
                "Of the attackers that this tool can play with what the test was given, none who knows more was \
                 left out; single attacks that did not run stand in part 4. Attackers who have more than the test \
                 was given, such as the model's weights, may reach more."
                    .to_owned()
            }
            (Some(stronger), false) => format!("Not tried here: {}", sentence(stronger)),
            (Some(stronger), true) => format!(
                "Not tried here, because whoever ran the test named this attacker as the one to be safe from: {}",
                sentence(stronger)
            ),
        },
    }
}
