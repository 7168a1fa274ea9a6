//! Where sentences and paragraphs end, for cutting a text without losing any of it.

use std::ops::Range;

/// A sentence of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Its bytes, without blanks around it.
    pub range: Range<usize>,
    pub ends_paragraph: bool,
}

/// Abbreviations whose point ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "al", "approx", "ca", "cf", "dr", "e.g", "eq", "etc", "fig", "figs", "i.e", "inc", "jr", "mr",
    "mrs", "ms", "no", "prof", "sr", "st", "vs",
];

/// The sentences of a text. They lie in order and leave out nothing but blanks.
pub fn split_sentences(text: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    for paragraph in paragraphs(text) {
        let mut start = paragraph.start;
        for end in ends(&text[paragraph.clone()]) {
            push(text, start..paragraph.start + end, &mut sentences);
            start = paragraph.start + end;
        }
        push(text, start..paragraph.end, &mut sentences);
        if let Some(last) = sentences.last_mut() {
            last.ends_paragraph = true;
        }
    }
    sentences
}

fn push(text: &str, range: Range<usize>, sentences: &mut Vec<Sentence>) {
    let whole = &text[range.clone()];
    let trimmed = whole.trim();
    if !trimmed.is_empty() {
        let start = range.start + (whole.len() - whole.trim_start().len());
        sentences.push(Sentence {
            range: start..start + trimmed.len(),
            ends_paragraph: false,
        });
    }
}

/// Stretches between blank lines.
fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut place) = (0, 0);
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            found.push(start..place);
            start = place + line.len();
        }
        place += line.len();
    }
    found.push(start..text.len());
    found
}

/// Behind which bytes of a paragraph a sentence ends.
fn ends(paragraph: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut letters = paragraph.char_indices().peekable();
    while let Some((place, letter)) = letters.next() {
        let wide = matches!(letter, '。' | '\u{ff01}' | '\u{ff1f}');
        if !wide && !matches!(letter, '.' | '!' | '?') {
            continue;
        }
        let mut end = place + letter.len_utf8();
        while let Some(&(_, closing)) = letters.peek()
            && matches!(
                closing,
                '.' | '!' | '?' | '"' | '”' | '’' | '\'' | ')' | ']' | '」' | '\u{ff09}'
            )
        {
            end += closing.len_utf8();
            letters.next();
        }
        let rest = &paragraph[end..];
        let ends = match wide {
            // Chinese and Japanese put no blank behind a sentence.
            true => !rest.trim().is_empty(),
            false => begins_anew(rest) && !(letter == '.' && is_abbreviation(&paragraph[..place])),
        };
        if ends {
            found.push(end);
        }
    }
    found
}

/// Whether what follows a point looks like the start of a sentence.
fn begins_anew(rest: &str) -> bool {
    let trimmed = rest.trim_start();
    trimmed.len() < rest.len()
        && trimmed.starts_with(|letter: char| {
            !letter.is_lowercase() && !matches!(letter, ',' | ';' | ')')
        })
}

/// Whether the word before a point is an abbreviation or somebody's initial.
fn is_abbreviation(before: &str) -> bool {
    let word = before
        .rsplit(|letter: char| letter.is_whitespace() || letter == '(')
        .next();
    let word = word.unwrap_or_default().to_lowercase();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    initial || ABBREVIATIONS.contains(&word.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        split_sentences(text)
            .into_iter()
            .map(|sentence| &text[sentence.range])
            .collect()
    }

    #[test]
    fn sentences_end_at_points_but_not_behind_abbreviations() {
        let text = "Dr. J. Smith et al. measured 3.5 mg. \"It works!\" She (e.g. Ann) left? Yes.";
        assert_eq!(
            texts(text),
            [
                "Dr. J. Smith et al. measured 3.5 mg.",
                "\"It works!\"",
                "She (e.g. Ann) left?",
                "Yes."
            ]
        );
    }

    #[test]
    fn blank_lines_end_paragraphs() {
        let text = "A title\n\nOne line\nand another. End.\n \nLast";
        assert_eq!(
            texts(text),
            ["A title", "One line\nand another.", "End.", "Last"]
        );
        let ends: Vec<bool> = split_sentences(text)
            .iter()
            .map(|sentence| sentence.ends_paragraph)
            .collect();
        assert_eq!(ends, [true, false, true, true]);
    }

    #[test]
    fn no_letter_is_lost() {
        let text = "  Ünïcode… ok. 数字。 Next!\n\n\n a.b.c ... Done.  ";
        let joined: String = texts(text).concat();
        let bare = |text: &str| {
            text.chars()
                .filter(|letter| !letter.is_whitespace())
                .collect::<String>()
        };
        assert_eq!(bare(&joined), bare(text));
        assert!(split_sentences("").is_empty() && split_sentences(" \n\n ").is_empty());
    }
}
