//! Yes, no, or neither: whether the sources support a statement.
//!
//! Supported is what a sentence or two adjacent ones of a source say: most of its words, all of its
//! numbers, denied as often, and no word exchanged in what is otherwise a quotation. What sources
//! speak of without supporting it is denied.

use std::ops::Range;

use text::{Language, is_function_word, is_plain_number, plain_parts, split_sentences, stem};

use super::form::Claim;
use super::languages;
use super::reading::{Line, Reading};

/// How much of a statement must be there to affirm it.
const SUPPORTED: f64 = 0.75;

/// The same for a question, which has its own way of putting things.
const ANSWERED: f64 = 0.6;

/// From here on the sources speak of it.
const DISCUSSED: f64 = 0.4;

/// From here on a sentence can be contradicted by one like it.
const COMPARABLE: f64 = 0.5;

const NEGATIONS: &[&str] = &[
    "no", "not", "never", "none", "neither", "nor", "cannot", "cant", "without", "isnt", "arent",
    "wasnt", "werent", "doesnt", "dont", "didnt", "hasnt", "havent", "hadnt", "wont", "couldnt",
    "wouldnt", "shouldnt",
];

fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word) || languages::NEGATIONS.contains(&word)
}

/// The sentence of a source that fits a sentence of the statement best.
struct Match<'a> {
    line: &'a Line<'a>,
    covered: f64,
    worth: f64,
    contradicted: bool,
}

pub fn judge(claim: &Claim, reading: &Reading, language: Language) -> Option<String> {
    let sentences = split_sentences(claim.statement).into_iter();
    let sentences = sentences.map(|sentence| &claim.statement[sentence.range]);
    let matches: Vec<Match> = sentences
        .filter_map(|sentence| find(sentence, reading))
        .collect();
    let worth: f64 = matches.iter().map(|found| found.worth).sum();
    let covered = matches
        .iter()
        .map(|found| found.covered * found.worth)
        .sum::<f64>()
        / worth;
    let best = matches
        .iter()
        .max_by(|left, right| left.covered.total_cmp(&right.covered))?;
    let contradiction = matches.iter().find(|found| found.contradicted);
    let needed = if claim.literal { SUPPORTED } else { ANSWERED };
    match contradiction {
        None if covered >= needed => Some(say(languages::yes(language), best, claim, reading)),
        found if covered >= DISCUSSED => Some(say(
            languages::no(language),
            found.unwrap_or(best),
            claim,
            reading,
        )),
        _ => None,
    }
}

fn say(word: &str, found: &Match, claim: &Claim, reading: &Reading) -> String {
    let mark = reading.mark(found.line.source);
    if claim.brief {
        format!("{word}{mark}")
    } else {
        format!("{word} {}{mark}", found.line.text)
    }
}

/// Nothing for a sentence without words of its own, or where there is nothing to read.
fn find<'a>(sentence: &str, reading: &'a Reading) -> Option<Match<'a>> {
    let weights = reading.weigh(sentence);
    let present: Vec<Vec<bool>> = reading
        .lines
        .iter()
        .map(|line| weights.presence(line))
        .collect();
    let covered = |window: &Range<usize>| {
        weights.share(|word| present[window.clone()].iter().any(|line| line[word]))
    };
    // Of two that cover as much, the shorter one says it.
    let score = |window: &Range<usize>| covered(window) - 0.05 * window.len() as f64;
    let window = best(windows(reading), score)?;
    let line = best(window.clone().map(|line| line..line + 1), covered)?.start;
    let covered = covered(&window);
    (weights.total() > 0.0).then(|| Match {
        line: &reading.lines[line],
        covered,
        worth: weights.total(),
        contradicted: covered >= COMPARABLE && contradicted(sentence, &reading.lines[window]),
    })
}

/// The first of those that score most.
fn best<T>(all: impl Iterator<Item = T>, score: impl Fn(&T) -> f64) -> Option<T> {
    let scored = all.map(|one| (score(&one), one));
    let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, one)| one)
}

/// Each line by itself, and with the one behind it in the same source.
fn windows<'a>(reading: &'a Reading) -> impl Iterator<Item = Range<usize>> + 'a {
    let lines = &reading.lines;
    (0..lines.len()).flat_map(move |first| {
        let next = lines.get(first + 1);
        let more = usize::from(next.is_some_and(|next| next.source == lines[first].source));
        (0..=more).map(move |more| first..first + 1 + more)
    })
}

fn contradicted(sentence: &str, window: &[Line]) -> bool {
    let claimed = plain_parts(sentence);
    let read: Vec<String> = window
        .iter()
        .flat_map(|line| plain_parts(line.text))
        .collect();
    if is_quoted(&claimed, &read) {
        return false;
    }
    let other_number = claimed
        .iter()
        .any(|word| is_plain_number(word) && !read.contains(word));
    let denied = |words: &[String]| {
        let negations = words.iter().filter(|word| is_negation(word));
        negations.count() % 2
    };
    let reversed = window.len() == 1 && denied(&claimed) != denied(&read);
    other_number || reversed || exchanged(&claimed, &read)
}

/// Whether the words stand in the source one after the other. A quotation may end inside a word.
fn is_quoted(claimed: &[String], read: &[String]) -> bool {
    let Some((last, whole)) = claimed.split_last() else {
        return false;
    };
    let same = |window: &[String]| {
        window[..whole.len()] == *whole && window[whole.len()].starts_with(last)
    };
    read.windows(claimed.len()).any(same)
}

/// Whether a word of the claim stands where the source, in the same company, has another.
fn exchanged(claimed: &[String], read: &[String]) -> bool {
    let telling = |word: &String| !is_function_word(word);
    (0..claimed.len())
        .filter(|&place| telling(&claimed[place]))
        .any(|place| {
            let alike = |other: &usize| same_company(claimed, place, read, *other);
            let mut places = (0..read.len()).filter(alike).peekable();
            places.peek().is_some()
                && places.all(|other| telling(&read[other]) && !same(&read[other], &claimed[place]))
        })
}

fn same(left: &str, right: &str) -> bool {
    left == right || stem(left.to_owned()) == stem(right.to_owned())
}

/// Whether the neighbours agree: both and one beyond, or two on the one side that a text's end has.
fn same_company(left: &[String], place: usize, right: &[String], other: usize) -> bool {
    let agree = |step: isize| match (neighbour(left, place, step), neighbour(right, other, step)) {
        (Some(one), Some(two)) => one == two,
        _ => false,
    };
    if place == 0 {
        return agree(1) && agree(2);
    }
    if place + 1 == left.len() {
        return agree(-1) && agree(-2);
    }
    agree(-1) && agree(1) && (agree(-2) || agree(2))
}

fn neighbour(words: &[String], place: usize, step: isize) -> Option<&String> {
    place
        .checked_add_signed(step)
        .and_then(|place| words.get(place))
}
