//! Words cut finer, as a search index wants them: "DNA-repair" is found by either of its parts.

use std::ops::Range;

use crate::segments::segments;

/// Where the parts of words are: runs of letters and digits. An apostrophe between letters belongs to
/// a part, and so does a point or comma between digits. Where a script puts no blanks between words, a
/// dictionary tells them apart.
pub fn parts(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    runs(text).flat_map(|run| segments(text, run))
}

fn runs(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
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
    if word.is_ascii() {
        let kept = word.chars().filter(|letter| !matches!(letter, '\'' | ','));
        return kept.map(|letter| letter.to_ascii_lowercase()).collect();
    }
    let kept = word
        .chars()
        .filter(|letter| !matches!(letter, '\'' | '’' | ','));
    kept.flat_map(char::to_lowercase).collect()
}

/// The parts of a text's words, plain, in order.
pub fn plain_parts(text: &str) -> Vec<String> {
    parts(text).map(|part| plain(&text[part])).collect()
}

/// Whether a plain part is a number.
pub fn is_plain_number(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit())
        && word
            .chars()
            .all(|letter| letter.is_ascii_digit() || letter == '.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    #[test]
    fn parts_keep_their_numbers_and_apostrophes() {
        let text = "Don't pay 1,250.50 € to Müller-Lüdenscheidt, ok?";
        assert_eq!(
            plain_parts(text),
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
        assert!(is_plain_number("1250.50") && !is_plain_number("b12") && !is_plain_number(""));
    }

    #[test]
    fn every_part_lies_in_one_word() {
        for text in [
            "In 1,250 cases (3.5%), the DNA-repair didn’t help. A.B. o'9 1'000 x--y 5%-6",
            "日本語。テキスト a\u{301}. b É,É ½.5 ’tis rock'n'roll",
        ] {
            let all = words(text);
            for part in parts(text) {
                let holds = |word: &&crate::Word| {
                    word.range.start <= part.start && part.end <= word.range.end
                };
                assert_eq!(all.iter().filter(holds).count(), 1, "{}", &text[part]);
            }
        }
    }
}
