//! Words, sentences and what stands out in them. No dictionary and no language model.

use std::ops::Range;

/// A word of a text: where it stands, and how it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub range: Range<usize>,
    /// Lower case, without marks at its ends.
    pub folded: String,
}

/// The words of a text in order. Numbers keep their points, names their hyphens.
pub fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut start = None;
    for (place, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        let inside = letter.is_alphanumeric() || "-'’.,%".contains(letter);
        match (inside, start) {
            (true, None) if letter.is_alphanumeric() => start = Some(place),
            (false, Some(begin)) => {
                push(text, begin..place, &mut found);
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Commas and points belong to a word only between digits.
fn push(text: &str, range: Range<usize>, found: &mut Vec<Word>) {
    let mut begin = range.start;
    let letters: Vec<(usize, char)> = text[range.clone()].char_indices().collect();
    for (index, &(offset, letter)) in letters.iter().enumerate() {
        if !matches!(letter, '.' | ',') {
            continue;
        }
        let digit = |place: Option<&(usize, char)>| place.is_some_and(|(_, c)| c.is_numeric());
        let before = index.checked_sub(1).and_then(|place| letters.get(place));
        if digit(before) && digit(letters.get(index + 1)) {
            continue;
        }
        add(text, begin..range.start + offset, found);
        begin = range.start + offset + letter.len_utf8();
    }
    add(text, begin..range.end, found);
}

fn add(text: &str, range: Range<usize>, found: &mut Vec<Word>) {
    let marks = |letter: char| !letter.is_alphanumeric() && letter != '%';
    let raw = &text[range.clone()];
    let front = raw.len() - raw.trim_start_matches(marks).len();
    let trimmed = raw.trim_matches(marks);
    if trimmed.is_empty() || trimmed == "%" {
        return;
    }
    let start = range.start + front;
    found.push(Word {
        range: start..start + trimmed.len(),
        folded: trimmed.to_lowercase().replace('’', "'"),
    });
}

/// The folded words alone.
pub fn folded(text: &str) -> Vec<String> {
    words(text).into_iter().map(|word| word.folded).collect()
}

/// Sentences, without the space around them.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    for (index, &(place, letter)) in letters.iter().enumerate() {
        let next = letters.get(index + 1).map(|(_, letter)| *letter);
        let after = letters.get(index + 2).map(|(_, letter)| *letter);
        let ends = match letter {
            '.' | '!' | '?' => {
                next.is_none_or(char::is_whitespace)
                    && after.is_none_or(|letter| !letter.is_lowercase())
                    && !is_abbreviation(&text[start..place])
            }
            '\n' => next == Some('\n'),
            _ => false,
        };
        if ends {
            let end = place + letter.len_utf8();
            found.push(text[start..end].trim());
            start = end;
        }
    }
    found.push(text[start..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// A point after a single letter or a title ends no sentence.
fn is_abbreviation(before: &str) -> bool {
    let last = before.rsplit(char::is_whitespace).next().unwrap_or("");
    let mut letters = last.chars();
    let single = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    single
        || [
            "Mr", "Mrs", "Ms", "Dr", "St", "vs", "e.g", "i.e", "al", "cf", "No",
        ]
        .contains(&last)
}

/// Words that say nothing about a text.
pub fn is_stop_word(folded: &str) -> bool {
    STOP_WORDS.binary_search(&folded).is_ok()
}

/// Worth comparing: a number, or a word of some length that is no stop word.
pub fn is_content(folded: &str) -> bool {
    is_number(folded) || (folded.chars().count() > 2 && !is_stop_word(folded))
}

pub fn is_number(folded: &str) -> bool {
    folded.chars().any(char::is_numeric)
        && folded.chars().all(|c| c.is_numeric() || ".,%-".contains(c))
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

static STOP_WORDS: &[&str] = &[
    "a",
    "about",
    "above",
    "after",
    "again",
    "against",
    "all",
    "also",
    "although",
    "always",
    "am",
    "among",
    "an",
    "and",
    "another",
    "any",
    "are",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "below",
    "between",
    "both",
    "but",
    "by",
    "can",
    "cannot",
    "could",
    "did",
    "do",
    "does",
    "doing",
    "down",
    "during",
    "each",
    "either",
    "else",
    "ever",
    "every",
    "few",
    "for",
    "from",
    "further",
    "had",
    "has",
    "have",
    "having",
    "he",
    "her",
    "here",
    "hers",
    "herself",
    "him",
    "himself",
    "his",
    "how",
    "however",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "itself",
    "just",
    "less",
    "let",
    "many",
    "may",
    "me",
    "might",
    "more",
    "most",
    "much",
    "must",
    "my",
    "myself",
    "neither",
    "no",
    "nor",
    "not",
    "now",
    "of",
    "off",
    "on",
    "once",
    "one",
    "only",
    "or",
    "other",
    "ought",
    "our",
    "ours",
    "ourselves",
    "out",
    "over",
    "own",
    "per",
    "quite",
    "rather",
    "same",
    "shall",
    "she",
    "should",
    "since",
    "so",
    "some",
    "such",
    "than",
    "that",
    "the",
    "their",
    "theirs",
    "them",
    "themselves",
    "then",
    "there",
    "therefore",
    "these",
    "they",
    "this",
    "those",
    "though",
    "through",
    "thus",
    "to",
    "too",
    "two",
    "under",
    "until",
    "up",
    "upon",
    "us",
    "very",
    "was",
    "we",
    "well",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "within",
    "without",
    "would",
    "yet",
    "you",
    "your",
    "yours",
    "yourself",
    "yourselves",
];

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn sentences_end_where_a_reader_ends_them() {
        let text = "Dr. Smith of the U. S. army came. It was 3.5 miles! Why?\n\nA heading\n\nLast";
        let found = sentences(text);
        assert_eq!(
            found,
            [
                "Dr. Smith of the U. S. army came.",
                "It was 3.5 miles!",
                "Why?",
                "A heading",
                "Last"
            ]
        );
    }

    #[test]
    fn the_stop_list_is_in_order() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("the") && !is_stop_word("mitochondria"));
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
