//! How a passage goes on, in the words of the source that it is from.

use text::count_words_of_any_script as count_words;

use super::open;
use super::reading::Reading;
use super::tokens::{self, Token};

/// How many words at the end of a passage must be found together.
const TAIL: usize = 4;

/// How many words are written at most.
const MOST: usize = 150;

/// What follows the passage; else what the sources say about the same things.
pub fn follow(passage: &str, reading: &Reading) -> Option<String> {
    let sources: Vec<Vec<Token>> = reading
        .sources
        .iter()
        .map(|source| tokens::split(source.text))
        .collect();
    let mut written = String::new();
    let mut end: Vec<String> = lowered(&tokens::split(passage));
    let mut found = find(&end, &sources);
    if found.is_none() {
        // The passage may have been cut inside its last word.
        end.pop();
        found = find(&end, &sources);
    }
    let Some((first, _)) = found else {
        return open::answer(passage, "", reading);
    };
    while let Some((source, place)) = found
        && count_words(&written) < MOST
    {
        let rest = &sources[source][place..];
        let last = rest.len().min(MOST - count_words(&written));
        if !written.is_empty() {
            written.push(' ');
        }
        written.push_str(&reading.sources[source].text[rest[0].start..rest[last - 1].end]);
        // The next chunk of the document repeats the end of this one, if it was looked up at all.
        end = lowered(&sources[source]);
        found = find(&end, &sources);
    }
    Some(written + &reading.mark(first))
}

fn lowered(tokens: &[Token]) -> Vec<String> {
    tokens.iter().map(|token| token.lower.clone()).collect()
}

/// The source and the place in it behind the last words of a text, where something follows them.
fn find(text: &[String], sources: &[Vec<Token>]) -> Option<(usize, usize)> {
    let tail = &text[text.len().checked_sub(TAIL)?..];
    let matches = |window: &[Token]| {
        window
            .iter()
            .zip(tail)
            .all(|(token, word)| token.lower == *word)
    };
    sources.iter().enumerate().find_map(|(number, source)| {
        let place = source.windows(TAIL).position(matches)? + TAIL;
        (place < source.len()).then_some((number, place))
    })
}
