//! A text as hashes: words and pairs of words, and runs of three characters, for the blind baseline;
//! runs of eight words for finding copies.

/// Words of a text that count; the rest of a longer one is not looked at.
const MOST_WORDS: usize = 4096;
/// Characters likewise.
const MOST_LETTERS: usize = 8192;
/// Stands for the beginning and the end of a text; no character has this number.
const EDGE: u64 = u64::MAX;
/// Words in a run.
pub const RUN: usize = 8;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    /// Hashes of words and of neighbouring pairs, with how often they occur, sorted.
    pub grams: Vec<(u64, u32)>,
    /// Hashes of three characters in a row, as they are: capitals, marks, spaces, beginning and end.
    pub letters: Vec<(u64, u32)>,
    /// Hashes of runs of eight words, each once, sorted; of a shorter text, of the whole.
    pub runs: Vec<u64>,
}

impl Words {
    pub fn of(text: &str) -> Self {
        let words = hashes(text);
        let mut grams = words.clone();
        grams.extend(words.windows(2).map(joined));
        grams.sort_unstable();
        let mut runs: Vec<u64> = words.windows(RUN).map(joined).collect();
        if runs.is_empty() && !words.is_empty() {
            runs.push(joined(&words));
        }
        runs.sort_unstable();
        runs.dedup();
        let mut letters: Vec<u64> = characters(text).windows(3).map(joined).collect();
        letters.sort_unstable();
        Self {
            grams: counted(&grams),
            letters: counted(&letters),
            runs,
        }
    }
}

/// Hashes of the words, lower-cased. Marks are left out: sets differ in them for reasons that say
/// little, but a script without spaces is cut into letters.
pub fn hashes(text: &str) -> Vec<u64> {
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
pub fn letters_of(text: &str, wanted: u64) -> Option<String> {
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
pub fn word_of(text: &str, wanted: u64) -> Option<String> {
    let mut words = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words
        .find(|word| hashes(word).first() == Some(&wanted))
        .map(str::to_lowercase)
}

/// Letters of scripts that write words without spaces.
fn stands_alone(letter: char) -> bool {
    matches!(letter, '\u{0e00}'..='\u{0eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
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
