//! The answers once more, as they would have been had the service been changed: what can be told from them without
//! asking again. What a model would have written instead is not known, so that its words stay as they are.

use std::sync::Arc;

use attacks::rag::reading::{Kind, kind, withheld};
use attacks::scores::Scores;
use attacks::signals::probes::{Exchange, Reply};
use judge::gate::Measure;
use judge::measure::Auc;
use judge::{Options, Truth};
use rayon::prelude::*;
use report::rag::{Change, ReplayedAttack, ReplayedChange};

use super::{ArmView, AskedDocument, ProbeRequest, Probed};

/// What stands in place of every refusal.
const ONE_REFUSAL: &str = "I don't know.";
/// Once all refusals are alike, nobody knows beforehand whether they speak for a member or against one.
const EITHER_WAY: &str = "refusals";

/// An exchange as it was, or as it would have been.
enum After<'a> {
    Same(&'a Exchange),
    Other(Box<Exchange>),
}

/// Every change that would have altered an answer. Both together say nothing new where one of them alters nothing, and
/// are not asked for where one is enough.
pub fn replay(request: &ProbeRequest, on: &ArmView, truth: &Truth) -> Vec<ReplayedChange> {
    let after = |change: Change| replayed(request, on, truth, change);
    let single = [Change::WithoutSources, Change::EqualRefusals];
    let mut changes: Vec<ReplayedChange> = single.into_iter().filter_map(after).collect();
    let gate = &request.context.gate;
    let enough = |change: &ReplayedChange| {
        let best = change.strongest();
        gate.measure == Measure::Auc && best.is_some_and(|best| best.auc.value < gate.threshold)
    };
    if changes.len() == single.len() && !changes.iter().any(enough) {
        changes.extend(after(Change::Both));
    }
    changes
}

fn replayed(
    request: &ProbeRequest,
    before: &ArmView,
    truth: &Truth,
    change: Change,
) -> Option<ReplayedChange> {
    let documents = &request.documents;
    let (on, altered) = arm(documents, |heard| &heard.on, change);
    if altered == 0 {
        return None;
    }
    // A service that is changed is changed without its store, too.
    let (off, _) = arm(documents, |heard| &heard.off, change);
    let view = view(documents, (&on, &off), before);
    let (scores, _) = request.attack_arm(&view, truth).attacked;
    let options = Options {
        bootstrap_replicates: 0,
        ..request.context.measuring.clone()
    };
    let measured = |(id, scores): &(String, Scores)| {
        Some(ReplayedAttack {
            auc: area(id, scores, truth, &options)?,
            id: id.clone(),
        })
    };
    Some(ReplayedChange {
        change,
        altered,
        attacks: scores.iter().filter_map(measured).collect(),
    })
}

/// The exchanges about every document, and how many of them have another answer.
fn arm<'a>(
    documents: &'a [AskedDocument],
    pick: impl Fn(&'a AskedDocument) -> &'a [Exchange] + Sync,
    change: Change,
) -> (Vec<Vec<After<'a>>>, usize) {
    let after = |heard: &'a AskedDocument| {
        let exchanges = pick(heard).iter().map(|exchange| after(exchange, change));
        let (exchanges, altered): (Vec<After>, Vec<bool>) = exchanges.unzip();
        (exchanges, altered.into_iter().filter(|is| *is).count())
    };
    let (arm, altered): (Vec<Vec<After>>, Vec<usize>) = documents.par_iter().map(after).unzip();
    (arm, altered.into_iter().sum())
}

/// The exchange after a change, and whether its answer is another one.
fn after(exchange: &Exchange, change: Change) -> (After<'_>, bool) {
    let reply = exchange.reply.as_deref();
    match reply.and_then(|reply| altered(reply, change)) {
        None => (After::Same(exchange), false),
        Some((reply, is_another)) => {
            let other = Exchange {
                probe: exchange.probe.clone(),
                reply: Some(Arc::new(reply)),
            };
            (After::Other(Box::new(other)), is_another)
        }
    }
}

impl After<'_> {
    fn exchange(&self) -> &Exchange {
        match self {
            Self::Same(exchange) => exchange,
            Self::Other(exchange) => exchange,
        }
    }
}

fn view<'a>(
    documents: &'a [AskedDocument],
    (on, off): (&'a [Vec<After<'a>>], &'a [Vec<After<'a>>]),
    before: &ArmView<'a>,
) -> ArmView<'a> {
    let arms = on.iter().zip(off);
    let probed = documents.iter().zip(arms).map(|(heard, (on, off))| Probed {
        document: &heard.document,
        exchanges: on.iter().map(After::exchange).collect(),
        without: off.iter().map(After::exchange).collect(),
    });
    ArmView {
        heard: before.heard.changed(probed.collect(), before.frequencies),
        frequencies: before.frequencies,
    }
}

/// What would have come, where a change touches it, and whether that is another answer.
fn altered(reply: &Reply, change: Change) -> Option<(Reply, bool)> {
    let sources = matches!(change, Change::WithoutSources | Change::Both);
    let refusals = matches!(change, Change::EqualRefusals | Change::Both);
    let shows = sources && !reply.citations.is_empty();
    let kind = kind(reply);
    // What was looked up tells attacks nothing, and is long.
    if refusals && (withheld(kind) || kind == Kind::Unknown) {
        let differs = reply.answer != ONE_REFUSAL || reply.blocked.is_some();
        // How long it took stays: a refusal that is worded like another is not as quick as it.
        let refusal = Reply {
            answer: ONE_REFUSAL.into(),
            seconds: reply.seconds,
            ..Reply::default()
        };
        return Some((refusal, shows || differs));
    }
    let silent = || Reply {
        answer: reply.answer.clone(),
        citations: Vec::new(),
        retrieved: Vec::new(),
        asides: reply.asides.clone(),
        metadata: reply.metadata.clone(),
        blocked: reply.blocked.clone(),
        ..*reply
    };
    shows.then(|| (silent(), true))
}

/// Over all documents, as the gate sees it.
fn area(id: &str, scores: &Scores, truth: &Truth, options: &Options) -> Option<Auc> {
    let auc = judge::measure(id, scores, truth, options).ok()?.auc;
    Some(match id == EITHER_WAY && auc.value < 0.5 {
        true => Auc {
            value: 1.0 - auc.value,
            low: 1.0 - auc.high,
            high: 1.0 - auc.low,
            ..auc
        },
        false => auc,
    })
}

#[cfg(test)]
mod tests {
    use attacks::signals::probes::SourceShown;

    use super::*;

    fn reply(answer: &str, sources: usize) -> Reply {
        Reply {
            answer: answer.into(),
            citations: vec![SourceShown::default(); sources],
            seconds: 0.7,
            ..Reply::default()
        }
    }

    fn altered(before: Reply, change: Change) -> (bool, Reply) {
        match super::altered(&before, change) {
            Some((after, is_another)) => (is_another, after),
            None => (false, before),
        }
    }

    #[test]
    fn sources_go_and_words_stay() {
        let (is, after) = altered(reply("As [1] says, 42.", 2), Change::WithoutSources);
        assert!(is && after == reply("As [1] says, 42.", 0));
        assert!(!altered(reply("42", 0), Change::WithoutSources).0);
        assert!(!altered(reply("42", 2), Change::EqualRefusals).0);
    }

    #[test]
    fn every_refusal_becomes_the_same_and_answers_stay() {
        let blocked = Reply {
            blocked: Some("content_filter".into()),
            ..reply("", 1)
        };
        let refusals = [
            reply("I cannot help with that request.", 1),
            reply("I don't know based on the available documents.", 0),
            reply("", 0),
            blocked,
        ];
        for refusal in refusals {
            let (is, after) = altered(refusal.clone(), Change::EqualRefusals);
            assert!(is, "{refusal:?}");
            assert_eq!(after, reply(ONE_REFUSAL, 0), "{refusal:?}");
            assert_eq!(altered(refusal, Change::Both).1, after);
        }
        let same = reply(ONE_REFUSAL, 0);
        assert_eq!(altered(same.clone(), Change::EqualRefusals), (false, same));
        let answer = reply("The dose was 42 mg.", 1);
        assert_eq!(
            altered(answer.clone(), Change::EqualRefusals),
            (false, answer)
        );
    }
}
