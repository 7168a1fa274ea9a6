//! Signals of one answer, and their table over documents. Larger always means "more likely a
//! member", but for `latency`, whose direction nobody knows beforehand.
//!
//! What the question already held is no signal: a service that repeats the question must not look
//! as if it knew the document.

use std::collections::{BTreeMap, HashSet};

use text::{DocumentFrequencies, Language, Word, folded, is_name, is_number, is_unspaced, words};

use super::phrases::Phrases;
use super::reading::{Kind, is_cited, kind, withheld};
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
    document: &'a Document,
    words: &'a [String],
    content: HashSet<&'a str>,
    language: Language,
}

/// Every signal of every strategy that occurs, strategies in the order of their names.
pub fn table(documents: &[Probed], frequencies: &DocumentFrequencies) -> Vec<Column> {
    use rayon::prelude::*;
    let rows: Vec<BTreeMap<(&str, Signal), f64>> = documents
        .par_iter()
        .map(|probed| row(probed, frequencies))
        .collect();
    let keys: std::collections::BTreeSet<(&str, Signal)> =
        rows.iter().flat_map(|row| row.keys().copied()).collect();
    let column = |key: (&str, Signal)| Column {
        strategy: key.0.to_owned(),
        signal: key.1,
        values: rows.iter().map(|row| row.get(&key).copied()).collect(),
    };
    keys.into_iter().map(column).collect()
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
    let row = row(&probed, frequencies);
    row.iter()
        .filter(|((_, signal), _)| given.contains(signal))
        .map(|(_, value)| value)
        .sum()
}

/// Means over the answers of each strategy.
fn row<'a>(
    probed: &Probed<'a>,
    frequencies: &DocumentFrequencies,
) -> BTreeMap<(&'a str, Signal), f64> {
    let own = folded(&probed.document.text);
    let language = probed.document.language();
    let mut sums: BTreeMap<(&str, Signal), (f64, f64)> = BTreeMap::new();
    let content = own
        .iter()
        .map(String::as_str)
        .filter(|word| language.is_content(word));
    let compared = Compared {
        language,
        document: probed.document,
        content: content.collect(),
        words: &own,
    };
    for exchange in &probed.exchanges {
        let Some(reply) = &exchange.reply else {
            continue;
        };
        for (signal, value) in compared.signals(exchange, reply, frequencies) {
            let sum = sums
                .entry((exchange.probe.strategy.as_str(), signal))
                .or_default();
            *sum = (sum.0 + value, sum.1 + 1.0);
        }
    }
    sums.into_iter()
        .map(|(key, (sum, count))| (key, sum / count))
        .collect()
}

impl Compared<'_> {
    fn signals(
        &self,
        exchange: &Exchange,
        reply: &Reply,
        frequencies: &DocumentFrequencies,
    ) -> Vec<(Signal, f64)> {
        let answer = words(&reply.answer);
        let query = exchange.probe.query.as_str();
        let asked: HashSet<String> = folded(query).into_iter().collect();
        // Words of a refusal, or of an "I don't know", are nobody's.
        let kind = kind(reply);
        let says = kind == Kind::Answer;
        let new: Vec<&Word> = answer
            .iter()
            .filter(|word| says && !asked.contains(&word.folded))
            .collect();
        let text_known = !self.words.is_empty();
        // How long a yes, a no or a word is says nothing.
        let open = exchange.probe.expected.is_nothing();
        let spoken = spoken(self.language);
        let confidence: Vec<_> = spoken.iter().map(|words| words.confidence).collect();
        let hedges: Vec<_> = spoken.iter().map(|words| words.hedges).collect();
        let signals = Signal::ALL.into_iter();
        let signals = signals.filter(|signal| text_known || !signal.needs_text());
        signals
            .filter_map(|signal| {
                let value = match signal {
                    Signal::Length if open => (1.0 + answer.len() as f64).ln(),
                    Signal::Length => return None,
                    // "The context does not contain it" is no sign of confidence.
                    Signal::Confidence if !says => 0.0,
                    Signal::Confidence => phrases(&reply.answer, query, &confidence),
                    Signal::Hedges => -phrases(&reply.answer, query, &hedges),
                    Signal::Specificity => self.specificity(&reply.answer, &new, frequencies),
                    Signal::Overlap => self.overlap(&new, &asked, frequencies),
                    Signal::Verbatim if !says => 0.0,
                    Signal::Verbatim => self.verbatim(&answer, &asked),
                    Signal::Citation => flag(is_cited(self.document, query, reply)),
                    Signal::Sources => (1.0 + reply.citations.len() as f64).ln(),
                    Signal::Refusal => flag(withheld(kind)),
                    Signal::Unknown => -flag(kind == Kind::Unknown),
                    Signal::Latency if reply.seconds > 0.0 => reply.seconds.ln(),
                    Signal::Latency => return None,
                };
                Some((signal, value))
            })
            .collect()
    }

    /// Numbers, names and rare words that the document has and the question had not.
    fn specificity(&self, answer: &str, new: &[&Word], frequencies: &DocumentFrequencies) -> f64 {
        let telling = |word: &&&Word| {
            is_number(&word.folded) || is_name(answer, word) || frequencies.is_rare(&word.folded)
        };
        let telling = new.iter().filter(telling).map(|word| word.folded.as_str());
        let distinct: HashSet<&str> = telling.filter(|word| self.content.contains(word)).collect();
        (1.0 + distinct.len() as f64).ln()
    }

    /// The share of what the document has beyond the question, rare words counting more.
    fn overlap(
        &self,
        new: &[&Word],
        asked: &HashSet<String>,
        frequencies: &DocumentFrequencies,
    ) -> f64 {
        let said: HashSet<&str> = new.iter().map(|word| word.folded.as_str()).collect();
        let (mut shared, mut all) = (0.0, 0.0);
        for word in self.content.iter().filter(|word| !asked.contains(**word)) {
            // A word that is everywhere still counts a little.
            let weight = 0.1 + frequencies.rarity(word);
            all += weight;
            shared += if said.contains(word) { weight } else { 0.0 };
        }
        if all > 0.0 { shared / all } else { 0.0 }
    }

    /// The longest run of words from the document in which something is new.
    fn verbatim(&self, answer: &[Word], asked: &HashSet<String>) -> f64 {
        let said: Vec<&str> = answer.iter().map(|word| word.folded.as_str()).collect();
        let own: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let new = |word: &str| u32::from(!asked.contains(word) && self.language.is_content(word));
        (1.0 + f64::from(longest_shared_run(&said, &own, new))).ln()
    }
}

/// The largest number of counted words in a run that both have. Quadratic at worst, but rows of
/// equal words are short in real texts; both sides are bounded.
pub(super) fn longest_shared_run(a: &[&str], b: &[&str], counts: impl Fn(&str) -> u32) -> u32 {
    const MOST_WORDS: usize = 4_000;
    let (a, b) = (&a[..a.len().min(MOST_WORDS)], &b[..b.len().min(MOST_WORDS)]);
    let mut places: std::collections::HashMap<&str, Vec<usize>> = Default::default();
    for (place, word) in b.iter().enumerate() {
        places.entry(word).or_default().push(place);
    }
    // runs[j]: counted words in the run that ends at b[j].
    let mut runs: std::collections::HashMap<usize, u32> = Default::default();
    let mut longest = 0;
    for word in a {
        let mut next = std::collections::HashMap::new();
        for &place in places.get(word).map_or(&[][..], Vec::as_slice) {
            let before = place.checked_sub(1).and_then(|place| runs.get(&place));
            let run = before.copied().unwrap_or(0) + counts(word);
            longest = longest.max(run);
            next.insert(place, run);
        }
        runs = next;
    }
    longest
}

fn flag(is_so: bool) -> f64 {
    f64::from(u8::from(is_so))
}

/// How many of these phrases an answer has, and the question had not.
fn phrases(answer: &str, query: &str, phrases: &[&[&str]]) -> f64 {
    let spaced = |text: &str| format!(" {} ", folded(text).join(" "));
    let (text, asked) = (spaced(answer), spaced(query));
    let (close, close_asked) = (answer.to_lowercase(), query.to_lowercase());
    let count = |phrase: &&str| match phrase.chars().any(is_unspaced) {
        true if close_asked.contains(phrase) => 0,
        true => close.matches(phrase).count(),
        false => {
            let phrase = format!(" {phrase} ");
            match asked.contains(&phrase) {
                true => 0,
                false => text.matches(&phrase).count(),
            }
        }
    };
    let count: usize = phrases.iter().copied().flatten().map(count).sum();
    (1.0 + count as f64).ln()
}

/// The words of a language, and those of English, in which services answer everybody.
fn spoken(language: Language) -> Vec<&'static Phrases> {
    let own = (language != Language::English).then(|| Phrases::of(language));
    [Phrases::of(Language::English)]
        .into_iter()
        .chain(own)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every run of `a` against every run of `b`.
    fn naive(a: &[&str], b: &[&str], counts: impl Fn(&str) -> u32) -> u32 {
        let mut longest = 0;
        for i in 0..a.len() {
            for j in 0..b.len() {
                let shared = a[i..].iter().zip(&b[j..]).take_while(|(x, y)| x == y);
                longest = longest.max(shared.map(|(word, _)| counts(word)).sum());
            }
        }
        longest
    }

    proptest! {
        #[test]
        fn the_longest_run_is_the_naive_one(
            a in prop::collection::vec(0_usize..4, 0..30),
            b in prop::collection::vec(0_usize..4, 0..30),
        ) {
            let names = ["a", "b", "c", "d"];
            let pick = |list: &[usize]| list.iter().map(|&place| names[place]).collect::<Vec<_>>();
            let counts = |word: &str| u32::from(word != "d");
            let (a, b) = (pick(&a), pick(&b));
            prop_assert_eq!(longest_shared_run(&a, &b, counts), naive(&a, &b, counts));
        }
    }

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
            },
            reply: Some(Reply {
                answer: answer.into(),
                ..Reply::default()
            }),
        };
        let probed = Probed {
            document: &document,
            exchanges: vec![&exchange],
            without: Vec::new(),
        };
        let table = table(&[probed], &frequencies);
        let column = table.iter().find(|column| column.signal == wanted);
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
