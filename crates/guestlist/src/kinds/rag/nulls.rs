//! Do attacks hold their level? Documents that are all outside the store are called members and others by
//! lot, many times, and it is counted how often an interval leaves out one half.

use std::collections::BTreeMap;
use std::path::Path;

use asking::rag::transcript;
use attacks::Attack;
use attacks::rag::{ArmSignals, DocumentFrequencies, ProbeAttack, Scoring};
use attacks::scores::Scores;
use attacks::signals::probes::{Arm, Document, Exchange, Probed};
use judge::rag::cross_fitted;
use judge::{Options, Truth, measure};
use rayon::prelude::*;
use serde::Serialize;
use stats::streams::{Seed, shuffle};

use crate::pipeline::AuditOptions;
use crate::{Error, Result};

/// How often one attack's interval lay on one side of one half, though nothing leaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NullCounts {
    pub attack: String,
    pub nulls: usize,
    pub above: usize,
    pub below: usize,
}

/// A document and what was asked about it with retrieval, and without.
type Heard = (Document, Vec<Exchange>, Vec<Exchange>);

/// Of the non-members of a transcript, at 95%. Attacks that none of its answers serve are left out.
pub fn count_nulls(
    path: &Path,
    options: &AuditOptions,
    nulls: usize,
    seed: Seed,
) -> Result<Vec<NullCounts>> {
    let heard = outside(path)?;
    if heard.len() < 40 {
        return Err(Error::usage(
            format!(
                "{}: {} non-members are too few",
                path.display(),
                heard.len()
            ),
            "give a transcript with at least 40",
        ));
    }
    let frequencies =
        DocumentFrequencies::new(heard.iter().map(|(document, ..)| document.text.as_str()));
    let documents = heard
        .iter()
        .map(|(document, on, off)| probed(document, on, off));
    let signals = ArmSignals::new(documents.collect(), &frequencies);
    let settings = options.resolve::<super::Rag>()?.settings;
    let truths: Vec<Truth> = (0..nulls)
        .map(|null| by_lot(heard.len(), seed, null))
        .collect::<Result<_>>()?;
    let every = <&'static dyn ProbeAttack>::every().iter();
    let counted = every.filter_map(|attack| {
        let scoring = attack.score(&signals, &settings);
        count(attack.card().id, &scoring, &truths)
    });
    Ok(counted.collect())
}

fn probed<'a>(document: &'a Document, on: &'a [Exchange], off: &'a [Exchange]) -> Probed<'a> {
    Probed {
        document,
        exchanges: on.iter().collect(),
        without: off.iter().collect(),
    }
}

/// Documents that the transcript says are not in the store.
fn outside(path: &Path) -> Result<Vec<Heard>> {
    let read = transcript::read(path)?;
    let mut heard: BTreeMap<usize, Heard> = (read.documents.into_iter().enumerate())
        .filter(|(_, (_, member))| *member == Some(false))
        .map(|(place, (document, _))| (place, (document, Vec::new(), Vec::new())))
        .collect();
    for recorded in read
        .exchanges
        .into_iter()
        .filter(|recorded| recorded.repeat == 0)
    {
        if let Some((_, on, off)) = heard.get_mut(&recorded.document) {
            match recorded.arm {
                Arm::Retrieval => on.push(recorded.exchange),
                Arm::NoRetrieval => off.push(recorded.exchange),
            }
        }
    }
    Ok(heard.into_values().collect())
}

/// Half of them are called members.
fn by_lot(documents: usize, seed: Seed, null: usize) -> Result<Truth> {
    let mut members: Vec<bool> = (0..documents).map(|place| place < documents / 2).collect();
    shuffle(&mut seed.numbered("nulls", null as u64), &mut members);
    Truth::new(members)
}

fn count(id: &str, scoring: &Scoring, truths: &[Truth]) -> Option<NullCounts> {
    let options = Options {
        bootstrap_replicates: 0,
        ..Options::default()
    };
    let intervals = truths.par_iter().enumerate().map(|(null, truth)| {
        let scores: Scores = match scoring {
            Scoring::Scores(answers) => answers.iter().copied().collect(),
            Scoring::Features(features) => cross_fitted(features, truth, Seed(null as u64)),
        };
        let auc = measure(id, &scores, truth, &options).ok()?.auc;
        Some((auc.low, auc.high))
    });
    let intervals: Vec<(f64, f64)> = intervals.collect::<Option<_>>()?;
    Some(NullCounts {
        attack: id.to_owned(),
        nulls: intervals.len(),
        above: intervals.iter().filter(|(low, _)| *low > 0.5).count(),
        below: intervals.iter().filter(|(_, high)| *high < 0.5).count(),
    })
}
