//! Words and sentences of a text, as retriever and reader see them.

use std::ops::Range;

/// Words that say nothing about a text's subject.
const STOP: &[&str] = &[
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any",
    "are", "as", "at", "be", "because", "been", "before", "being", "below", "between", "both",
    "but", "by", "can", "could", "did", "do", "does", "doing", "down", "during", "each", "few",
    "for", "from", "further", "had", "has", "have", "having", "he", "her", "here", "hers", "him",
    "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "may", "me", "might", "more",
    "most", "must", "my", "no", "nor", "not", "of", "off", "on", "once", "only", "or", "other",
    "our", "out", "over", "own", "same", "shall", "she", "should", "so", "some", "such", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "through",
    "to", "too", "under", "until", "up", "very", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "whom", "why", "will", "with", "would", "you", "your",
];

/// Whether a word, in lower case, says nothing about the subject.
pub fn is_stop(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

/// Where the words are: runs of letters and digits. An apostrophe between letters belongs to the
/// word, and so does a point or comma between digits.
pub fn spans(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, mut last) = rest.find(|(_, letter)| letter.is_alphanumeric())?;
        let mut end = start + last.len_utf8();
        while let Some(&(place, letter)) = rest.peek() {
            let next = text[place + letter.len_utf8()..].chars().next();
            if !letter.is_alphanumeric() && !joins(last, letter, next) {
                break;
            }
            last = letter;
            end = place + letter.len_utf8();
            rest.next();
        }
        Some(start..end)
    })
}

fn joins(before: char, letter: char, after: Option<char>) -> bool {
    let digits = before.is_ascii_digit() && after.is_some_and(|next| next.is_ascii_digit());
    let letters = before.is_alphabetic() && after.is_some_and(char::is_alphabetic);
    match letter {
        '.' | ',' => digits,
        '\'' | '’' => letters,
        _ => false,
    }
}

/// A word in lower case, without apostrophes and without the commas inside numbers.
pub fn plain(word: &str) -> String {
    let kept = word
        .chars()
        .filter(|letter| !matches!(letter, '\'' | '’' | ','));
    kept.flat_map(char::to_lowercase).collect()
}

/// A word in lower case without its inflection, so that "visits", "visited" and "visit" meet. What is
/// left need not be a word.
pub fn fold(word: String) -> String {
    let mut stem = singular(word);
    for ending in ["ing", "ed"] {
        if stem.len() >= ending.len() + 4 && stem.ends_with(ending) && !stem.ends_with("eed") {
            stem.truncate(stem.len() - ending.len());
            let mut last = stem.bytes().rev();
            if last.next() == last.next() && !stem.ends_with("ss") && !stem.ends_with("ll") {
                stem.pop();
            }
            break;
        }
    }
    if stem.len() >= 5 && stem.ends_with('e') {
        stem.pop();
    }
    stem
}

/// Takes the plural off a word: the three rules of the S stemmer (D. Harman, "How effective is
/// suffixing?", JASIS 42, 1991).
fn singular(mut word: String) -> String {
    if word.len() < 4 || !word.ends_with('s') {
        return word;
    }
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    let cut = if ends(&["ies"]) {
        3 * usize::from(!ends(&["eies", "aies"]))
    } else {
        usize::from(!ends(&["aes", "ees", "oes", "us", "ss"]))
    };
    word.truncate(word.len() - cut);
    if cut == 3 {
        word.push('y');
    }
    word
}

/// The words that carry a text's subject, folded, in their order.
pub fn content(text: &str) -> Vec<String> {
    let words = spans(text).map(|span| plain(&text[span]));
    words.filter(|word| !is_stop(word)).map(fold).collect()
}

/// How many words a reader counts: runs between blanks.
pub fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Whether a word is a number.
pub fn is_number(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit())
        && word
            .chars()
            .all(|letter| letter.is_ascii_digit() || letter == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stop_list_is_sorted_for_the_search() {
        assert!(STOP.is_sorted());
        assert!(is_stop("the") && !is_stop("insulin"));
    }

    #[test]
    fn words_keep_their_numbers_and_apostrophes() {
        let text = "Don't pay 1,250.50 € to Müller-Lüdenscheidt, ok?";
        let words: Vec<String> = spans(text).map(|span| plain(&text[span])).collect();
        assert_eq!(
            words,
            [
                "dont",
                "pay",
                "1250.50",
                "to",
                "müller",
                "lüdenscheidt",
                "ok"
            ]
        );
        assert!(is_number("1250.50") && !is_number("b12") && !is_number(""));
    }

    #[test]
    fn forms_of_a_word_meet() {
        for forms in [
            &["study", "studies"][..],
            &["patient", "patients"],
            &["visit", "visits", "visited", "visiting"],
            &["produce", "produces", "produced", "producing"],
            &["stop", "stops", "stopped", "stopping"],
            &["cross", "crossed", "crossing"],
            &["exceed", "exceeds", "exceeding"],
            &["öffne", "öffnes"],
        ] {
            for form in forms {
                assert_eq!(
                    fold((*form).to_owned()),
                    fold(forms[0].to_owned()),
                    "{form}"
                );
            }
        }
        for (left, right) in [("need", "ne"), ("virus", "viru"), ("string", "str")] {
            assert_ne!(fold(left.to_owned()), fold(right.to_owned()));
        }
    }
}
