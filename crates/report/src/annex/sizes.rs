//! How many records the test had, and how small a leak it could have seen with them.

use judge::gate::Measure;

use super::{Material, words};
use crate::blocks::{Block, Cell};
use crate::document::Report;

pub fn blocks(material: &Material<'_>) -> Vec<Block> {
    let report = material.report;
    let data = &report.provenance.data;
    let others = data.judged_records - data.judged_members;
    let mut facts: Vec<(String, Cell)> = vec![
        ("Records given".into(), data.records.to_string().into()),
        (
            "Records judged".into(),
            format!("{} members and {others} others", data.judged_members).into(),
        ),
    ];
    facts.extend(people(report));
    for (name, count) in report.detail.counts() {
        // Which of the models it is counts nothing, and neither does one variant of each record.
        if name != "target" && (name, count) != ("augmentations", 1) {
            facts.push((plain(name), count.to_string().into()));
        }
    }
    vec![
        Block::Facts(facts),
        Block::Remark(seen(report)),
        Block::Remark(format!("{POWER} {}", by_part(report))),
    ]
}

const POWER: &str = "“Most likely” means in 80 of 100 repetitions with other records of the same kind, where a test \
    that calls chance a leak in at most 5 of 100 is made by one attack that was chosen beforehand. A leak that concerns a few people alone can be smaller than that and yet grave for them.";

/// Where to look for the leak that concerns a few.
fn by_part(report: &Report) -> &'static str {
    match report.diagnostics.slices {
        Some(_) => {
            "The shares caught at a low FPR (part 4) and the results by part of the data (part 6) speak of those."
        }
        None => {
            "The shares caught at a low FPR (part 4) speak of those; the test was told of no part of the data that it \
             could judge by itself."
        }
    }
}

fn people(report: &Report) -> Option<(String, Cell)> {
    let persons = report.persons.as_ref()?;
    let first = persons.attacks.first()?;
    Some((
        "Persons judged".to_owned(),
        format!(
            "{} members and {} others",
            first.n_members, first.n_nonmembers
        )
        .into(),
    ))
}

/// The keys of the document in words.
fn plain(key: &str) -> String {
    match key {
        "models" => "Models, the audited one among them".into(),
        "shadows" => "Shadow models it was compared with".into(),
        "augmentations" => "Variants of each record that models were asked about".into(),
        "reference_records" => "Reference records".into(),
        "tokens" => "Tokens (pieces of words) that models predicted".into(),
        other => other.replace('_', " "),
    }
}

fn seen(report: &Report) -> String {
    let measure = report
        .verdict
        .gate
        .as_ref()
        .map_or(Measure::Auc, |gate| gate.measure);
    match report.verdict.detectable {
        Some(least) => format!(
            "The smallest leak that would most likely have been seen with so many records: {} of {} \
             (guessing: {}). Anything smaller could have gone unseen.",
            words::measure(measure),
            words::value(measure, least),
            words::chance(measure)
        ),
        None => {
            "The report does not state the smallest leak that so many records could have shown."
                .to_owned()
        }
    }
}
