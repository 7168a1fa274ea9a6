//! What may show that questions reached the members' documents, beside the attacks.

use std::collections::HashMap;

use attacks::rag::signals::Signal;
use judge::Truth;
use judge::rag::Reach;

use super::ArmView;
use super::facts::Sightings;
use super::measured::tells;

pub fn reach(on: &ArmView, off: Option<&ArmView>, sightings: &Sightings, truth: &Truth) -> Reach {
    let with = overlaps(on);
    let without = off.map(overlaps);
    // What the model says by itself is no sign of the store.
    let gained = |place: usize| match &without {
        None => with[place],
        Some(without) => Some(with[place]? - without[place]?),
    };
    let documents = 0..truth.len();
    let sources = sightings.by_document();
    let sources = sources.and_then(|seen| {
        let seen = seen.into_iter().map(|seen| Some(f64::from(u8::from(seen))));
        tells(seen.zip(truth.iter()))
    });
    let (answers, commonest) = commonest(on);
    Reach {
        overlap: tells(documents.map(gained).zip(truth.iter())),
        sources,
        answers,
        commonest,
    }
}

/// By document: how much of it comes back that the question did not hold, over all strategies.
fn overlaps(arm: &ArmView) -> Vec<Option<f64>> {
    let columns = arm.heard.columns.iter();
    let columns: Vec<_> = columns
        .filter(|column| column.signal == Signal::Overlap)
        .collect();
    let mean = |place: usize| {
        let values = columns.iter().filter_map(|column| column.values[place]);
        let values: Vec<f64> = values.collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    (0..arm.heard.documents.len()).map(mean).collect()
}

/// How many answers there are, and how many of them are one and the same.
fn commonest(arm: &ArmView) -> (usize, usize) {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let exchanges = arm
        .heard
        .documents
        .iter()
        .flat_map(|probed| &probed.exchanges);
    for reply in exchanges.filter_map(|exchange| exchange.reply.as_deref()) {
        *counts.entry(reply.answer.trim()).or_default() += 1;
    }
    let most = counts.values().max().copied().unwrap_or(0);
    (counts.values().sum(), most)
}
