//! Does something that comes again and again in answers, whatever it says, tell members apart? Two canned sentences give
//! a store away that no attack reads anything in, and so does one word of them, or a blank at the end.

use std::collections::HashMap;

use attacks::signals::probes::Probed;
use judge::rag::ReplyTells;
use rayon::prelude::*;
use stats::roc::Roc;

use super::marks::{Mark, Said, known, marks};
use super::measured::tells;
use super::{ArmView, ProbeRequest};

/// A mark recurs where it stands in answers about so many of the documents that choose.
const RECURS: usize = 5;
/// Of marks that recur, so many are looked at, the most unevenly spread first.
const MOST: usize = 200;
/// Of each kind, so many documents are enough to choose, and as many others to judge.
const ENOUGH: usize = 400;

/// What was said about a document, and whether it is a member.
struct Heard<'a> {
    probed: &'a Probed<'a>,
    member: bool,
}

/// By mark, the share of the answers about a document that bear it.
type Shares = HashMap<Mark, f64>;

/// In the answers about how many documents a mark stands, and the shares of answers that bear it, added up: of members,
/// and of others.
#[derive(Default)]
struct Spread {
    documents: usize,
    shares: [f64; 2],
}

/// How well the share of answers that bear the most telling mark tells members from others: every second document
/// chooses the mark, and the others judge it. Nothing where none recurs.
pub fn reply_tells(request: &ProbeRequest, on: &ArmView) -> Option<ReplyTells> {
    let documents = request.documents.iter().zip(&on.heard.documents);
    let heard = documents.filter_map(|(asked, probed)| {
        let answered = probed.exchanges.iter().any(|one| one.reply.is_some());
        let member = asked.member.filter(|_| answered)?;
        Some(Heard { probed, member })
    });
    let heard: Vec<Heard> = heard.collect();
    let mut found = most_telling(&heard)?;
    if !request.context.show_records {
        found.said = None;
    }
    Some(found)
}

fn most_telling(heard: &[Heard]) -> Option<ReplyTells> {
    let [choosing, judging] = halves(heard).map(|half| some_of(&half));
    let borne: Vec<Shares> = choosing.par_iter().map(|heard| shares(heard)).collect();
    let candidates = uneven(&choosing, &borne);
    let strength = candidates
        .iter()
        .map(|mark| strength(*mark, &choosing, &borne));
    let strength: Vec<f64> = strength.collect();
    let most = strength.iter().copied().fold(0.0, f64::max);
    // The first of those that tell most.
    let chosen = strength.iter().position(|one| *one == most)?;
    let mark = candidates[chosen];
    let judged: Vec<f64> = judging.par_iter().map(|heard| share(heard, mark)).collect();
    let values = judged.into_iter().zip(&judging);
    let auc = tells(values.map(|(share, heard)| (Some(share), Some(heard.member))))?;
    let said = choosing.iter().find_map(|heard| said_by(heard, mark));
    Some(ReplyTells { auc, said })
}

/// Every second one of each kind: sets may be listed in turns.
fn halves<'h, 'a>(heard: &'h [Heard<'a>]) -> [Vec<&'h Heard<'a>>; 2] {
    let mut halves = [Vec::new(), Vec::new()];
    let mut seen = [0_usize; 2];
    for one in heard {
        let kind = usize::from(!one.member);
        halves[seen[kind] % 2].push(one);
        seen[kind] += 1;
    }
    halves
}

/// Of many, some of each kind, from all over.
fn some_of<'h, 'a>(half: &[&'h Heard<'a>]) -> Vec<&'h Heard<'a>> {
    let of = |member: bool| {
        let kind: Vec<&Heard> = half
            .iter()
            .filter(|one| one.member == member)
            .copied()
            .collect();
        let step = kind.len().div_ceil(ENOUGH).max(1);
        kind.into_iter().step_by(step)
    };
    of(true).chain(of(false)).collect()
}

/// Marks that recur, those first whose shares differ most for how common they are.
fn uneven(choosing: &[&Heard], borne: &[Shares]) -> Vec<Mark> {
    let members = choosing.iter().filter(|heard| heard.member).count() as f64;
    let others = choosing.len() as f64 - members;
    let unevenness = |spread: &Spread| {
        let [inside, outside] = spread.shares;
        let (inside, outside) = (inside / members.max(1.0), outside / others.max(1.0));
        (inside - outside).abs() / (inside + outside).sqrt()
    };
    let spread = spread(choosing, borne).into_iter();
    let mut found: Vec<(f64, usize, Mark)> = spread
        .filter(|(_, spread)| spread.documents >= RECURS)
        .map(|(mark, spread)| (unevenness(&spread), spread.documents, mark))
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
    found.into_iter().take(MOST).map(|found| found.2).collect()
}

/// Added up in the order of the documents, so that no sum depends on who was first.
fn spread(choosing: &[&Heard], borne: &[Shares]) -> HashMap<Mark, Spread> {
    let mut all: HashMap<Mark, Spread> = HashMap::new();
    for (heard, shares) in choosing.iter().zip(borne) {
        for (mark, share) in shares {
            let spread = all.entry(*mark).or_default();
            spread.documents += 1;
            spread.shares[usize::from(!heard.member)] += share;
        }
    }
    all
}

fn shares(heard: &Heard) -> Shares {
    let mut counts = Shares::new();
    let answers = each_answer(heard, |found| {
        for (mark, _) in found {
            *counts.entry(*mark).or_default() += 1.0;
        }
    });
    for count in counts.values_mut() {
        *count /= answers;
    }
    counts
}

/// The same of one mark.
fn share(heard: &Heard, wanted: Mark) -> f64 {
    let mut count = 0.0;
    let answers = each_answer(heard, |found| {
        let there = found.iter().any(|(mark, _)| *mark == wanted);
        count += f64::from(u8::from(there));
    });
    count / answers
}

/// How far from one half a mark tells the documents apart.
fn strength(mark: Mark, choosing: &[&Heard], borne: &[Shares]) -> f64 {
    let share = |shares: &Shares| shares.get(&mark).copied().unwrap_or(0.0);
    let pairs = choosing.iter().zip(borne);
    let roc = Roc::new(pairs.map(|(heard, shares)| (share(shares), heard.member)));
    roc.map_or(0.0, |roc| (roc.auc() - 0.5).abs())
}

fn said_by(heard: &Heard, wanted: Mark) -> Option<String> {
    let mut said = None;
    each_answer(heard, |found| {
        let same = found.iter().find(|(mark, _)| *mark == wanted);
        if said.is_none()
            && let Some((_, same)) = same
        {
            said = Some(report::printable(&same.to_string()));
        }
    });
    said
}

/// Shows the marks of every answer, and says how many answers there are.
fn each_answer(heard: &Heard, mut look: impl FnMut(&[(Mark, Said<'_>)])) -> f64 {
    let own = known(heard.probed.document);
    let mut answers = 0.0;
    for exchange in &heard.probed.exchanges {
        if let Some(reply) = &exchange.reply {
            look(&marks(exchange, reply, &own));
            answers += 1.0;
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use attacks::signals::probes::{Document, Exchange, Probe, Reply};

    use super::*;

    /// Of 60 members and 60 others, three answers about each.
    fn found(answer: impl Fn(usize, bool) -> String) -> Option<ReplyTells> {
        let document = Document {
            text: "The harbour has 4 lamps.".into(),
            ..Document::default()
        };
        let probe = std::sync::Arc::new(Probe {
            strategy: "content".into(),
            variation: 0,
            query: "What is told of the harbour?".into(),
            expected: Default::default(),
        });
        let exchange = |place: usize| Exchange {
            probe: probe.clone(),
            reply: Some(
                Reply {
                    answer: answer(place, place < 180).into(),
                    ..Reply::default()
                }
                .into(),
            ),
        };
        let exchanges: Vec<Exchange> = (0..360).map(exchange).collect();
        let probed: Vec<Probed> = exchanges
            .chunks(3)
            .map(|three| Probed {
                document: &document,
                exchanges: three.iter().collect(),
                without: Vec::new(),
            })
            .collect();
        // In turns, as some lists have them.
        let turns = (0..60).flat_map(|place| [place, place + 60]);
        let heard: Vec<Heard> = turns
            .map(|place| Heard {
                probed: &probed[place],
                member: place < 60,
            })
            .collect();
        most_telling(&heard)
    }

    /// A number that the place decides.
    fn lot(place: usize) -> usize {
        place * 7919 % 10_007 * 31 % 997
    }

    #[test]
    fn two_canned_replies_give_members_away_and_one_does_not() {
        let two = |_: usize, member: bool| ["Shelf B.", "Shelf A."][usize::from(member)].to_owned();
        let one = found(|_, _| "Ask the desk.".to_owned()).unwrap();
        assert_eq!(one.auc.value, 0.5);
        let two = found(two).unwrap();
        assert!((two.auc.value - 0.5).abs() > 0.49, "{two:?}");
        let by_lot = |place: usize, _: bool| ["Yes.", "No."][lot(place) % 2].to_owned();
        let auc = found(by_lot).unwrap().auc.at_confidence(0.99);
        assert!(auc.low <= 0.5 && auc.high >= 0.5, "{auc:?}");
    }

    #[test]
    fn a_number_a_wording_or_a_blank_hides_nothing() {
        let tickets = |place: usize, member: bool| {
            let desk = if member {
                "records team"
            } else {
                "service desk"
            };
            format!("Your request {} was forwarded to the {desk}.", lot(place))
        };
        let series = |place: usize, member: bool| {
            let letter = if member { 'R' } else { 'N' };
            format!("I don't know. ({letter}{})", lot(place))
        };
        let wordings = |place: usize, member: bool| {
            let what = if member { "record" } else { "matter" };
            let said = [
                format!("I'm unable to discuss that {what}"),
                format!("That {what} cannot be discussed"),
                format!("We do not discuss that {what}"),
            ];
            format!("{} [{}]", said[lot(place) % 3], lot(place))
        };
        let blank = |_: usize, member: bool| {
            ["I don't know.", "I don't know. "][usize::from(member)].to_owned()
        };
        let capitals = |place: usize, member: bool| {
            let what = if member {
                "NOT AVAILABLE"
            } else {
                "not available"
            };
            format!("Ref {}: {what}.", lot(place))
        };
        let ways: [&dyn Fn(usize, bool) -> String; 5] =
            [&tickets, &series, &wordings, &blank, &capitals];
        for (number, way) in ways.into_iter().enumerate() {
            let found = found(way).unwrap();
            let far = (found.auc.value - 0.5).abs();
            assert!(far > 0.49, "{number}: {found:?}");
            assert!(found.said.is_some(), "{number}: {found:?}");
        }
    }

    #[test]
    fn numbers_alone_tell_nothing() {
        let numbered =
            |place: usize, _: bool| format!("Your request {} was forwarded.", lot(place));
        let auc = found(numbered).unwrap().auc.at_confidence(0.99);
        assert!(auc.low <= 0.5 && auc.high >= 0.5, "{auc:?}");
    }
}
