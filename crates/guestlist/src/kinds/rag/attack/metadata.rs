//! Does something that stands beside answers tell members apart by itself: a count of tokens, the reason why an answer
//! ended, the name of a model? And how large are the numbers in the answers, whatever they count?
//!
//! Questions differ, and so does what they cost; documents differ in how many of them are asked. So every response is
//! compared with the mean of the responses to the same question of the same strategy about all documents.

use std::collections::{BTreeMap, HashMap, HashSet};

use attacks::signals::probes::{Exchange, Probed, Reply};
use judge::Truth;
use judge::rag::SignalTells;
use rayon::prelude::*;

use super::marks::{Mark, wording};
use super::measured::tells;
use super::{ArmView, ProbeRequest};

/// A trait recurs where it is seen in responses about so many documents.
const RECURS: usize = 5;
/// Of traits that recur, so many are looked at, the commonest first.
const MOST: usize = 50;
/// Only questions that so many of the documents are asked about count.
const COMMON: f64 = 0.75;
/// Documents whose sums are made side by side; sums do not depend on how many threads there are.
const BLOCK: usize = 64;
/// Letters that are shown of a place or of an answer.
const SHOWN: usize = 80;
/// Parts of names of what tells how long something took.
const TIMES: [&str; 5] = ["duration", "latency", "elapsed", "time", "_ms"];

/// Something that responses have, or have more or less of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Trait<'a> {
    /// How large the number is that stands there.
    Number(&'a str),
    /// Whether that word stands there.
    Word(&'a str, &'a str),
    /// How large the numbers in the answer are.
    InAnswers,
    /// The same of answers that are alike but for their numbers.
    InWording(Mark),
}

/// How often a trait was seen, and between which values.
#[derive(Clone, Copy)]
struct Spread<'a> {
    documents: usize,
    replies: usize,
    least: f64,
    most: f64,
    example: &'a str,
}

/// The responses to one question of one strategy.
type Group<'a> = (&'a str, usize);
/// By trait: added up, and how many there are.
type Sums = Vec<(f64, f64)>;

/// Every trait that recurs and is not the same in every response, each by itself.
pub fn traits_tell(
    request: &ProbeRequest,
    (on, off): (&ArmView, Option<&ArmView>),
    truth: &Truth,
    timed: bool,
) -> Vec<SignalTells> {
    let chosen = chosen(on, timed);
    let traits: Vec<Trait> = chosen.iter().map(|(one, _)| *one).collect();
    let with = values(on, &traits);
    let without = off.map(|off| values(off, &traits));
    let shown = request.context.show_records;
    let auc = |values: &[Vec<Option<f64>>], number: usize| {
        let of = values.iter().map(|values| values[number]);
        tells(of.zip(truth.iter()))
    };
    let told = chosen.iter().enumerate();
    let told = told.filter_map(|(number, (one, example))| {
        Some(SignalTells {
            what: report::printable(&said(*one, example, shown)),
            read_by: String::new(),
            auc: auc(&with, number)?,
            without_retrieval: without
                .as_ref()
                .and_then(|without| Some(auc(without, number)?.value)),
        })
    });
    told.collect()
}

/// In words. What stands in a response may be told to nobody unless records are shown.
fn said(one: Trait, example: &str, shown: bool) -> String {
    let short = |text: &str| -> String { text.chars().take(SHOWN).collect() };
    let place_of = |place: &str| match shown {
        true => short(place),
        false => short(&nameless(place)),
    };
    match one {
        Trait::Number(place) => {
            format!("the number at {} beside answers", place_of(place))
        }
        Trait::Word(place, word) if shown => {
            format!(
                "how often “{}” stands at {} beside answers",
                short(word),
                place_of(place)
            )
        }
        Trait::Word(place, _) => {
            format!(
                "how often one and the same stands at {} beside answers",
                place_of(place)
            )
        }
        Trait::InAnswers => "how large the numbers in answers are".to_owned(),
        Trait::InWording(_) if shown => format!(
            "how large the numbers are in answers such as “{}”",
            short(example)
        ),
        Trait::InWording(_) => "how large the numbers are in answers of one wording".to_owned(),
    }
}

/// A place without what may be somebody's: a service may answer with documents or people for keys, and names of fields
/// are words in small letters.
fn nameless(place: &str) -> String {
    let is_field = |part: &str| {
        let name = part.trim_end_matches("[*]").trim_end_matches("[]");
        let letters = name
            .chars()
            .all(|letter| letter.is_ascii_alphabetic() || letter == '_');
        letters && !name.starts_with(|letter: char| letter.is_ascii_uppercase())
    };
    // What audits call by words of their own is no place in a response.
    let Some(within) = place.strip_prefix("$.") else {
        return place.to_owned();
    };
    let parts = within
        .split('.')
        .map(|part| if is_field(part) { part } else { "…" });
    format!("$.{}", parts.collect::<Vec<_>>().join("."))
}

/// Whoever is a member plays no part in the choice.
fn chosen<'a>(arm: &ArmView<'a>, timed: bool) -> Vec<(Trait<'a>, &'a str)> {
    let documents = &arm.heard.documents;
    let blocks: Vec<_> = documents.par_chunks(BLOCK).map(spread).collect();
    let mut all: HashMap<Trait, Spread> = HashMap::new();
    let mut replies = 0;
    for (block, answered) in blocks {
        replies += answered;
        for (one, seen) in block {
            all.entry(one)
                .and_modify(|spread| spread.add(&seen))
                .or_insert(seen);
        }
    }
    let varies = |spread: &Spread| spread.replies < replies || spread.least < spread.most;
    let mut found: Vec<(Trait, Spread)> = all
        .into_iter()
        .filter(|(one, spread)| {
            spread.documents >= RECURS && varies(spread) && (timed || !is_time(*one))
        })
        .collect();
    found.sort_by(|a, b| b.1.documents.cmp(&a.1.documents).then(a.0.cmp(&b.0)));
    let found = found.into_iter().take(MOST);
    found.map(|(one, spread)| (one, spread.example)).collect()
}

impl<'a> Spread<'a> {
    fn of(value: f64, example: &'a str) -> Self {
        Self {
            documents: 1,
            replies: 1,
            least: value,
            most: value,
            example,
        }
    }

    fn add(&mut self, other: &Self) {
        self.documents += other.documents;
        self.replies += other.replies;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }
}

fn spread<'a>(documents: &[Probed<'a>]) -> (BTreeMap<Trait<'a>, Spread<'a>>, usize) {
    let mut all: BTreeMap<Trait, Spread> = BTreeMap::new();
    let mut replies = 0;
    for probed in documents {
        let mut own: BTreeMap<Trait, Spread> = BTreeMap::new();
        each_reply(probed, |_, reply, found| {
            replies += 1;
            for (one, value) in found {
                let seen = Spread {
                    documents: 0,
                    ..Spread::of(*value, reply.answer.as_str())
                };
                let spread = own.entry(*one).and_modify(|spread| spread.add(&seen));
                spread.or_insert(Spread {
                    documents: 1,
                    ..seen
                });
            }
        });
        for (one, seen) in own {
            all.entry(one)
                .and_modify(|spread| spread.add(&seen))
                .or_insert(seen);
        }
    }
    (all, replies)
}

fn is_time(one: Trait) -> bool {
    let Trait::Number(place) = one else {
        return false;
    };
    let place = place.to_lowercase();
    TIMES.iter().any(|name| place.contains(name))
}

/// What the responses to one question have in all.
struct Heard {
    replies: usize,
    sums: Sums,
}

impl Heard {
    fn new(traits: usize) -> Self {
        Self {
            replies: 0,
            sums: vec![(0.0, 0.0); traits],
        }
    }

    fn add(&mut self, other: &Self) {
        self.replies += other.replies;
        for (all, one) in self.sums.iter_mut().zip(&other.sums) {
            *all = (all.0 + one.0, all.1 + one.1);
        }
    }

    fn mean(&self, number: usize) -> f64 {
        let (sum, count) = self.sums[number];
        sum / count
    }
}

/// By document, then by trait: how far its responses lie above the mean of those to the same questions.
fn values(arm: &ArmView, traits: &[Trait]) -> Vec<Vec<Option<f64>>> {
    let documents = &arm.heard.documents;
    let numbers: HashMap<Trait, usize> = traits.iter().copied().zip(0..).collect();
    let blocks: Vec<_> = documents
        .par_chunks(BLOCK)
        .map(|block| heard(block, traits, &numbers))
        .collect();
    let mut all: HashMap<Group, Heard> = HashMap::new();
    for (group, heard) in blocks.into_iter().flatten() {
        let known = all.entry(group).or_insert_with(|| Heard::new(traits.len()));
        known.add(&heard);
    }
    let common = common(&all, documents);
    let above = |probed: &Probed| {
        let mut sums: Sums = vec![(0.0, 0.0); traits.len()];
        each_value(probed, traits, &numbers, |group, values| {
            let heard = all.get(&group).filter(|heard| heard.replies >= common);
            let Some(heard) = heard else {
                return;
            };
            for (number, value) in values {
                let mean = heard.mean(number);
                // Equal values lie on their mean, whatever is lost in adding them up.
                let alike = (value - mean).abs() <= 1e-9 * mean.abs();
                let above = if alike { 0.0 } else { value - mean };
                sums[number] = (sums[number].0 + above, sums[number].1 + 1.0);
            }
        });
        let mean = |(sum, count): (f64, f64)| (count > 0.0).then(|| sum / count);
        sums.into_iter().map(mean).collect()
    };
    documents.par_iter().map(above).collect()
}

/// Of what few documents are asked about nothing is taken: means of few responses spread more than those of many, which
/// looks like a difference where questions stop sooner for some. Where there is no other, all count.
fn common(all: &HashMap<Group, Heard>, documents: &[Probed]) -> usize {
    let answered = |probed: &&Probed| probed.exchanges.iter().any(|one| one.reply.is_some());
    let answered = documents.iter().filter(answered).count();
    let common = (COMMON * answered as f64).ceil() as usize;
    match all.values().any(|heard| heard.replies >= common) {
        true => common,
        false => 0,
    }
}

fn heard<'a>(
    documents: &[Probed<'a>],
    traits: &[Trait],
    numbers: &HashMap<Trait, usize>,
) -> BTreeMap<Group<'a>, Heard> {
    let mut all: BTreeMap<Group, Heard> = BTreeMap::new();
    for probed in documents {
        each_value(probed, traits, numbers, |group, values| {
            let heard = all.entry(group).or_insert_with(|| Heard::new(traits.len()));
            heard.replies += 1;
            for (number, value) in values {
                let sum = &mut heard.sums[number];
                *sum = (sum.0 + value, sum.1 + 1.0);
            }
        });
    }
    all
}

/// Shows what every response has of every trait. A word that does not stand there is none of it; a number that does not
/// is unknown.
fn each_value<'a>(
    probed: &Probed<'a>,
    traits: &[Trait],
    numbers: &HashMap<Trait, usize>,
    mut look: impl FnMut(Group<'a>, BTreeMap<usize, f64>),
) {
    let words = traits.iter().enumerate();
    let words = words.filter(|(_, one)| matches!(one, Trait::Word(..)));
    let none: BTreeMap<usize, f64> = words.map(|(number, _)| (number, 0.0)).collect();
    each_reply(probed, |exchange, _, found| {
        let mut values = none.clone();
        for (one, value) in found {
            if let Some(number) = numbers.get(one) {
                values.insert(*number, *value);
            }
        }
        let group = (exchange.probe.strategy.as_str(), exchange.probe.variation);
        look(group, values);
    });
}

/// Shows the traits of every response about a document.
fn each_reply<'a>(
    probed: &Probed<'a>,
    mut look: impl FnMut(&'a Exchange, &'a Reply, &[(Trait<'a>, f64)]),
) {
    let mut own: Option<HashSet<&str>> = None;
    for &exchange in &probed.exchanges {
        let Some(reply) = exchange.reply.as_deref() else {
            continue;
        };
        let mut found: Vec<(Trait, f64)> = Vec::new();
        let numbers = reply.metadata.numbers();
        found.extend(numbers.map(|(place, number)| (Trait::Number(place), number)));
        let words = reply.metadata.words();
        found.extend(words.map(|(place, word)| (Trait::Word(place, word), 1.0)));
        if reply.cut_short {
            found.push((Trait::Word("the limit of tokens", "reached"), 1.0));
        }
        if let Some(reason) = reply.blocked.as_deref() {
            found.push((Trait::Word("the reason of a refusal", reason), 1.0));
        }
        let known = || {
            numbers_in(&probed.document.text)
                .map(|(text, _)| text)
                .collect()
        };
        if let Some(size) = size_of_numbers(exchange, reply, &mut own, known) {
            found.push((Trait::InAnswers, size));
            found.push((Trait::InWording(wording(&reply.answer)), size));
        }
        look(exchange, reply, &found);
    }
}

/// The mean size of an answer's numbers that stand neither in the question nor in the document.
fn size_of_numbers<'a>(
    exchange: &Exchange,
    reply: &Reply,
    own: &mut Option<HashSet<&'a str>>,
    known: impl FnOnce() -> HashSet<&'a str>,
) -> Option<f64> {
    let mut numbers = numbers_in(&reply.answer).peekable();
    numbers.peek()?;
    let own = own.get_or_insert_with(known);
    let asked: HashSet<&str> = numbers_in(&exchange.probe.query)
        .map(|(text, _)| text)
        .collect();
    let fresh = numbers.filter(|(text, _)| !own.contains(text) && !asked.contains(text));
    let sizes: Vec<f64> = fresh.map(|(_, number)| (1.0 + number).ln()).collect();
    (!sizes.is_empty()).then(|| sizes.iter().sum::<f64>() / sizes.len() as f64)
}

/// Figures, with those behind a point.
fn numbers_in(text: &str) -> impl Iterator<Item = (&str, f64)> {
    let is_figure = |letter: char| letter.is_ascii_digit();
    let is_other = |letter: char| !letter.is_ascii_digit();
    let mut rest = text;
    std::iter::from_fn(move || {
        let begin = rest.find(is_figure)?;
        let from = &rest[begin..];
        let whole = from.find(is_other).unwrap_or(from.len());
        let behind = from[whole..].strip_prefix('.').unwrap_or_default();
        let decimals = behind.find(is_other).unwrap_or(behind.len());
        let end = if decimals > 0 {
            whole + 1 + decimals
        } else {
            whole
        };
        rest = &from[end..];
        Some((&from[..end], from[..end].parse().unwrap_or(f64::MAX)))
    })
}

#[cfg(test)]
mod tests {
    use attacks::rag::DocumentFrequencies;
    use attacks::signals::probes::{Document, Metadata, Probe};
    use stats::streams::{Seed, standard_normal};

    use super::*;

    const DOCUMENTS: usize = 120;

    /// How well each trait tells 60 members from 60 others, about whom `answer` says something.
    fn told(
        asked: impl Fn(usize) -> usize,
        mut answer: impl FnMut(usize, usize) -> Reply,
    ) -> Vec<(String, f64, f64)> {
        let document = Document {
            text: "The harbour has 4 lamps.".into(),
            ..Document::default()
        };
        let mut exchange = |place: usize, variation: usize| Exchange {
            probe: Probe {
                strategy: "content".into(),
                variation,
                ..Probe::default()
            }
            .into(),
            reply: Some(answer(place, variation).into()),
        };
        let exchanges: Vec<Vec<Exchange>> = (0..DOCUMENTS)
            .map(|place| {
                (0..asked(place))
                    .map(|variation| exchange(place, variation))
                    .collect()
            })
            .collect();
        let probed = exchanges.iter().map(|exchanges| Probed {
            document: &document,
            exchanges: exchanges.iter().collect(),
            without: Vec::new(),
        });
        let frequencies = DocumentFrequencies::new(std::iter::empty());
        let arm = ArmView {
            heard: attacks::rag::ArmSignals::new(probed.collect(), &frequencies),
            frequencies: &frequencies,
        };
        let chosen = chosen(&arm, true);
        let traits: Vec<Trait> = chosen.iter().map(|(one, _)| *one).collect();
        let values = values(&arm, &traits);
        let member = |place: usize| Some(place < DOCUMENTS / 2);
        let found = chosen
            .iter()
            .enumerate()
            .filter_map(|(number, (one, example))| {
                let of = values.iter().map(|values| values[number]);
                let auc = tells(of.zip((0..DOCUMENTS).map(member)))?;
                let sure = auc.at_confidence(1.0 - 0.01 / traits.len() as f64);
                let beyond = (sure.low - 0.5).max(0.5 - sure.high);
                Some((said(*one, example, true), auc.value, beyond))
            });
        found.collect()
    }

    fn reply(answer: &str, reason: &str, tokens: f64) -> Reply {
        Reply {
            answer: answer.into(),
            metadata: Metadata::new(
                [("$.finish_reason", reason), ("status", "200")],
                [("$.usage.prompt_tokens", tokens)],
            ),
            ..Reply::default()
        }
    }

    #[test]
    fn counts_reasons_and_sizes_of_numbers_tell() {
        let found = told(
            |place| 3 + place % 2,
            |place, variation| {
                let member = place < DOCUMENTS / 2;
                let base = if member { 1000 } else { 5000 };
                let number = base + (place * 7919 + variation * 31) % 1000;
                let answer = format!("I cannot show that, see document {number}.");
                // Later questions are longer.
                let tokens = 100.0 * variation as f64 + if member { 9.0 } else { 0.0 };
                reply(&answer, ["stop", "length"][usize::from(member)], tokens)
            },
        );
        for what in ["prompt_tokens", "“length”", "numbers in answers", "such as"] {
            let one = found.iter().find(|(said, ..)| said.contains(what));
            let (_, auc, _) = one.unwrap_or_else(|| panic!("{what}: {found:?}"));
            assert!((auc - 0.5).abs() > 0.49, "{what}: {found:?}");
        }
        assert!(
            found.iter().all(|(said, ..)| !said.contains("200")),
            "{found:?}"
        );
    }

    /// Numbers of questions differ between members and others, as where questions stop early; nothing else does.
    #[test]
    fn what_differs_by_chance_or_by_question_alone_is_found_no_more_often_than_stated() {
        let alarms = (0..200).filter(|run| {
            let mut rng = Seed(5).numbered("metadata", *run);
            let found = told(
                |place| if place < DOCUMENTS / 2 { 2 } else { 6 },
                |_, variation| {
                    let tokens = 300.0 * variation as f64 + 20.0 * standard_normal(&mut rng);
                    let number = (1000.0 + 300.0 * standard_normal(&mut rng)).abs() as usize;
                    let reason = if standard_normal(&mut rng) > 1.0 {
                        "length"
                    } else {
                        "stop"
                    };
                    reply(&format!("See document {number}."), reason, tokens.round())
                },
            );
            found.iter().any(|(.., beyond)| *beyond > 0.0)
        });
        let alarms = alarms.count();
        // Of 200 at 1%, more than 7 are as rare as one in a thousand.
        assert!(alarms <= 7, "{alarms} of 200");
    }

    #[test]
    fn keys_that_may_be_names_are_shown_with_records_alone() {
        for (place, shown) in [
            ("$.usage.prompt_tokens", "$.usage.prompt_tokens"),
            ("$.choices[*].finishReason", "$.choices[*].finishReason"),
            ("$.scores.Jane Doe", "$.scores.…"),
            ("$.scores.doc-17.rank", "$.scores.….rank"),
            ("$.hits[*].Miller[]", "$.hits[*].…"),
            ("the limit of tokens", "the limit of tokens"),
        ] {
            assert_eq!(nameless(place), shown);
            let number = said(Trait::Number(place), "", false);
            assert_eq!(number, format!("the number at {shown} beside answers"));
            assert!(said(Trait::Word(place, "w"), "", true).contains(place));
        }
    }

    #[test]
    fn numbers_are_found_with_what_stands_behind_the_point() {
        let found: Vec<_> = numbers_in("a1, 0.85 and 12. Or 3.x").collect();
        assert_eq!(
            found,
            [("1", 1.0), ("0.85", 0.85), ("12", 12.0), ("3", 3.0)]
        );
    }
}
