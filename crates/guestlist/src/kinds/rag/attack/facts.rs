//! What the guardrails want to know about the exchanges.

use std::collections::BTreeMap;

use attacks::rag::reading::{Identity, Kind, kind};
use attacks::signals::probes::{Exchange, Probed, Reply};
use judge::Truth;
use judge::measure::Auc;
use judge::rag::{Hits, ProbeFacts, Repeats, Without, compare_topics};
use rayon::prelude::*;
use report::rag::{AnswerKinds, HitRate, RetrievalAttack};
use stats::streams::Seed;

use super::again::again_tells;
use super::measured::tells;
use super::recurring::reply_tells;
use super::{ArmView, AskedDocument, ProbeRequest};
use crate::pipeline::answers::{cut_short, kinds};

pub fn probe_facts(
    request: &ProbeRequest,
    on: &ArmView,
    sightings: &Sightings,
    truth: &Truth,
    gated: Option<&str>,
    arms: &[RetrievalAttack],
) -> ProbeFacts {
    let documents = &request.documents;
    let known = documents.iter();
    let known = known.filter_map(|heard| Some((heard.topic.clone(), heard.member?)));
    let (topics, members): (Vec<Option<String>>, Vec<bool>) = known.unzip();
    ProbeFacts {
        echoes: None,
        asked: documents.iter().map(|heard| heard.on.len()).sum(),
        failed: request.failed.clone(),
        failed_about: failed_about(documents),
        kinds: kinds_of(request, on),
        variations: variations(documents),
        repeats: request.repeats.clone().map(|repeats| Repeats {
            tells: again_tells(request, on, truth),
            ..repeats
        }),
        cut_short: Some(cut_short(replies(documents))),
        hits: hits(request, sightings),
        sources_named: request.sources_named,
        without_retrieval: gated.and_then(|gated| without(gated, arms)),
        compares_arms: request
            .attacks
            .iter()
            .any(|attack| attack.needs_both_arms() && gated == Some(attack.card().id)),
        topics: compare_topics(&topics, &members, Seed(request.context.measuring.seed)),
        failures_tell: failures_tell(documents),
        left_out_tells: request.left_out_tells.clone(),
        silence_tells: silence_tells(documents, on),
        reply_tells: reply_tells(request, on),
        // For who measured them to say.
        signals: Vec::new(),
        controls: request.controls,
        stored: request.stored.clone(),
        // For who knows both arms to say.
        reach: None,
    }
}

/// Answers with retrieval.
fn replies(documents: &[AskedDocument]) -> impl Iterator<Item = &Reply> {
    let exchanges = documents.iter().flat_map(|heard| &heard.on);
    exchanges.filter_map(|exchange| exchange.reply.as_deref())
}

/// How many questions about members failed, and about non-members; nothing where none did.
fn failed_about(documents: &[AskedDocument]) -> Option<[usize; 2]> {
    let about = |kind: bool| -> usize {
        let of_kind = documents.iter().filter(|heard| heard.member == Some(kind));
        of_kind.map(|heard| heard.failed).sum()
    };
    let failed = [true, false].map(about);
    (failed != [0, 0]).then_some(failed)
}

/// How well it tells members apart which share of the questions failed; nothing where none did.
fn failures_tell(documents: &[AskedDocument]) -> Option<Auc> {
    if documents.iter().all(|heard| heard.failed == 0) {
        return None;
    }
    let share = |heard: &AskedDocument| heard.failed as f64 / heard.on.len().max(1) as f64;
    tells(
        documents
            .iter()
            .map(|heard| (Some(share(heard)), heard.member)),
    )
}

/// The same of the share of answers that say nothing.
fn silence_tells(documents: &[AskedDocument], on: &ArmView) -> Option<Auc> {
    let share = |probed: &Probed| {
        let replies = probed.exchanges.iter();
        let replies: Vec<&Reply> = replies.filter_map(|one| one.reply.as_deref()).collect();
        let silent = replies.iter().filter(|reply| kind(reply) != Kind::Answer);
        (!replies.is_empty()).then(|| silent.count() as f64 / replies.len() as f64)
    };
    let documents = documents.iter().zip(&on.heard.documents);
    tells(documents.map(|(heard, probed)| (share(probed), heard.member)))
}

fn without(gated: &str, arms: &[RetrievalAttack]) -> Option<Without> {
    let attack = arms.iter().find(|attack| attack.id == gated)?;
    let auc = attack.without_retrieval.as_ref()?;
    Some(Without {
        attack: gated.to_owned(),
        auc: auc.value,
        low: auc.low,
        high: auc.high,
        difference: attack.difference.clone(),
    })
}

/// Questions about the document in the middle, of those asked about at all, by strategy.
fn variations(documents: &[AskedDocument]) -> BTreeMap<String, usize> {
    let mut asked: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for heard in documents {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for exchange in &heard.on {
            *counts.entry(exchange.probe.strategy.as_str()).or_default() += 1;
        }
        for (strategy, count) in counts {
            asked.entry(strategy.to_owned()).or_default().push(count);
        }
    }
    let middle = |mut counts: Vec<usize>| {
        counts.sort_unstable();
        counts[counts.len() / 2]
    };
    asked
        .into_iter()
        .map(|(strategy, counts)| (strategy, middle(counts)))
        .collect()
}

pub fn answer_kinds(
    request: &ProbeRequest,
    on: &ArmView,
    off: Option<&ArmView>,
) -> Vec<AnswerKinds> {
    let arm = |retrieval: bool, heard: &ArmView| AnswerKinds {
        retrieval,
        kinds: kinds_of(request, heard),
    };
    let without = off.map(|off| arm(false, off));
    std::iter::once(arm(true, on)).chain(without).collect()
}

fn kinds_of(request: &ProbeRequest, arm: &ArmView) -> BTreeMap<String, [usize; 2]> {
    let documents = request.documents.iter().zip(&arm.heard.documents);
    kinds(documents.flat_map(|(heard, probed)| {
        let replies = probed.exchanges.iter();
        let replies = replies.filter_map(|exchange| exchange.reply.as_deref());
        replies.filter_map(|reply| Some((reply, heard.member?)))
    }))
}

/// Which answers show the document among their sources: by document, then by exchange. Computed
/// once, for sources may be long.
pub struct Sightings {
    shown: bool,
    seen: Vec<Vec<Option<bool>>>,
    /// By document: the share of another document's answers that show it.
    by_chance: Vec<Option<f64>>,
}

impl Sightings {
    /// By document whether any answer shows it; nothing where no answer shows any source.
    pub fn by_document(&self) -> Option<Vec<bool>> {
        let seen = self.seen.iter().map(|seen| seen.contains(&Some(true)));
        self.shown.then(|| seen.collect())
    }
}

impl Sightings {
    pub fn new<'a>(on: &ArmView<'a>) -> Self {
        let documents = &on.heard.documents;
        let seen_in = |place: usize, asked: usize| -> Vec<Option<bool>> {
            let mut identity = Identity::new(documents[place].document);
            let seen = |exchange: &&'a Exchange| {
                let reply = exchange.reply.as_deref()?;
                Some(identity.is_retrieved(reply))
            };
            documents[asked].exchanges.iter().map(seen).collect()
        };
        let places = 0..documents.len();
        let seen = places
            .clone()
            .into_par_iter()
            .map(|place| seen_in(place, place));
        // Another document, far away in the order of asking.
        let other = |place: usize| (place + documents.len() / 2) % documents.len();
        let by_chance = places.into_par_iter().map(|place| match other(place) {
            other if other == place => None,
            other => share_of(&seen_in(place, other)),
        });
        let by_chance = by_chance.collect();
        let exchanges = on
            .heard
            .documents
            .iter()
            .flat_map(|probed| &probed.exchanges);
        let mut replies = exchanges.filter_map(|exchange| exchange.reply.as_deref());
        Self {
            seen: seen.collect(),
            by_chance,
            shown: replies.any(shows_sources),
        }
    }
}

/// Of the answers that came.
fn share_of(seen: &[Option<bool>]) -> Option<f64> {
    let came = seen.iter().flatten().count();
    let shown = seen.iter().flatten().filter(|seen| **seen).count();
    (came > 0).then(|| shown as f64 / came as f64)
}

fn shows_sources(reply: &Reply) -> bool {
    !reply.citations.is_empty() || !reply.retrieved.is_empty()
}

/// Nothing where no answer shows any source.
fn hits(request: &ProbeRequest, sightings: &Sightings) -> Option<Hits> {
    let mut hits = Hits::default();
    let documents = request.documents.iter().zip(&sightings.seen);
    for (row, (heard, shown)) in documents.enumerate() {
        let seen = shown.contains(&Some(true));
        let Some(member) = heard.member else {
            continue;
        };
        let (all, found) = match member {
            true => (&mut hits.members, &mut hits.members_seen),
            false => (&mut hits.nonmembers, &mut hits.nonmembers_seen),
        };
        *all += 1;
        *found += usize::from(seen);
        if let (true, Some(own), Some(other)) = (member, share_of(shown), sightings.by_chance[row])
        {
            hits.compared += 1;
            hits.own += usize::from(own > other);
            hits.elsewhere += usize::from(own < other);
        }
        if seen && !member && hits.example.is_none() {
            hits.example = Some(row);
        }
    }
    sightings.shown.then_some(hits)
}

/// By strategy and over all; nothing where no answer shows any source.
pub fn hit_rates(request: &ProbeRequest, on: &ArmView, sightings: &Sightings) -> Vec<HitRate> {
    let mut rates: BTreeMap<&str, HitRate> = BTreeMap::new();
    let documents = request.documents.iter().zip(&on.heard.documents);
    for ((heard, probed), seen) in documents.zip(&sightings.seen) {
        for (exchange, seen) in probed.exchanges.iter().zip(seen) {
            let (Some(seen), Some(member)) = (seen, heard.member) else {
                continue;
            };
            for name in [exchange.probe.strategy.as_str(), "all"] {
                let rate = rates.entry(name).or_insert_with(|| HitRate {
                    strategy: name.to_owned(),
                    members: [0; 2],
                    nonmembers: [0; 2],
                });
                let counts = match member {
                    true => &mut rate.members,
                    false => &mut rate.nonmembers,
                };
                counts[0] += usize::from(*seen);
                counts[1] += 1;
            }
        }
    }
    match sightings.shown {
        true => rates.into_values().collect(),
        false => Vec::new(),
    }
}
