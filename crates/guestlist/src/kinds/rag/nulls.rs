//! Do attacks hold their level? Documents that are all outside the store are called members and others by
//! lot, many times, and it is counted how often an interval leaves out one half.

use std::collections::BTreeMap;
use std::path::Path;

use asking::rag::transcript;
use attacks::Attack;
use attacks::rag::{ArmSignals, DocumentFrequencies, ProbeAttack, Scoring};
use attacks::scores::Scores;
use attacks::signals::probes::{Arm, Document, Exchange, Probed};
use judge::cross_fitted;
use judge::gate::Gate;
use judge::verdict::{Choice, decide};
use judge::{AttackMeasures, Options, Truth, measure};
use rayon::prelude::*;
use serde::Serialize;
use stats::streams::{Seed, shuffle};

use crate::pipeline::AuditOptions;
use crate::{Error, Result};

/// How often one attack's interval lay on one side of one half, though nothing leaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NullCounts {
    pub attack: String,
    pub above: usize,
    pub below: usize,
}

/// Audits in which nothing leaks, with so many documents of each kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Nulls {
    pub each: usize,
    pub nulls: usize,
    pub attacks: Vec<NullCounts>,
    /// Audits whose strongest attack lay above one half with its whole interval, as corrected for the number of attacks.
    pub beyond_chance: usize,
    /// Those among them that reached the usual threshold, and so would have failed.
    pub failed: usize,
}

/// A document and what was asked about it with retrieval, and without.
type Heard = (Document, Vec<Exchange>, Vec<Exchange>);

/// Of the non-members of a transcript, at 95%, for each of these numbers of documents of a kind. Attacks that none of
/// its answers serve are left out.
pub fn count_nulls(
    path: &Path,
    options: &AuditOptions,
    sizes: &[usize],
    nulls: usize,
    seed: Seed,
) -> Result<Vec<Nulls>> {
    let heard = outside(path)?;
    let most = sizes.iter().copied().max().unwrap_or(0);
    if heard.len() < 2 * most || most < 10 {
        return Err(Error::usage(
            format!(
                "{}: {} non-members are too few for {most} and {most}",
                path.display(),
                heard.len()
            ),
            "give sizes of at least 10, and a transcript with twice as many non-members as the largest",
        ));
    }
    let frequencies =
        DocumentFrequencies::new(heard.iter().map(|(document, ..)| document.text.as_str()));
    let documents = heard
        .iter()
        .map(|(document, on, off)| probed(document, on, off));
    let signals = ArmSignals::new(documents.collect(), &frequencies);
    let settings = options.resolve::<super::Rag>()?.settings;
    let every = <&'static dyn ProbeAttack>::every().iter();
    let scored: Vec<(&str, Scoring)> = every
        .map(|attack| (attack.card().id, attack.score(&signals, &settings)))
        .collect();
    let audited = |each: &usize| audits(&scored, heard.len(), *each, nulls, seed);
    sizes.iter().map(audited).collect()
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

/// So many are called members by lot, and as many others.
fn by_lot(documents: usize, each: usize, seed: Seed, null: usize) -> Result<Truth> {
    let called = |place: usize| (place < 2 * each).then_some(place < each);
    let mut members: Vec<Option<bool>> = (0..documents).map(called).collect();
    shuffle(&mut seed.numbered("nulls", null as u64), &mut members);
    Truth::partly(members)
}

fn audits(
    scored: &[(&str, Scoring)],
    documents: usize,
    each: usize,
    nulls: usize,
    seed: Seed,
) -> Result<Nulls> {
    let audits = (0..nulls).into_par_iter().map(|null| {
        let truth = by_lot(documents, each, seed, null)?;
        let measured = scored
            .iter()
            .filter_map(|(id, scoring)| judged(id, scoring, &truth, null));
        Ok(measured.collect())
    });
    let audits: Vec<Vec<AttackMeasures>> = audits.collect::<Result<_>>()?;
    let count = |(id, _): &(&str, Scoring)| {
        let own = |audit: &Vec<AttackMeasures>| audit.iter().find(|one| one.id == *id).cloned();
        let found: Vec<AttackMeasures> = audits.iter().filter_map(own).collect();
        (!found.is_empty()).then(|| NullCounts {
            attack: (*id).to_owned(),
            above: found.iter().filter(|one| one.auc.low > 0.5).count(),
            below: found.iter().filter(|one| one.auc.high < 0.5).count(),
        })
    };
    let gate = Gate::default();
    let decisions = audits
        .iter()
        .filter_map(|audit| decide(audit, &gate, Choice::Best).ok());
    let beyond: Vec<_> = decisions.filter(|decision| decision.low > 0.5).collect();
    Ok(Nulls {
        each,
        nulls,
        attacks: scored.iter().filter_map(count).collect(),
        beyond_chance: beyond.len(),
        failed: beyond
            .iter()
            .filter(|decision| decision.value >= gate.threshold)
            .count(),
    })
}

fn judged(id: &str, scoring: &Scoring, truth: &Truth, null: usize) -> Option<AttackMeasures> {
    let options = Options {
        bootstrap_replicates: 0,
        ..Options::default()
    };
    let scores: Scores = match scoring {
        Scoring::Scores(answers) => answers.iter().copied().collect(),
        Scoring::Features(features) => cross_fitted(features, truth, Seed(null as u64)),
    };
    measure(id, &scores, truth, &options).ok()
}
