//! A text as hashed n-grams: words and pairs of words, runs of three characters, and runs of eight
//! words that find copies.

use std::collections::HashSet;

use crate::scripts::stands_alone;

/// Words of a text that count; the rest of a longer one is not looked at.
const MOST_WORDS: usize = 4096;
/// Characters likewise.
const MOST_LETTERS: usize = 8192;
/// Stands for the beginning and the end of a text; no character has this number.
const EDGE: u64 = u64::MAX;
/// Words in a run.
pub const RUN: usize = 8;

/// The n-grams of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grams {
    /// Hashes of words and of neighbouring pairs, with how often they occur, sorted.
    pub words: Vec<(u64, u32)>,
    /// Hashes of three characters in a row, as they are: capitals, marks, spaces, beginning and end.
    pub letters: Vec<(u64, u32)>,
    /// Hashes of runs of eight words, each once, sorted; of a shorter text, of the whole.
    pub runs: Vec<u64>,
}

impl Grams {
    pub fn new(text: &str) -> Self {
        let words = hashed_words(text);
        let mut grams = words.clone();
        grams.extend(words.windows(2).map(joined));
        grams.sort_unstable();
        let runs = runs_of(&words);
        let mut letters: Vec<u64> = characters(text).windows(3).map(joined).collect();
        letters.sort_unstable();
        Self {
            words: counted(&grams),
            letters: counted(&letters),
            runs,
        }
    }
}

/// The runs of eight words alone.
pub fn runs(text: &str) -> Vec<u64> {
    runs_of(&hashed_words(text))
}

fn runs_of(words: &[u64]) -> Vec<u64> {
    let mut runs: Vec<u64> = words.windows(RUN).map(joined).collect();
    if runs.is_empty() && !words.is_empty() {
        runs.push(joined(words));
    }
    runs.sort_unstable();
    runs.dedup();
    runs
}

/// Hashes of the words, lower-cased. Marks are left out: sets differ in them for reasons that say
/// little, but a script without spaces is cut into letters.
pub fn hashed_words(text: &str) -> Vec<u64> {
    let mut hashes = Vec::new();
    let mut word = START;
    let mut open = false;
    for letter in text.chars().flat_map(char::to_lowercase) {
        if letter.is_alphanumeric() {
            word = mixed(word, u64::from(letter));
            open = true;
        }
        if open && (!letter.is_alphanumeric() || stands_alone(letter)) {
            hashes.push(word);
            (word, open) = (START, false);
            if hashes.len() == MOST_WORDS {
                return hashes;
            }
        }
    }
    if open {
        hashes.push(word);
    }
    hashes
}

/// Characters of a text that count, between a mark for its beginning and one for its end.
fn characters(text: &str) -> Vec<u64> {
    let edge = || std::iter::once(EDGE);
    let mut letters = text.chars().map(u64::from);
    let mut all: Vec<u64> = edge().chain(letters.by_ref().take(MOST_LETTERS)).collect();
    // The end counts even where the middle is not looked at.
    let rest: Vec<u64> = letters.collect();
    all.extend(rest[rest.len().saturating_sub(2)..].iter().chain([&EDGE]));
    all
}

/// Three characters of a hash, if the text has them, quoted.
pub fn find_letters(text: &str, wanted: u64) -> Option<String> {
    let letters = characters(text);
    let mut found = letters.windows(3);
    let run = found.find(|run| joined(run) == wanted)?;
    let shown = |&letter: &u64| match u32::try_from(letter).ok().and_then(char::from_u32) {
        Some(letter) => letter.to_string(),
        None => "|".to_owned(),
    };
    let text: String = run.iter().map(shown).collect();
    Some(format!("{text:?}"))
}

/// The word of a hash, if the text has it: for words that a reader should see.
pub fn find_word(text: &str, wanted: u64) -> Option<String> {
    let mut words = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words
        .find(|word| hashed_words(word).first() == Some(&wanted))
        .map(str::to_lowercase)
}

const START: u64 = 0xcbf2_9ce4_8422_2325;

/// Takes one more value into a hash: a multiplication and a shift, so that every bit counts.
fn mixed(hash: u64, value: u64) -> u64 {
    let product = (hash ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ (product >> 29)
}

fn joined(words: &[u64]) -> u64 {
    words.iter().fold(START, |hash, word| mixed(hash, *word))
}

fn counted(sorted: &[u64]) -> Vec<(u64, u32)> {
    let runs = sorted.chunk_by(|a, b| a == b);
    runs.map(|run| (run[0], run.len() as u32)).collect()
}

/// The share of a text's runs that are known; zero for a text without words.
pub fn share_known(runs: &[u64], known: &HashSet<u64>) -> f64 {
    let there = runs.iter().filter(|run| known.contains(run)).count();
    there as f64 / runs.len().max(1) as f64
}
