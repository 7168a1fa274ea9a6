//! What was tested: the model or service, the records, and when.

use super::Material;
use super::result::sentence;
use super::threat::to_fill_in;
use crate::blocks::{Block, Cell};
use crate::composed::judged;
use crate::detail::Detail;
use crate::document::Report;
use crate::labels_alone::labels_alone;
use crate::sections::percent;
use crate::source::OffArm;
use crate::subject;

pub fn blocks(material: &Material<'_>) -> Vec<Block> {
    let report = material.report;
    let provenance = &report.provenance;
    let date = provenance.date.clone();
    let unknown = || "not recorded".to_owned();
    let mut facts: Vec<(String, Cell)> = vec![
        ("Tested".into(), subject::named(report).into()),
        (
            "Day of the test".into(),
            date.unwrap_or_else(unknown).into(),
        ),
        ("Judged".into(), sentence(&judged(report)).into()),
    ];
    if let Some(accuracy) = subject::accuracy(report) {
        let right = format!(
            "right on {} of its training records and on {} of the others",
            percent(accuracy.training),
            percent(accuracy.test)
        );
        facts.push(("How well the model works".into(), right.into()));
    }
    if let Some(persons) = &report.persons {
        facts.push((
            "Whose records they are".into(),
            format!(
                "records belong to persons, told apart by “{}”",
                persons.group
            )
            .into(),
        ));
    }
    let mut blocks = vec![Block::Facts(facts)];
    let particulars = particulars(report);
    if !particulars.is_empty() {
        blocks.push(Block::Heading("How it was made or reached".into()));
        blocks.push(Block::List(particulars));
    }
    blocks.push(Block::Remark(UNKNOWN.to_owned()));
    blocks.push(Block::Facts(to_fill_in(&TO_FILL_IN)));
    let mut notes = report.notes.clone();
    notes.extend(labels_alone(report).map(|words| alone(&words)));
    if !notes.is_empty() {
        blocks.push(Block::Heading("What else the tool notes".into()));
        blocks.push(Block::List(notes));
    }
    blocks
}

const UNKNOWN: &str = "What the tool cannot know, and whoever answers for the model fills in:";
const TO_FILL_IN: [&str; 3] = [
    "Name, version and purpose of the model or service, and whether it is the one in use",
    "Whether records concern persons: whose, what kind of data, from where, and how many people",
    "What follows for a person of whom it becomes known that their data were used",
];

/// How models were trained, which models were asked, what a service is.
fn particulars(report: &Report) -> Vec<String> {
    let training = report
        .detail
        .training()
        .map(|training| training.sentences());
    let scoring = report.detail.scoring().map(|scoring| scoring.sentences());
    let mut said: Vec<String> = training.into_iter().chain(scoring).flatten().collect();
    match &report.detail {
        Detail::Rag(rag) => {
            said.extend(
                rag.service
                    .iter()
                    .map(|service| format!("the service: {service}")),
            );
            said.push(format!(
                "{} answers to {} different questions{}",
                rag.requests.answered,
                rag.requests.questions,
                rag.requests
                    .days
                    .iter()
                    .map(|days| format!(", {days}"))
                    .collect::<String>()
            ));
        }
        Detail::Source(source) => {
            said.push(format!("the service: {}", source.service));
            said.push(match &source.off_arm {
                OffArm::Switch => {
                    "without retrieval the same service answered, with its retrieval switched off"
                        .into()
                }
                OffArm::StandIn { service } => {
                    format!("without retrieval another endpoint answered in its place: {service}")
                }
            });
        }
        _ => {}
    }
    said.iter().map(|words| sentence(words)).collect()
}

/// What an attacker would reach whom the model tells less.
fn alone(words: &str) -> String {
    let reached = words.strip_prefix("with labels alone: ").unwrap_or(words);
    let who = "if the model answered with the predicted class alone, without probabilities, the best attack on that which was tried here would reach";
    sentence(&match reached.strip_prefix("not known from φ") {
        None => format!("{who} {reached}; others may reach more, so that this is a minimum"),
        Some(remedy) => format!("{who} what is not known here: φ alone was stored{remedy}"),
    })
}
