//! The words of the annex, for somebody who meets them for the first time.

use judge::glossary;

use super::Material;
use crate::blocks::{Block, Cell};
use crate::detail::{Detail, Kind};
use crate::document::Report;

pub fn blocks(material: &Material<'_>) -> Vec<Block> {
    let own = OWN.iter().chain(of_kind(material.report));
    let own = own.map(|(word, meaning)| ((*word).to_owned(), Cell::from(*meaning)));
    let shared = shared(material.report)
        .into_iter()
        .filter_map(|(shown, id)| {
            let entry = glossary::find(id)?;
            Some((shown.to_owned(), Cell::from(entry.meaning)))
        });
    vec![
        Block::Facts(own.chain(shared).collect()),
        Block::Remark(EXACT.to_owned()),
    ]
}

const EXACT: &str = "“guestlist explain WORD” has the exact definition of every measure, guardrail and attack, with \
    formulas and papers.";

/// In plain words.
const OWN: &[(&str, &str)] = &[
    (
        "Test, audit",
        "what this annex documents, from the attacks to the outcome. The tool, its commands and its files call it an audit, and the model or service that it is about the audited one.",
    ),
    (
        "Pass, fail, inconclusive",
        "the three outcomes. Fail means that members were told from others, not that the test went wrong; inconclusive means that nothing was decided.",
    ),
    (
        "Membership inference",
        "telling from what a model or service says whether a given record was used for it.",
    ),
    (
        "Record",
        "one unit of data that is asked about: a row of a table, a picture, a text, a document.",
    ),
    (
        "Member",
        "a record that was used for training; of a service that answers from documents, a document in its store.",
    ),
    (
        "Other, non-member",
        "a record of the same kind that was not used. A test needs both, and needs to know which is which.",
    ),
    (
        "Attack",
        "a procedure that gives every record a score, larger for records that look like members, without being told which are.",
    ),
    (
        "AUC",
        "shown one member and one other, how often the attack gives the member the higher score: 0.5 is guessing, 1 is always. It is an average over all records: a few people can be exposed while it is near 0.5.",
    ),
    (
        "False alarm, FPR",
        "somebody who is taken for a member and is none; FPR, the false-positive rate, is the share of the others that this happens to.",
    ),
    (
        "Caught, TPR",
        "the share of members that the attack takes for members while false alarms stay at or below the FPR that is named. At a low FPR it tells whether anybody can be named with hardly a mistake; guessing catches as large a share as the FPR.",
    ),
    (
        "Accuracy, advantage",
        "accuracy: how often the attack is right where half of those it is asked about are members and the best cut of its scores was chosen; 50% is guessing. Advantage: by how much the share of members that it names is larger than the share of others.",
    ),
    (
        "ε and δ (epsilon, delta)",
        "the numbers of differential privacy: what one record may change in a model, a factor of e^ε but for a chance of δ. An attack that does better than an ε allows proves that the model keeps to none so small: the larger the proven ε, the stronger the leak. 0 proves nothing.",
    ),
    (
        "Interval",
        "a range that expresses how uncertain a value is: of ranges made this way, the stated percentage contain the value that endlessly many records of the same kind would give.",
    ),
    (
        "Threshold",
        "the value of a measure that decides between pass and fail; part 7 says how.",
    ),
    ("Guardrail", "a check of the test itself."),
    (
        "Gate, gated",
        "the measure that is held against the threshold, and so decides.",
    ),
    (
        "Target, audited model",
        "the model or service that the test is about.",
    ),
    (
        "Slice",
        "a part of the records that is judged by itself, such as all records of one class.",
    ),
    (
        "Digest, SHA-256",
        "64 letters and digits that are computed from a file. Two files that have the same ones are the same file.",
    ),
];

fn of_kind(report: &Report) -> &'static [(&'static str, &'static str)] {
    match &report.detail {
        Detail::Classifier(one) if one.shadows > 0 => &[
            (
                "Shadow model",
                "a model trained as the audited one was, on a random half of the same records. Of each it is known which records it saw (IN) and which it did not (OUT), so that it can be seen what a record looks like to a model that knows it and to one that does not.",
            ),
            (
                "φ (phi), p",
                "p is the probability that the model gives to the right answer; φ is the same on another scale, ln p − ln(1 − p).",
            ),
        ],
        Detail::Classifier(_) => &[(
            "φ (phi), p",
            "p is the probability that the model gives to the right answer; φ is the same on another scale, ln p − ln(1 − p).",
        )],
        Detail::Lm(_) => &[
            (
                "Token",
                "a piece of a word: what a language model reads and writes.",
            ),
            (
                "Log-probability",
                "how likely the model finds a token or a text, on a logarithmic scale: 0 is certain, the more \
                 negative the less likely.",
            ),
        ],
        Detail::Source(_) => &[
            (
                "Retrieval",
                "looking up documents of the store that fit a question, before the model answers.",
            ),
            (
                "Pretrained",
                "known to the model behind the service without its store.",
            ),
        ],
        Detail::Rag(_) => &[(
            "Retrieval",
            "looking up documents of the store that fit a question, before the model answers.",
        )],
        _ => &[],
    }
}

/// Entries of the glossary that every report shares, as the annex calls them.
fn shared(report: &Report) -> Vec<(&'static str, &'static str)> {
    let proves = report.claim.is_some() || report.canaries.is_some();
    let present = [
        (
            report.kind() == Kind::Lm,
            ("Reference model", "reference-models"),
        ),
        (report.kind() == Kind::Fewshot, ("Few-shot", "few-shot")),
        (report.policy.is_some(), ("Policy", "policy")),
        (report.persons.is_some(), ("Person", "persons")),
        (report.canaries.is_some(), ("Canary", "canary")),
        (report.canaries.is_some(), ("Tier", "tier")),
        (report.canaries.is_some(), ("Extraction", "extraction")),
        (report.unknown.is_some(), ("Call", "calls")),
        (proves, ("Differential privacy", "differential-privacy")),
        (proves, ("ε, epsilon", "epsilon")),
    ];
    let there = present.into_iter().filter(|(there, _)| *there);
    there.map(|(_, word)| word).collect()
}
