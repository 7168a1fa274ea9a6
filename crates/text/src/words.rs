//! The words of a text, and which of them stand out. No dictionary and no language model.

use std::ops::Range;

use crate::language::is_long;
use crate::scripts::is_unspaced;
use crate::segments::segments;
use crate::stop_words::is_stop_word;

/// A word of a text: where it stands, and how it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub range: Range<usize>,
    /// Lower case, without marks at its ends.
    pub folded: String,
}

/// The words of a text in order. Numbers keep their points, names their hyphens; where a script puts
/// no blanks between words, a dictionary tells them apart.
pub fn words(text: &str) -> Vec<Word> {
    // About as many as English has, so that the list seldom grows.
    let mut found = Vec::with_capacity(text.len() / 6);
    each_word(text, |range, folded| {
        found.push(Word {
            range,
            folded: folded.to_owned(),
        });
    });
    found
}

/// The folded words alone.
pub fn folded(text: &str) -> Vec<String> {
    let mut found = Vec::with_capacity(text.len() / 6);
    each_word(text, |_, folded| found.push(folded.to_owned()));
    found
}

/// Where each word stands, and the word folded: for those who look at words and keep none.
pub fn each_word(text: &str, mut see: impl FnMut(Range<usize>, &str)) {
    let bytes = text.as_bytes();
    let mut lowered = String::new();
    let mut place = 0;
    while let Some(&byte) = bytes.get(place) {
        let (begins, width) = match BYTES[usize::from(byte)] {
            Byte::Word => (true, 1),
            Byte::Mark | Byte::Other => (false, 1),
            Byte::Wide => {
                let letter = letter_at(text, place);
                (letter.is_alphanumeric(), letter.len_utf8())
            }
        };
        if !begins {
            place += width;
            continue;
        }
        let (end, plain) = run(text, place);
        match plain {
            // Most words of most texts: nothing is to be cut.
            true => see_folded(text, place..end, &mut lowered, &mut see),
            false => cut(text, place..end, &mut lowered, &mut see),
        }
        place = end;
    }
}

/// What a byte is at the place where it stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    /// A letter or digit.
    Word,
    /// What may stand inside a word.
    Mark,
    Other,
    /// A part of a letter or mark beyond ASCII.
    Wide,
}

const BYTES: [Byte; 256] = {
    let mut bytes = [Byte::Wide; 256];
    let mut byte = 0;
    while byte < 128 {
        bytes[byte] = match byte as u8 {
            b'-' | b'\'' | b'.' | b',' | b'%' => Byte::Mark,
            byte if byte.is_ascii_alphanumeric() => Byte::Word,
            _ => Byte::Other,
        };
        byte += 1;
    }
    bytes
};

fn letter_at(text: &str, place: usize) -> char {
    text[place..].chars().next().unwrap_or(' ')
}

/// Where a run of letters, digits and marks ends, and whether it is of letters and digits of ASCII alone.
fn run(text: &str, start: usize) -> (usize, bool) {
    let bytes = text.as_bytes();
    let (mut end, mut plain) = (start, true);
    while let Some(&byte) = bytes.get(end) {
        match BYTES[usize::from(byte)] {
            Byte::Word => end += 1,
            Byte::Mark => (end, plain) = (end + 1, false),
            Byte::Other => break,
            Byte::Wide => {
                let letter = letter_at(text, end);
                if !letter.is_alphanumeric() && letter != '’' {
                    break;
                }
                (end, plain) = (end + letter.len_utf8(), false);
            }
        }
    }
    (end, plain)
}

/// Commas and points belong to a word only between digits.
fn cut(
    text: &str,
    range: Range<usize>,
    lowered: &mut String,
    see: &mut impl FnMut(Range<usize>, &str),
) {
    let mut begin = range.start;
    let mut before: Option<char> = None;
    let mut letters = text[range.clone()].char_indices().peekable();
    while let Some((offset, letter)) = letters.next() {
        let digit = |letter: Option<char>| letter.is_some_and(char::is_numeric);
        let after = letters.peek().map(|(_, letter)| *letter);
        if matches!(letter, '.' | ',') && !(digit(before) && digit(after)) {
            trim(text, begin..range.start + offset, lowered, see);
            begin = range.start + offset + letter.len_utf8();
        }
        before = Some(letter);
    }
    trim(text, begin..range.end, lowered, see);
}

fn trim(
    text: &str,
    range: Range<usize>,
    lowered: &mut String,
    see: &mut impl FnMut(Range<usize>, &str),
) {
    let marks = |letter: char| !letter.is_alphanumeric() && letter != '%';
    let raw = &text[range.clone()];
    let front = raw.len() - raw.trim_start_matches(marks).len();
    let trimmed = raw.trim_matches(marks);
    if trimmed.is_empty() || trimmed == "%" {
        return;
    }
    let start = range.start + front;
    let range = start..start + trimmed.len();
    if trimmed.is_ascii() {
        return see_folded(text, range, lowered, see);
    }
    for range in segments(text, range) {
        let folded = text[range.clone()].to_lowercase().replace('’', "'");
        see(range, &folded);
    }
}

/// A word of ASCII, which is mostly in lower case as it stands.
fn see_folded(
    text: &str,
    range: Range<usize>,
    lowered: &mut String,
    see: &mut impl FnMut(Range<usize>, &str),
) {
    let word = &text[range.clone()];
    if !word.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return see(range, word);
    }
    lowered.clear();
    lowered.push_str(word);
    lowered.make_ascii_lowercase();
    see(range, lowered);
}

/// The words of a text, but scripts that put no spaces between words by the letter.
pub fn words_and_letters(text: &str) -> Vec<Word> {
    let apart = |word: Word| -> Vec<Word> {
        let written = &text[word.range.clone()];
        if !written.chars().any(is_unspaced) {
            return vec![word];
        }
        let characters = written.char_indices();
        let lone = characters.filter(|(_, letter)| letter.is_alphanumeric());
        lone.map(|(place, letter)| {
            let start = word.range.start + place;
            Word {
                range: start..start + letter.len_utf8(),
                folded: letter.to_lowercase().collect(),
            }
        })
        .collect()
    };
    words(text).into_iter().flat_map(apart).collect()
}

/// How many words a reader counts: runs between blanks.
pub fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The same where a script may put no blanks between words.
pub fn count_words_of_any_script(text: &str) -> usize {
    match text.chars().any(is_unspaced) {
        true => words(text).len(),
        false => count_words(text),
    }
}

/// Worth comparing: a number, or a word of some length that is no stop word.
pub fn is_content(folded: &str) -> bool {
    is_number(folded) || (is_long(folded) && !is_stop_word(folded))
}

pub fn is_number(folded: &str) -> bool {
    // In this order: the first letter of most words ends the search.
    let marks = |c: char| matches!(c, '.' | ',' | '%' | '-');
    folded.chars().all(|c| c.is_numeric() || marks(c)) && folded.chars().any(char::is_numeric)
}

/// A name, as far as writing shows: a capital letter inside a sentence.
pub fn is_name(text: &str, word: &Word) -> bool {
    let capital = text[word.range.clone()]
        .chars()
        .next()
        .is_some_and(char::is_uppercase);
    let before = text[..word.range.start].trim_end();
    let begins = before.is_empty() || before.ends_with(['.', '!', '?', ':', '"', '“', '\n']);
    capital && !begins && !is_stop_word(&word.folded)
}

/// Whether a folded word is a key word: no article, preposition, conjunction, auxiliary or pronoun,
/// and no contraction of one.
pub fn is_key_word(folded: &str) -> bool {
    let contraction = folded.split_once('\'').is_some_and(|(before, after)| {
        is_stop_word(before) || (after == "t" && before.ends_with('n'))
    });
    !contraction && !is_stop_word(folded)
}

/// The key words of a text, folded, in order.
pub fn key_words(text: &str) -> impl Iterator<Item = String> {
    let folded = words_and_letters(text).into_iter().map(|word| word.folded);
    folded.filter(|word| is_key_word(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentences;

    #[test]
    fn words_keep_numbers_whole_and_drop_marks() {
        let text = "In 1,250 cases (3.5%), the DNA-repair didn’t help. End.";
        let found = folded(text);
        let expected = [
            "in",
            "1,250",
            "cases",
            "3.5%",
            "the",
            "dna-repair",
            "didn't",
            "help",
            "end",
        ];
        assert_eq!(found, expected);
        for word in words(text) {
            assert_eq!(
                text[word.range.clone()].to_lowercase().replace('’', "'"),
                word.folded
            );
        }
    }

    /// The definition, piece by piece, for scripts with blanks.
    fn naive(text: &str) -> Vec<String> {
        let inside = |letter: char| letter.is_alphanumeric() || "-'’.,%".contains(letter);
        let marks = |letter: char| !letter.is_alphanumeric() && letter != '%';
        let mut found = Vec::new();
        for run in text.split(|letter| !inside(letter)) {
            let run = run.trim_start_matches(|letter: char| !letter.is_alphanumeric());
            let letters: Vec<char> = run.chars().collect();
            let digit = |place: usize| letters.get(place).is_some_and(|c| c.is_numeric());
            let cut = |place: usize| {
                matches!(letters[place], '.' | ',') && !(digit(place - 1) && digit(place + 1))
            };
            let spaced: String = (0..letters.len())
                .map(|place| if cut(place) { ' ' } else { letters[place] })
                .collect();
            let words = spaced.split(' ').map(|word| word.trim_matches(marks));
            let words = words.filter(|word| !word.is_empty() && *word != "%");
            found.extend(words.map(|word| word.to_lowercase().replace('’', "'")));
        }
        found
    }

    proptest::proptest! {
        #[test]
        fn words_are_those_of_the_definition(text in "[a-cA-C0-2É’'.,%\\- ;]{0,40}") {
            proptest::prop_assert_eq!(folded(&text), naive(&text));
        }
    }

    #[test]
    fn names_are_capitals_inside_a_sentence() {
        let text = "The lace plant of Madagascar. Leaves fall.";
        let names: Vec<String> = words(text)
            .into_iter()
            .filter(|word| is_name(text, word))
            .map(|word| word.folded)
            .collect();
        assert_eq!(names, ["madagascar"]);
    }

    #[test]
    fn nothing_panics_on_odd_text() {
        for text in [
            "",
            "…",
            "%",
            "’",
            "1.",
            ".5",
            "é,é",
            "日本語。テキスト",
            "a\u{301}. b",
        ] {
            words(text);
            sentences(text);
        }
    }
}
