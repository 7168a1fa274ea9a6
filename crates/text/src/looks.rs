//! What words look like, so that one of another text can stand in the place of one.

use std::ops::Range;

use crate::frequencies::DocumentFrequencies;
use crate::words::{Word, is_name, is_number, words};

/// What a word is, as far as its look goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Digits before and after the point, and whether it is a percentage.
    Number(usize, usize, bool),
    Name,
    /// A rare word, by its last letters: they say what it can stand for.
    Term([char; 2]),
}

/// A word of a text that has a look.
#[derive(Clone, Debug)]
pub struct Looked {
    pub look: Look,
    pub folded: Box<str>,
    pub range: Range<usize>,
}

/// Nothing for a word that tells little.
pub fn look(text: &str, word: &Word, frequencies: &DocumentFrequencies) -> Option<Look> {
    if is_number(&word.folded) {
        let digits = |part: &str| part.chars().filter(char::is_ascii_digit).count();
        let (whole, rest) = word.folded.split_once('.').unwrap_or((&word.folded, ""));
        let look = Look::Number(digits(whole), digits(rest), word.folded.ends_with('%'));
        return (digits(whole) > 0).then_some(look);
    }
    if is_name(text, word) && word.folded.chars().count() > 2 {
        return Some(Look::Name);
    }
    let letters = word.folded.chars().all(char::is_alphabetic);
    let long = word.folded.chars().count() > 5;
    let lower = text[word.range.clone()].chars().all(char::is_lowercase);
    let mut ending = word.folded.chars().rev();
    let term = letters && long && lower && frequencies.is_rare(&word.folded);
    term.then(|| Some(Look::Term([ending.next()?, ending.next()?])))?
}

/// Every word of a text that has one, in order.
pub(crate) fn looked(text: &str, frequencies: &DocumentFrequencies) -> Box<[Looked]> {
    let words = words(text).into_iter();
    let looked = words.filter_map(|word| {
        Some(Looked {
            look: look(text, &word, frequencies)?,
            folded: word.folded.into(),
            range: word.range,
        })
    });
    looked.collect()
}
