//! Sentences as attacks take them from a document to ask about. Where they end is part of every
//! question that was ever stored, so it stays as it is.

/// Sentences, without the space around them.
pub fn sentences(text: &str) -> Vec<&str> {
    cut(text, &|_| false)
}

/// The same, but for points behind which a sentence goes on, by what stands before them.
pub(crate) fn cut<'a>(text: &'a str, goes_on: &dyn Fn(&str) -> bool) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut start = 0;
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    for (index, &(place, letter)) in letters.iter().enumerate() {
        if place < start {
            continue;
        }
        let next = letters.get(index + 1).map(|(_, letter)| *letter);
        let after = letters.get(index + 2).map(|(_, letter)| *letter);
        let ends = match letter {
            '.' | '!' | '?' => {
                next.is_none_or(char::is_whitespace)
                    && after.is_none_or(|letter| !letter.is_lowercase())
                    && !is_abbreviation(&text[start..place])
                    && !goes_on(&text[start..place])
            }
            // Chinese and Japanese put no blank behind the end of a sentence.
            '。' | '\u{ff01}' | '\u{ff1f}' => true,
            '\n' => next == Some('\n'),
            _ => false,
        };
        if ends {
            let mut end = place + letter.len_utf8();
            if matches!(letter, '。' | '\u{ff01}' | '\u{ff1f}') {
                end += closing(&text[end..]);
            }
            found.push(text[start..end].trim());
            start = end;
        }
    }
    found.push(text[start..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// How long the marks are that close a quotation or a bracket behind a sentence.
fn closing(rest: &str) -> usize {
    let kept = rest.trim_start_matches([
        '。', '\u{ff01}', '\u{ff1f}', '”', '’', '」', '』', '\u{ff09}', '》',
    ]);
    rest.len() - kept.len()
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
