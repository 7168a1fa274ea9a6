//! Signals of one answer, and their table over documents. Larger always means "more likely a
//! member", but for `latency`, whose direction nobody knows beforehand.
//!
//! What the question already held is no signal: a service that repeats the question must not look
//! as if it knew the document.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use text::{DocumentFrequencies, HashMap, HashSet, Word, folded, is_name, is_number, words};

use super::phrases::Spoken;
use super::reading::{Identity, Kind, kind, withheld};
use super::shared_runs::SharedRuns;
use crate::signals::probes::{Document, Exchange, Probed, Reply};

/// What is looked at in every answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Signal {
    Length,
    Confidence,
    Hedges,
    Specificity,
    Overlap,
    Verbatim,
    Citation,
    Sources,
    Refusal,
    Unknown,
    Latency,
}

impl Signal {
    pub const ALL: [Signal; 11] = [
        Signal::Length,
        Signal::Confidence,
        Signal::Hedges,
        Signal::Specificity,
        Signal::Overlap,
        Signal::Verbatim,
        Signal::Citation,
        Signal::Sources,
        Signal::Refusal,
        Signal::Unknown,
        Signal::Latency,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Signal::Length => "length",
            Signal::Confidence => "confidence",
            Signal::Hedges => "hedges",
            Signal::Specificity => "specificity",
            Signal::Overlap => "overlap",
            Signal::Verbatim => "verbatim",
            Signal::Citation => "citation",
            Signal::Sources => "sources",
            Signal::Refusal => "refusal",
            Signal::Unknown => "unknown",
            Signal::Latency => "latency",
        }
    }

    /// Whether its direction is known before anybody looks at the truth.
    pub fn is_directed(self) -> bool {
        self != Signal::Latency
    }

    /// Whether it rests on the sources that come with an answer, and not on its words alone.
    pub fn needs_sources(self) -> bool {
        matches!(self, Signal::Citation | Signal::Sources)
    }

    /// Whether it compares with the document's text.
    fn needs_text(self) -> bool {
        matches!(
            self,
            Signal::Specificity | Signal::Overlap | Signal::Verbatim
        )
    }
}

/// One signal of one strategy over all documents, averaged over its variations.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub strategy: String,
    pub signal: Signal,
    pub values: Vec<Option<f64>>,
}

/// A document as answers are compared with it, prepared once.
struct Compared<'a> {
    /// Its words that say something, in the order in which they first stand there, each with what it weighs.
    content: Vec<f64>,
    places: HashMap<&'a str, usize>,
    runs: SharedRuns<'a>,
    identity: Identity<'a>,
    text_known: bool,
    spoken: &'static Spoken,
    frequencies: &'a DocumentFrequencies,
}

/// What a text has of the document.
#[derive(Clone, Copy, Default)]
struct Repeated {
    specificity: f64,
    overlap: f64,
    verbatim: f64,
}

/// The words of a question and of its answer.
struct Spelt<'a> {
    text: &'a str,
    answer: &'a [Word],
    asked: &'a [String],
    /// The same, each once.
    known: HashSet<&'a str>,
}

/// The signals of one answer in the order of [`Signal::ALL`]; not a number where one says nothing.
pub(super) type Values = [f64; Signal::ALL.len()];

/// Of one signal among them, where it says something.
pub(super) fn of_signal(values: &Values, signal: Signal) -> Option<f64> {
    Some(values[signal as usize]).filter(|value| !value.is_nan())
}

const NO_ANSWER: Values = [f64::NAN; Signal::ALL.len()];

/// What was found in the answers about a document, exchange by exchange.
#[derive(Clone, Copy)]
pub(super) struct Before<'a> {
    pub exchanges: &'a [&'a Exchange],
    pub values: &'a [Values],
}

/// The signals of every exchange about a document. Those of answers that were the same before are not looked for
/// again.
pub(super) fn of_document(
    probed: &Probed,
    frequencies: &DocumentFrequencies,
    before: Option<Before>,
) -> Vec<Values> {
    let own = folded(&probed.document.text);
    let mut compared = Compared::new(probed.document, &own, frequencies);
    let exchanges = probed.exchanges.iter().enumerate();
    let values = exchanges.map(|(place, exchange)| {
        let known = before.and_then(|before| {
            let (earlier, values) = (before.exchanges.get(place)?, before.values.get(place)?);
            compared.known(earlier, values, exchange)
        });
        match (&exchange.reply, known) {
            (_, Some(known)) => known,
            (Some(reply), None) => compared.signals(exchange, reply),
            (None, None) => NO_ANSWER,
        }
    });
    values.collect()
}

/// Every signal of every strategy that occurs, strategies in the order of their names.
pub(super) fn columns(documents: &[Probed], values: &[Vec<Values>]) -> Vec<Column> {
    let rows: Vec<BTreeMap<&str, Values>> = documents
        .par_iter()
        .zip(values)
        .map(|(probed, values)| means(probed, values))
        .collect();
    let strategies: BTreeSet<&str> = rows.iter().flat_map(|row| row.keys().copied()).collect();
    let of_strategy = |strategy: &str| {
        let rows: Vec<Option<&Values>> = rows.iter().map(|row| row.get(strategy)).collect();
        Signal::ALL.map(|signal| Column {
            strategy: strategy.to_owned(),
            signal,
            values: (rows.iter())
                .map(|row| row.map(|values| values[signal as usize]))
                .map(|value| value.filter(|value| !value.is_nan()))
                .collect(),
        })
    };
    let columns = strategies.into_iter().flat_map(of_strategy);
    columns
        .filter(|column| column.values.iter().any(Option::is_some))
        .collect()
}

/// How much one answer gives away: what it repeats of the document and whether it names it.
pub fn telling(document: &Document, exchange: &Exchange, frequencies: &DocumentFrequencies) -> f64 {
    let probed = Probed {
        document,
        exchanges: vec![exchange],
        without: Vec::new(),
    };
    let given = [
        Signal::Specificity,
        Signal::Overlap,
        Signal::Verbatim,
        Signal::Citation,
    ];
    let values = of_document(&probed, frequencies, None);
    let values = values.first().into_iter();
    values
        .flat_map(|values| given.map(|signal| values[signal as usize]))
        .filter(|value| !value.is_nan())
        .sum()
}

/// Over the answers of each strategy; not a number where none says anything.
fn means<'a>(probed: &Probed<'a>, values: &[Values]) -> BTreeMap<&'a str, Values> {
    let mut sums: BTreeMap<&str, [(f64, f64); Signal::ALL.len()]> = BTreeMap::new();
    for (exchange, values) in probed.exchanges.iter().zip(values) {
        let sums = sums.entry(&exchange.probe.strategy).or_default();
        for (sum, value) in sums.iter_mut().zip(values) {
            if !value.is_nan() {
                *sum = (sum.0 + value, sum.1 + 1.0);
            }
        }
    }
    let means = sums.into_iter();
    means
        .map(|(strategy, sums)| (strategy, sums.map(|(sum, count)| sum / count)))
        .collect()
}

impl<'a> Compared<'a> {
    fn new(
        document: &'a Document,
        words: &'a [String],
        frequencies: &'a DocumentFrequencies,
    ) -> Self {
        let language = document.language();
        let (mut content, mut places) = (Vec::new(), HashMap::default());
        for word in words.iter().filter(|word| language.is_content(word)) {
            if !places.contains_key(word.as_str()) {
                places.insert(word.as_str(), content.len());
                // A word that is everywhere still counts a little.
                content.push(0.1 + frequencies.rarity(word));
            }
        }
        Self {
            content,
            places,
            runs: SharedRuns::new(words.iter().map(String::as_str)),
            identity: Identity::new(document),
            text_known: !words.is_empty(),
            spoken: Spoken::of(language),
            frequencies,
        }
    }

    /// The signals of an answer that says what an earlier one to the same question said, whatever sources it
    /// shows; nothing where it says something else.
    fn known(
        &mut self,
        earlier: &Exchange,
        values: &Values,
        exchange: &'a Exchange,
    ) -> Option<Values> {
        if std::ptr::eq(earlier, exchange) {
            return Some(*values);
        }
        let (then, now) = (earlier.reply.as_deref()?, exchange.reply.as_deref()?);
        let same = then.answer == now.answer
            && then.asides == now.asides
            && then.blocked == now.blocked
            && then.seconds == now.seconds
            && earlier.probe == exchange.probe;
        let mut values = same.then_some(*values)?;
        let cited = &mut values[Signal::Citation as usize];
        // Fewer sources name nothing that more did not.
        let never = *cited == 0.0 && now.citations.is_empty();
        if !never {
            let (asked, answer) = (folded(&exchange.probe.query), words(&now.answer));
            *cited = flag(self.identity.is_cited(now, &asked, &answer));
        }
        values[Signal::Sources as usize] = sources(now);
        Some(values)
    }

    fn signals(&mut self, exchange: &Exchange, reply: &'a Reply) -> Values {
        let answer = words(&reply.answer);
        let asked = folded(&exchange.probe.query);
        let spelt = Spelt {
            text: &reply.answer,
            answer: &answer,
            asked: &asked,
            known: asked.iter().map(String::as_str).collect(),
        };
        // Words of a refusal, or of an "I don't know", are nobody's.
        let kind = kind(reply);
        let says = kind == Kind::Answer;
        // How long a yes, a no or a word is says nothing.
        let open = exchange.probe.expected.is_nothing();
        let written = [reply.answer.as_str(), exchange.probe.query.as_str()];
        let phrases = self.spoken.counted(written, &spelt.joined());
        let cited = self.identity.is_cited(reply, &asked, &answer);
        let repeated = self.repeated(reply, &spelt, says);
        let value = |signal: Signal| {
            let value = match signal {
                Signal::Length if open => (1.0 + answer.len() as f64).ln(),
                Signal::Length => return None,
                // "The context does not contain it" is no sign of confidence.
                Signal::Confidence if !says => 0.0,
                Signal::Confidence => (1.0 + phrases.confidence as f64).ln(),
                Signal::Hedges => -(1.0 + phrases.hedges as f64).ln(),
                Signal::Specificity => repeated.specificity,
                Signal::Overlap => repeated.overlap,
                Signal::Verbatim => repeated.verbatim,
                Signal::Citation => flag(cited),
                Signal::Sources => sources(reply),
                Signal::Refusal => flag(withheld(kind)),
                Signal::Unknown => -flag(kind == Kind::Unknown),
                Signal::Latency if reply.seconds > 0.0 => reply.seconds.ln(),
                Signal::Latency => return None,
            };
            Some(value)
        };
        Signal::ALL.map(|signal| {
            let looked_at = self.text_known || !signal.needs_text();
            let found = looked_at.then(|| value(signal)).flatten();
            found.unwrap_or(f64::NAN)
        })
    }

    /// The most that the answer, or a text beside it, has of the document. What stands beside a refusal was said all
    /// the same.
    fn repeated(&self, reply: &Reply, answer: &Spelt, says: bool) -> Repeated {
        let own = match says && self.text_known {
            true => self.repeated_in(answer),
            false => Repeated::default(),
        };
        let asides = reply.asides.iter();
        let asides = asides.filter_map(|aside| aside.text.as_deref());
        let asides = asides.filter(|_| self.text_known).map(|text| {
            self.repeated_in(&Spelt {
                text,
                answer: &words(text),
                asked: answer.asked,
                known: answer.known.clone(),
            })
        });
        asides.fold(own, |most, one| Repeated {
            specificity: most.specificity.max(one.specificity),
            overlap: most.overlap.max(one.overlap),
            verbatim: most.verbatim.max(one.verbatim),
        })
    }

    fn repeated_in(&self, spelt: &Spelt) -> Repeated {
        Repeated {
            specificity: self.specificity(spelt),
            overlap: self.overlap(spelt),
            verbatim: self.verbatim(spelt),
        }
    }

    /// Numbers, names and rare words that the document has and the question had not.
    fn specificity(&self, spelt: &Spelt) -> f64 {
        let telling = |word: &&Word| {
            is_number(&word.folded)
                || is_name(spelt.text, word)
                || self.frequencies.is_rare(&word.folded)
        };
        let own = spelt
            .fresh()
            .filter(|word| self.places.contains_key(word.folded.as_str()));
        let distinct: HashSet<&str> = own
            .filter(telling)
            .map(|word| word.folded.as_str())
            .collect();
        (1.0 + distinct.len() as f64).ln()
    }

    /// The share of what the document has beyond the question, rare words counting more.
    fn overlap(&self, spelt: &Spelt) -> f64 {
        let place = |word: &str| self.places.get(word).copied();
        let mut said = vec![false; self.content.len()];
        let new = spelt.fresh();
        new.filter_map(|word| place(&word.folded))
            .for_each(|place| said[place] = true);
        let mut asked = vec![false; self.content.len()];
        let known = spelt.asked.iter().filter_map(|word| place(word));
        known.for_each(|place| asked[place] = true);
        let (mut shared, mut all) = (0.0, 0.0);
        for (place, weight) in self.content.iter().enumerate() {
            if !asked[place] {
                all += weight;
                shared += if said[place] { *weight } else { 0.0 };
            }
        }
        if all > 0.0 { shared / all } else { 0.0 }
    }

    /// The longest run of words from the document in which something is new.
    fn verbatim(&self, spelt: &Spelt) -> f64 {
        let said = spelt.answer.iter().map(|word| word.folded.as_str());
        let new = |word: &str| {
            let is_new = self.places.contains_key(word) && !spelt.known.contains(word);
            u32::from(is_new)
        };
        (1.0 + f64::from(self.runs.longest(said, new))).ln()
    }
}

impl Spelt<'_> {
    /// Words that the question had not.
    fn fresh(&self) -> impl Iterator<Item = &Word> {
        let words = self.answer.iter();
        words.filter(|word| !self.known.contains(word.folded.as_str()))
    }

    /// Answer and question, a blank around every word.
    fn joined(&self) -> [String; 2] {
        let joined = |words: &mut dyn Iterator<Item = &str>| {
            words.fold(" ".to_owned(), |mut text, word| {
                text.push_str(word);
                text.push(' ');
                text
            })
        };
        [
            joined(&mut self.answer.iter().map(|word| word.folded.as_str())),
            joined(&mut self.asked.iter().map(String::as_str)),
        ]
    }
}

fn sources(reply: &Reply) -> f64 {
    (1.0 + reply.citations.len() as f64).ln()
}

fn flag(is_so: bool) -> f64 {
    f64::from(u8::from(is_so))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::probes::{Probe, SourceShown};

    /// One signal of one answer about a plant.
    fn value(query: &str, answer: &str, wanted: Signal) -> f64 {
        let document = Document {
            id: "one".into(),
            text: "The Aponogeton plant of Madagascar makes 420 holes in its leaves.".into(),
            ..Document::default()
        };
        let frequencies = DocumentFrequencies::new([document.text.as_str()].into_iter());
        let exchange = Exchange {
            probe: crate::signals::probes::Probe {
                strategy: "content".into(),
                variation: 0,
                query: query.into(),
                expected: Default::default(),
            }
            .into(),
            reply: Some(
                Reply {
                    answer: answer.into(),
                    ..Reply::default()
                }
                .into(),
            ),
        };
        let probed = Probed {
            document: &document,
            exchanges: vec![&exchange],
            without: Vec::new(),
        };
        let values = of_document(&probed, &frequencies, None);
        let columns = columns(&[probed], &[values]);
        let column = columns.iter().find(|column| column.signal == wanted);
        column.and_then(|column| column.values[0]).unwrap()
    }

    #[test]
    fn an_echo_of_the_question_is_no_signal() {
        let query = "Tell me about the Aponogeton plant of Madagascar.";
        for signal in [Signal::Specificity, Signal::Overlap, Signal::Verbatim] {
            let echo = value(
                query,
                "The Aponogeton plant of Madagascar is a plant.",
                signal,
            );
            let knows = value(query, "It makes 420 holes in its leaves.", signal);
            assert_eq!(echo, 0.0, "{signal:?}");
            assert!(knows > 0.0, "{signal:?}");
        }
    }

    #[test]
    fn confidence_counts_in_answers_alone_and_never_words_of_the_question() {
        let of = |query: &str, answer: &str| value(query, answer, Signal::Confidence);
        let confident = "According to the document, it makes 420 holes.";
        assert!(of("How many holes?", confident) > 0.0);
        let unknown = "The context does not contain this, and the document states nothing.";
        assert_eq!(of("How many holes?", unknown), 0.0);
        let echo = "According to the document, how many holes?";
        assert_eq!(of(echo, confident), 0.0);
    }

    #[test]
    fn what_stands_beside_a_refusal_counts_as_what_an_answer_says() {
        let text = "The Aponogeton plant of Madagascar makes 420 holes in its leaves.";
        let document = Document {
            id: "one".into(),
            text: text.into(),
            ..Document::default()
        };
        let frequencies = DocumentFrequencies::new([text].into_iter());
        let signals = |aside: &str| {
            let aside = SourceShown {
                id: Some("$.context".into()),
                text: Some(aside.into()),
                title: None,
            };
            let exchange = Exchange {
                probe: Probe::default().into(),
                reply: Some(
                    Reply {
                        answer: "I don't know.".into(),
                        asides: vec![aside],
                        ..Reply::default()
                    }
                    .into(),
                ),
            };
            let probed = Probed {
                document: &document,
                exchanges: vec![&exchange],
                without: Vec::new(),
            };
            let values = of_document(&probed, &frequencies, None)[0];
            [
                Signal::Overlap,
                Signal::Verbatim,
                Signal::Specificity,
                Signal::Citation,
            ]
            .map(|signal| values[signal as usize])
        };
        let shown = signals(&format!("It says: {text}"));
        assert!(shown.iter().all(|value| *value > 0.0), "{shown:?}");
        assert_eq!(signals("Nothing was found anywhere."), [0.0; 4]);
    }

    #[test]
    fn refusals_and_not_knowing_point_opposite_ways() {
        let of = |answer: &str| {
            let of = |signal| value("What is it?", answer, signal);
            (of(Signal::Refusal), of(Signal::Unknown))
        };
        assert_eq!(of("I can't help with that."), (1.0, 0.0));
        assert_eq!(of(""), (1.0, 0.0));
        assert_eq!(of("I don't know."), (0.0, -1.0));
        assert_eq!(of("It makes 420 holes."), (0.0, 0.0));
    }
}
