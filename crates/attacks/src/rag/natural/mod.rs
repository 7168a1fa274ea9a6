//! Natural questions: what somebody would ask who has heard of a matter and never saw the document. They
//! name what a fact stands among, in a few words and in another order, and leave the fact itself open.
//!
//! Words are chosen so that all of them together lead to the document, and none of them does alone: held
//! against all given documents, a question stays closer to its own than to any other, and below what a
//! service takes for conspicuous. `facts.rs` finds what can be asked for, `wording.rs` has the words.

mod facts;
mod wording;

use std::cell::RefCell;

use text::{Closeness, Comparing, DocumentFrequencies, Language, folded, plain_parts};

use self::facts::Fact;
use self::wording::Wording;
use super::shared_runs::SharedRuns;

/// A question, and the spellings of what a knowing answer holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Natural {
    pub query: String,
    pub answer: Vec<String>,
}

/// A fact asked for, and the same once more in other words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub first: Natural,
    pub again: Option<Natural>,
}

/// How close to the threshold a question may come: what a service knows of its documents is not known.
const ROOM: f64 = 0.85;
/// How much closer to its own document than to the next a question is to be.
const LEAD: f64 = 1.3;
/// More phrases than these are not tried together.
const TRIED: usize = 6;
/// Words in a row that a question and a document may share.
const LONGEST_RUN: u32 = 3;
/// Every so many questions ask for the fact of another document, too.
const MIXED: usize = 3;

/// Questions for so many facts of a text, the most telling first.
pub fn questions(
    text: &str,
    count: usize,
    frequencies: &DocumentFrequencies,
    language: Language,
) -> Vec<Asked> {
    let words = folded(text);
    let writer = Writer {
        text,
        runs: SharedRuns::new(words.iter().map(String::as_str)),
        comparing: RefCell::new(frequencies.collection().comparing(text)),
        frequencies,
        language,
    };
    let mut asked: Vec<Asked> = Vec::new();
    for fact in facts::facts(text, frequencies, language) {
        if asked.len() == count {
            break;
        }
        asked.extend(writer.asked(&fact, asked.len()));
    }
    asked
}

struct Writer<'a> {
    text: &'a str,
    runs: SharedRuns<'a>,
    /// Nothing where the text is none of those that are given.
    comparing: RefCell<Option<Comparing<'a>>>,
    frequencies: &'a DocumentFrequencies,
    language: Language,
}

/// A fact that is asked for, with everything that must not stand in a question for it.
struct Wanted<'a> {
    fact: &'a Fact<'a>,
    spellings: Vec<String>,
    /// The same in plain parts.
    plain: Vec<Vec<String>>,
}

impl<'a> Wanted<'a> {
    fn new(fact: &'a Fact<'a>) -> Self {
        let spellings = fact.spellings();
        Self {
            plain: spellings.iter().map(|word| plain_parts(word)).collect(),
            spellings,
            fact,
        }
    }
}

/// A question that was tried.
struct Tried {
    query: String,
    phrases: Vec<usize>,
    closeness: Option<Closeness>,
}

impl Writer<'_> {
    fn asked(&self, fact: &Fact, number: usize) -> Option<Asked> {
        let fact = &Wanted::new(fact);
        let wording = wording::of(self.language);
        let asks = |phrases: &[&str], turn: usize| wording.ask(fact.fact, phrases, number + turn);
        let alone = self.best(fact, &[], |phrases| wording.end(&asks(phrases, 0)))?;
        let first = match number % MIXED == MIXED - 1 || !alone.is_quiet() {
            true => self.mixed(fact, wording, &alone, number).unwrap_or(alone),
            false => alone,
        };
        let again = self.best(fact, &first.phrases, |phrases| {
            wording.end(&asks(phrases, 1))
        });
        let natural = |tried: Tried| Natural {
            query: tried.query,
            answer: fact.spellings.clone(),
        };
        Some(Asked {
            again: again
                .filter(|again| again.query != first.query)
                .map(natural),
            first: natural(first),
        })
    }

    /// The question with that of another document behind it; nothing where that is more conspicuous.
    fn mixed(
        &self,
        wanted: &Wanted,
        wording: &Wording,
        alone: &Tried,
        number: usize,
    ) -> Option<Tried> {
        let fact = wanted.fact;
        let own: Vec<&str> = alone.phrases.iter().map(|&p| fact.phrases[p]).collect();
        let own = wording.ask(fact, &own, number);
        let collection = self.frequencies.collection();
        // Which one differs from question to question.
        let other = collection.other(self.text, number, self.language)?;
        let theirs = facts::facts(other.text, self.frequencies, self.language);
        let theirs = theirs.into_iter().nth(number % MIXED)?;
        let phrases: Vec<&str> = theirs.phrases.iter().take(2).copied().collect();
        let theirs = wording.ask(&theirs, &phrases, number + 1);
        let query = wording.end(&wording.both(&own, &theirs));
        self.tried(query, alone.phrases.clone(), wanted)
            .filter(|tried| tried.share() <= alone.share())
    }

    /// The best choice of phrases, without those that were used already if there are others.
    fn best(
        &self,
        wanted: &Wanted,
        used: &[usize],
        ask: impl Fn(&[&str]) -> String,
    ) -> Option<Tried> {
        let fact = wanted.fact;
        let all: Vec<usize> = (0..fact.phrases.len()).collect();
        let fresh = all.iter().copied().filter(|place| !used.contains(place));
        let mut open: Vec<usize> = fresh.collect();
        if open.len() < 2 {
            open = all;
        }
        open.truncate(TRIED);
        let tried = choices(&open).into_iter().filter_map(|places| {
            // Not in the order of the text.
            let phrases: Vec<&str> = places
                .iter()
                .rev()
                .map(|&place| fact.phrases[place])
                .collect();
            self.tried(ask(&phrases), places, wanted)
        });
        tried.reduce(|best, next| if next.beats(&best) { next } else { best })
    }

    /// Nothing where a question gives its answer away, or repeats too much of the text.
    fn tried(&self, query: String, phrases: Vec<usize>, wanted: &Wanted) -> Option<Tried> {
        let asked = folded(&query);
        let parts = plain_parts(&query);
        let mut spellings = wanted.spellings.iter().zip(&wanted.plain);
        let told = spellings.any(|(spelling, plain)| {
            asked.contains(spelling) || parts.windows(plain.len().max(1)).any(|run| run == *plain)
        });
        let asked = asked.iter().map(String::as_str);
        if told || self.runs.longest(asked, |_| 1) > LONGEST_RUN {
            return None;
        }
        let mut comparing = self.comparing.borrow_mut();
        Some(Tried {
            closeness: comparing
                .as_mut()
                .and_then(|comparing| comparing.closeness_of_parts(&parts)),
            query,
            phrases,
        })
    }
}

impl Tried {
    /// Nothing is known where there are too few documents to compare with.
    fn share(&self) -> f64 {
        self.closeness.map_or(0.0, |found| found.share())
    }

    fn is_quiet(&self) -> bool {
        self.share() < ROOM
    }

    /// Leads to the document first; is quiet; and then leads to it the more clearly, or stands out the less.
    fn beats(&self, other: &Self) -> bool {
        let (Some(one), Some(two)) = (self.closeness, other.closeness) else {
            return false;
        };
        let key = |found: &Closeness, quiet: bool| {
            let lead = found.similarity / found.next.max(f64::MIN_POSITIVE);
            let wish = if quiet { lead } else { -found.share() };
            ((found.ahead.min(4), lead < LEAD, !quiet), -wish)
        };
        let (one, two) = (key(&one, self.is_quiet()), key(&two, other.is_quiet()));
        one.0.cmp(&two.0).then(one.1.total_cmp(&two.1)).is_lt()
    }
}

/// Two, three or four of these, all ways; one alone where there is no more.
fn choices(open: &[usize]) -> Vec<Vec<usize>> {
    let least = open.len().min(2);
    let of = |bits: u32| -> Vec<usize> {
        let chosen = open.iter().enumerate();
        let chosen = chosen.filter(|(place, _)| bits >> place & 1 == 1);
        chosen.map(|(_, place)| *place).collect()
    };
    (1_u32..1 << open.len())
        .filter(|bits| (least..=4).contains(&(bits.count_ones() as usize)))
        .map(of)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_all_pairs_triples_and_fours() {
        assert_eq!(
            choices(&[3, 5, 7]),
            [vec![3, 5], vec![3, 7], vec![5, 7], vec![3, 5, 7]]
        );
        assert_eq!(choices(&[2]), [vec![2]]);
        assert!(choices(&[]).is_empty());
        assert_eq!(choices(&[0, 1, 2, 3, 4, 5]).len(), 15 + 20 + 15);
    }

    const TEXTS: [&str; 6] = [
        "The lace plant of Madagascar has 420 holes in most of its young leaves. Cells of the inner tissue \
         die early there, which Poiret described in 1822 after long travels.",
        "A survey of 1,250 patients with chronic asthma compared steroid inhalers and placebo. Attacks fell by \
         37% in the treated group within two winters.",
        "Young leaves of garden beans lose water early in dry soil. The inner tissue dries before the outer \
         tissue does, and 88 plants were weighed.",
        "Travels along the eastern coast took Hedin 73 days. His diaries describe dry soil, young traders and \
         long winters in the mountains.",
        "Inhalers for children with asthma were tested in 64 schools. The treated group had fewer attacks, and \
         parents kept diaries.",
        "Garden plants of the coast were compared by their leaves. Chronic drought killed 19 species within two \
         dry winters.",
    ];

    #[test]
    fn questions_neither_quote_nor_tell() {
        let frequencies = DocumentFrequencies::new(TEXTS.into_iter());
        for text in TEXTS {
            let asked = questions(text, 4, &frequencies, Language::English);
            assert!(!asked.is_empty(), "{text}");
            for natural in asked
                .iter()
                .flat_map(|asked| [Some(&asked.first), asked.again.as_ref()])
                .flatten()
            {
                let words = folded(&natural.query);
                assert!(!words.contains(&natural.answer[0]), "{natural:?}");
                assert!(folded(text).contains(&natural.answer[0]), "{natural:?}");
                let run = super::super::quoting::quoted(text, &natural.query);
                assert!(run < 40, "{run}: {natural:?}");
            }
        }
    }

    #[test]
    fn the_same_document_gives_the_same_questions() {
        let frequencies = DocumentFrequencies::new(TEXTS.into_iter());
        let mut turned = TEXTS;
        turned.reverse();
        let turned = DocumentFrequencies::new(turned.into_iter());
        for text in TEXTS {
            assert_eq!(
                questions(text, 4, &frequencies, Language::English),
                questions(text, 4, &turned, Language::English)
            );
        }
    }
}
