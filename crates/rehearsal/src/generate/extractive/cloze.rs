//! Texts with gaps: each gap is filled with the word that stands in its place in a source.

use std::collections::{BTreeMap, HashMap};

use text::{is_function_word, parts, plain};

use super::phrases::mask_numbers;
use super::reading::Reading;
use super::tokens::{self, Token};

/// How many words on either side of a gap are compared.
const REACH: usize = 4;

/// How many of them must agree, or all where a gap has fewer around it.
const AGREE: usize = 3;

/// One line per gap. A gap that no source fills gets a guess, as a model would make one.
pub fn fill(text: &str, reading: &Reading) -> String {
    let masked = tokens::split(text);
    let gaps = gaps(&masked);
    let sources: Vec<Vec<Token>> = reading
        .sources
        .iter()
        .map(|source| tokens::split(source.text))
        .collect();
    let mut guesses = frequent_words(reading).into_iter();
    let lines = gaps.iter().map(|(number, &place)| {
        let found = sources
            .iter()
            .filter_map(|source| word_at(&masked, place, source));
        let best = found.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let word = match best {
            Some((_, word)) => word.to_owned(),
            None => guesses.next().unwrap_or_else(|| "unknown".to_owned()),
        };
        format!("[Mask_{number}]: {word}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The gaps by their numbers; of two with one number the first counts.
fn gaps(masked: &[Token]) -> BTreeMap<usize, usize> {
    let mut gaps = BTreeMap::new();
    for (place, token) in masked.iter().enumerate() {
        if let Some(number) = mask_number(token) {
            gaps.entry(number).or_insert(place);
        }
    }
    gaps
}

/// The number of a gap, of which trimming has taken the brackets.
fn mask_number(token: &Token) -> Option<usize> {
    mask_numbers(&format!("[{}]", token.text)).next()
}

/// The word of a source in the company of a gap, with how many neighbours agree.
fn word_at<'a>(masked: &[Token], gap: usize, source: &[Token<'a>]) -> Option<(usize, &'a str)> {
    let around = (1..=REACH).flat_map(|step| [gap.checked_sub(step), gap.checked_add(step)]);
    let there = around.flatten().filter(|&place| {
        masked
            .get(place)
            .is_some_and(|token| mask_number(token).is_none())
    });
    let neighbours: Vec<isize> = there.map(|place| place as isize - gap as isize).collect();
    let needed = AGREE.min(neighbours.len()).max(1);
    let count = |place: usize| {
        let agree = |step: &&isize| {
            let own = gap.checked_add_signed(**step).and_then(|at| masked.get(at));
            let other = place
                .checked_add_signed(**step)
                .and_then(|at| source.get(at));
            own.zip(other)
                .is_some_and(|(own, other)| own.lower == other.lower && !own.lower.is_empty())
        };
        neighbours.iter().filter(agree).count()
    };
    let places = (0..source.len()).filter(|&place| !source[place].lower.is_empty());
    let counted = places.map(|place| (count(place), source[place].text));
    let best = counted.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.filter(|(agreeing, _)| *agreeing >= needed)
}

/// The words that the sources use most, for guessing.
fn frequent_words(reading: &Reading) -> Vec<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for source in reading.sources {
        for span in parts(source.text) {
            let word = plain(&source.text[span]);
            if !is_function_word(&word) {
                *counts.entry(word).or_insert(0) += 1;
            }
        }
    }
    let mut words: Vec<(String, usize)> = counts.into_iter().collect();
    words.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    words.into_iter().map(|(word, _)| word).collect()
}
