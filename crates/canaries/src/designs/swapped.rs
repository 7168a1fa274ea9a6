//! A text of the user's own whose names and numbers are drawn anew.

use std::collections::HashMap;
use std::ops::Range;

use stats::streams::{ChaCha8Rng, below};

use super::sample::sample;
use super::{Card, Draft, Drafter, Source, TextDesign};
use crate::lm::Row;
use crate::{Error, Result};

pub(super) const DESIGN: TextDesign = TextDesign {
    card: Card {
        id: "swapped",
        summary: "a text of your own whose names and numbers are swapped for random ones; the text itself \
                  is then left out of the training file",
        why: "it reads like what the model is trained on, so no filter drops it and no masking treats it \
              otherwise; the names and numbers are found nowhere else",
        weak: "only the swapped words tell: the rest of the text is likely with or without it",
        paper: "Carlini et al. 2019 (arXiv:1802.08232), secrets in natural sentences",
    },
    prepare,
};

/// With fewer words to swap, two canaries might be told apart by luck.
const FEWEST: usize = 3;

fn prepare<'a>(source: &Source<'a>, needed: usize, rng: &mut ChaCha8Rng) -> Result<Drafter<'a>> {
    let corpus = source.own_texts();
    let (mut taken, suitable) = sample(corpus, needed, rng, Original::new)?;
    if suitable < needed {
        return Err(Error::malformed(format!(
            "{suitable} of {} texts have {FEWEST} names or numbers to swap, but {needed} canaries of the \
             design swapped want a text each",
            corpus.rows
        ))
        .at(&corpus.path)
        .hint("draw fewer with --count, give more texts with --texts, or use another design"));
    }
    Ok(Box::new(move |rng| {
        let left = || {
            Error::usage(
                "no text is left to swap in",
                "draw fewer canaries with --count",
            )
        };
        Ok(taken.pop().ok_or_else(left)?.swapped(rng))
    }))
}

/// A text with words to swap.
struct Original {
    row: Row,
    places: Vec<Range<usize>>,
}

impl Original {
    fn new(row: &Row) -> Option<Self> {
        let text = row.answer();
        let stands_out =
            |word: &text::Word| text::is_number(&word.folded) || text::is_name(text, word);
        let words = text::words(text).into_iter().filter(stands_out);
        let places: Vec<Range<usize>> = words.map(|word| word.range).collect();
        (places.len() >= FEWEST).then(|| Self {
            row: row.clone(),
            places,
        })
    }

    /// The same word is swapped for the same one throughout.
    fn swapped(self, rng: &mut ChaCha8Rng) -> Draft {
        let text = self.row.answer();
        let mut answer = String::with_capacity(text.len());
        let mut chosen: HashMap<&str, String> = HashMap::new();
        let (mut secret, mut end) = (Vec::new(), 0);
        for place in &self.places {
            answer += &text[end..place.start];
            let word = &text[place.clone()];
            let other = chosen.entry(word).or_insert_with(|| other(word, rng));
            secret.push(answer.len()..answer.len() + other.len());
            answer += other;
            end = place.end;
        }
        answer += &text[end..];
        Draft {
            prompt: String::new(),
            joined: false,
            secret,
            fields: Some(self.row.with_answer(&answer)),
            original: Some(self.row.whole()),
            answer,
        }
    }
}

/// A number keeps its length and its marks; a name becomes one that nobody has.
fn other(word: &str, rng: &mut ChaCha8Rng) -> String {
    match word.chars().any(char::is_numeric) {
        true => number(word, rng),
        false => name(rng),
    }
}

fn number(word: &str, rng: &mut ChaCha8Rng) -> String {
    let mut digit = |place: usize, letter: char| match letter.is_numeric() {
        // A leading zero would give a number away as drawn.
        true if place == 0 => char::from(b'1' + below(rng, 9) as u8),
        true => char::from(b'0' + below(rng, 10) as u8),
        false => letter,
    };
    let letters = word.chars().enumerate();
    letters
        .map(|(place, letter)| digit(place, letter))
        .collect()
}

const CONSONANTS: &[u8] = b"bdfgklmnprstvz";
const VOWELS: &[u8] = b"aeiou";

fn name(rng: &mut ChaCha8Rng) -> String {
    let mut letters = String::new();
    for _ in 0..3 {
        for sounds in [CONSONANTS, VOWELS] {
            letters.push(char::from(sounds[below(rng, sounds.len() as u32) as usize]));
        }
    }
    let first = letters.remove(0).to_ascii_uppercase();
    format!("{first}{letters}")
}
