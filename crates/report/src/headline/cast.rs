//! Who plays in the sentence: the attacker, and what members and others are called, by kind.

use crate::detail::Detail;
use crate::document::Report;
use crate::fewshot::Fewshot;
use judge::attacker::{LABEL_ONLY, TARGET_ONLY};
use judge::verdict::Level;

/// The words of one kind of audit.
pub struct Cast {
    /// Begins a sentence: "an attacker who …".
    pub who: String,
    /// All of what was inside.
    pub members: &'static str,
    /// One of them and one of the others.
    pub pair: &'static str,
}

impl Cast {
    pub fn new(report: &Report) -> Self {
        let who = format!("an attacker who {}", does(report));
        let (members, pair) = match decides(report) {
            Some(Level::Person) => people(&report.detail),
            _ => named(&report.detail),
        };
        Cast { who, members, pair }
    }
}

/// Whose measure decided.
fn decides(report: &Report) -> Option<Level> {
    report.verdict.gate.as_ref()?.level
}

fn does(report: &Report) -> String {
    match &report.detail {
        Detail::Classifier(one) if one.shadows > 0 && compares_models(report) => {
            "may ask the model and trains models like it".into()
        }
        Detail::Classifier(_) => "may ask the model".into(),
        Detail::Lm(_) if compares(report) => {
            "may ask the model and a reference model how likely texts are".into()
        }
        Detail::Lm(_) => "may ask the model how likely texts are".into(),
        Detail::Rag(_) => "may ask the service".into(),
        Detail::Source(_) => "may ask the service with retrieval and without".into(),
        Detail::Fewshot(few) => knows_a_few(few, report),
        _ => "has these scores".into(),
    }
}

/// Whether an attack looked at shadow models: that they are there tells nobody anything.
fn compares_models(report: &Report) -> bool {
    let attacker = report.verdict.attacker.as_ref();
    let alone = attacker.and_then(|attacker| attacker.name.as_deref()) == Some(TARGET_ONLY);
    let mut attacks = report.attacks.iter().map(|attack| attack.id.as_str());
    let correctness = attacks.len() > 0 && attacks.all(|id| id == LABEL_ONLY[0]);
    !alone && !correctness
}

/// Whether the attacker had a reference model, as the verdict says.
fn compares(report: &Report) -> bool {
    let attacker = report.verdict.attacker.as_ref();
    attacker.is_some_and(|attacker| attacker.stronger.is_none())
}

/// By the number of records that the deciding attack was shown.
fn knows_a_few(few: &Fewshot, report: &Report) -> String {
    let gate = report.verdict.gate.as_ref();
    let deciding = |id: &str| {
        let mut all = few.attacks.iter();
        all.find(|one| crate::fewshot::measured_as(one) == id)
    };
    let shots = gate
        .and_then(|gate| deciding(&gate.attack))
        .map(|one| one.shots);
    match shots {
        Some(1) => "knows one record inside and one outside".into(),
        Some(shots) => format!("knows {shots} records inside and {shots} outside"),
        None => "knows a few records inside and outside".into(),
    }
}

/// The same of people.
fn people(detail: &Detail) -> (&'static str, &'static str) {
    match detail {
        Detail::Lm(_) => (
            "the people whose texts it was trained on",
            "one person whose texts it was trained on and one other",
        ),
        Detail::Rag(_) => (
            "the people whose documents are in the store",
            "one person whose documents are in the store and one other",
        ),
        Detail::Scores(_) => (
            "the people who are members",
            "one person who is a member and one who is not",
        ),
        _ => (
            "the people in the training data",
            "one person in the training data and one other",
        ),
    }
}

/// All members, and one of them beside one of the others.
fn named(detail: &Detail) -> (&'static str, &'static str) {
    match detail {
        Detail::Classifier(_) | Detail::Fewshot(_) => {
            ("the training records", "one training record and one other")
        }
        Detail::Lm(_) => ("the training texts", "one training text and one other"),
        Detail::Rag(_) => (
            "the documents in the store",
            "one document of the store and one other",
        ),
        Detail::Source(_) => (
            "the texts that the store holds or the model learnt",
            "one text that it knows and one that is new to it",
        ),
        _ => ("the members", "one member and one non-member"),
    }
}
