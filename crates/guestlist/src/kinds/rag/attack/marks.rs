//! What an answer can be told by without reading it: its wording, with and without its numbers, the words and pairs of
//! words that come neither from the question nor from the document, the names of its sources, and blanks where none
//! belong.

use std::collections::HashSet;
use std::ops::Range;

use attacks::signals::probes::{Document, Exchange, Reply};
use text::words;

/// A mark is known by its hash: answers have millions of them.
pub type Mark = u64;

/// Characters of a mark that are shown.
const SHOWN: usize = 80;

/// Kinds of marks: the same letters mean something else in each.
const EXACT: u64 = 1;
const UNNUMBERED: u64 = 2;
const UNCODED: u64 = 3;
const WORD: u64 = 4;
const WRITTEN: u64 = 5;
const PAIR: u64 = 6;
const SOURCE: u64 = 7;
const BLANK: u64 = 8;

/// What a mark says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Said<'a> {
    Reply(&'a str),
    Words(&'a str),
    Source(&'a str),
    Blank(&'static str),
}

impl std::fmt::Display for Said<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |text: &str| -> String { text.chars().take(SHOWN).collect() };
        match self {
            Said::Reply(text) => write!(out, "the wording “{}” (numbers aside)", shown(text)),
            Said::Words(text) => write!(out, "“{}”", shown(text)),
            Said::Source(text) => write!(out, "the source “{}” (numbers aside)", shown(text)),
            Said::Blank(place) => out.write_str(place),
        }
    }
}

/// A word in the ways in which it is compared.
struct Spelt {
    range: Range<usize>,
    folded: Mark,
    /// Each number in it is one sign, whatever it is.
    unnumbered: Mark,
    /// With its capitals, where it has any.
    written: Option<Mark>,
}

/// Words and pairs of words that say nothing new.
pub struct Known(HashSet<Mark>);

impl Known {
    pub fn of(text: &str) -> Self {
        let words = spelt(text);
        let pairs = words.windows(2).map(|two| pair(&two[0], &two[1]));
        let single = words.iter().flat_map(|word| [word.folded, word.unnumbered]);
        Self(single.chain(pairs).collect())
    }

    fn has(&self, mark: Mark) -> bool {
        self.0.contains(&mark)
    }
}

/// The marks of one answer, each once, in the order of their hashes.
pub fn marks<'a>(
    exchange: &'a Exchange,
    reply: &'a Reply,
    document: &Known,
) -> Vec<(Mark, Said<'a>)> {
    let mut found = wordings(&reply.answer);
    let asked = Known::of(&exchange.probe.query);
    add_words(&reply.answer, &[document, &asked], &mut found);
    found.extend(blanks(&reply.answer));
    found.extend(reply.citations.iter().flat_map(|source| {
        let names = [source.id.as_deref(), source.title.as_deref()];
        names.into_iter().flatten().flat_map(|name| {
            let said = Said::Source(name);
            let numbered = hashed(SOURCE, name.chars());
            [
                (numbered, said),
                (hashed(SOURCE, unnumbered(name.chars())), said),
            ]
        })
    }));
    found.sort_unstable_by_key(|(mark, _)| *mark);
    found.dedup_by_key(|(mark, _)| *mark);
    found
}

/// The words and pairs of a document's own text, which no answer is told by.
pub fn known(document: &Document) -> Known {
    Known::of(&document.text)
}

/// The whole reply without its numbers.
pub fn wording(answer: &str) -> Mark {
    let chunks = answer.split_whitespace();
    let spaced = chunks.flat_map(|chunk| chunk.chars().chain([' ']));
    hashed(UNNUMBERED, unnumbered(spaced))
}

/// The whole reply: to the letter, without its numbers, and without capitals and whatever has a number in it.
fn wordings(answer: &str) -> Vec<(Mark, Said<'_>)> {
    let trimmed = answer.trim();
    let said = Said::Reply(trimmed);
    let uncoded = trimmed.split_whitespace().flat_map(|chunk| {
        let code = chunk.contains(char::is_numeric);
        let core = chunk.trim_matches(|letter: char| !letter.is_alphanumeric());
        let (before, after) = match code {
            true => chunk.split_once(core).unwrap_or((chunk, "")),
            false => (chunk, ""),
        };
        let letters = before.chars().chain(code.then_some('#'));
        letters.chain(after.chars()).chain([' '])
    });
    vec![
        (hashed(EXACT, trimmed.chars()), said),
        (wording(trimmed), said),
        (hashed(UNCODED, uncoded.flat_map(char::to_lowercase)), said),
    ]
}

/// Words and neighbouring pairs that none of the known texts has.
fn add_words<'a>(answer: &'a str, known: &[&Known], found: &mut Vec<(Mark, Said<'a>)>) {
    let old = |mark: Mark| known.iter().any(|text| text.has(mark));
    let words = spelt(answer);
    for word in words.iter().filter(|word| !old(word.folded)) {
        let said = Said::Words(&answer[word.range.clone()]);
        found.push((word.folded, said));
        found.extend(word.written.map(|mark| (mark, said)));
        if !old(word.unnumbered) {
            found.push((word.unnumbered, said));
        }
    }
    for two in words.windows(2) {
        let mark = pair(&two[0], &two[1]);
        if !old(mark) {
            let range = two[0].range.start..two[1].range.end;
            found.push((mark, Said::Words(&answer[range])));
        }
    }
}

fn blanks(answer: &str) -> impl Iterator<Item = (Mark, Said<'_>)> {
    let blank = char::is_whitespace;
    let trimmed = answer.trim();
    let places = [
        (answer.starts_with(blank), "a blank at the beginning"),
        (answer.ends_with(blank), "a blank at the end"),
        (trimmed.contains("  "), "two blanks in a row"),
    ];
    let numbered = (1..).zip(places).filter(|(_, (there, _))| *there);
    numbered.map(|(number, (_, said))| (mixed(start(BLANK), number), Said::Blank(said)))
}

fn spelt(text: &str) -> Vec<Spelt> {
    let spelt = words(text).into_iter().map(|word| {
        let written = &text[word.range.clone()];
        Spelt {
            folded: hashed(WORD, word.folded.chars()),
            unnumbered: hashed(WORD, unnumbered(word.folded.chars())),
            written: (written != word.folded).then(|| hashed(WRITTEN, written.chars())),
            range: word.range,
        }
    });
    spelt.collect()
}

/// Every number as one sign; the letters around it stay.
fn unnumbered(letters: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    let mut inside = false;
    letters.filter_map(move |letter| {
        let before = std::mem::replace(&mut inside, letter.is_numeric());
        match (inside, before) {
            (true, true) => None,
            (true, false) => Some('#'),
            (false, _) => Some(letter),
        }
    })
}

fn pair(first: &Spelt, second: &Spelt) -> Mark {
    mixed(mixed(start(PAIR), first.unnumbered), second.unnumbered)
}

fn hashed(kind: u64, letters: impl Iterator<Item = char>) -> Mark {
    letters.fold(start(kind), |hash, letter| mixed(hash, u64::from(letter)))
}

fn start(kind: u64) -> u64 {
    mixed(0xcbf2_9ce4_8422_2325, kind)
}

/// A multiplication and a shift, so that every bit counts; the same on every machine.
fn mixed(hash: u64, value: u64) -> u64 {
    let product = (hash ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ (product >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(question: &str, own: &str, answer: &str) -> Vec<String> {
        let probe = attacks::signals::probes::Probe {
            strategy: "content".into(),
            variation: 0,
            query: question.into(),
            expected: Default::default(),
        };
        let reply = Reply {
            answer: answer.into(),
            ..Reply::default()
        };
        let exchange = Exchange {
            probe: probe.into(),
            reply: None,
        };
        let found = marks(&exchange, &reply, &Known::of(own));
        let mut said: Vec<String> = found.iter().map(|(_, said)| said.to_string()).collect();
        said.sort();
        said.dedup();
        said
    }

    fn wording(answer: &str, kind: usize) -> Mark {
        wordings(answer)[kind].0
    }

    #[test]
    fn words_of_the_question_and_of_the_document_are_no_marks() {
        let found = said(
            "What is in the barn?",
            "Hay lies there.",
            "The barn: hay!  Ask Ann.",
        );
        for there in ["“Ask”", "“Ann”", "“barn: hay”", "two blanks in a row"] {
            assert!(found.iter().any(|one| one == there), "{there}: {found:?}");
        }
        for old in ["“The”", "“barn”", "“hay”", "“The barn”"] {
            assert!(!found.iter().any(|one| one == old), "{old}: {found:?}");
        }
    }

    #[test]
    fn numbers_are_set_aside_and_letters_of_codes_are_not() {
        let (one, other) = ("I don't know. (R123)", "I don't know.  (R4)");
        assert_ne!(wording(one, 0), wording(other, 0));
        assert_eq!(wording(one, 1), wording(other, 1));
        let third = "I don't know. (N7)";
        assert_ne!(wording(one, 1), wording(third, 1));
        assert_eq!(wording(one, 2), wording(third, 2), "a code is a code");
        assert_ne!(wording("NOT AVAILABLE 1", 1), wording("not available 1", 1));
    }
}
