//! Texts as words between blanks, or as a dictionary cuts them where a script has none, for laying one
//! text alongside another.

use std::ops::Range;

use text::is_unspaced;

/// A word between blanks.
pub struct Token<'a> {
    /// As written, without the marks around it.
    pub text: &'a str,
    pub lower: String,
    /// Where the whole of it starts and ends in its text.
    pub start: usize,
    pub end: usize,
}

pub fn split(text: &str) -> Vec<Token<'_>> {
    let token = |range: Range<usize>| {
        let bare = text[range.clone()].trim_matches(|letter: char| !letter.is_alphanumeric());
        Token {
            text: bare,
            lower: bare.to_lowercase(),
            start: range.start,
            end: range.end,
        }
    };
    let words = text.split_whitespace().map(|word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        start..start + word.len()
    });
    words.flat_map(|word| cut(text, word)).map(token).collect()
}

/// The words of a stretch without blanks, each with the marks behind it. A gap in brackets stays whole.
fn cut(text: &str, stretch: Range<usize>) -> Vec<Range<usize>> {
    let written = &text[stretch.clone()];
    if !written.chars().any(is_unspaced) {
        return vec![stretch];
    }
    let mut starts = vec![0];
    let mut from = 0;
    while from < written.len() {
        let open = written[from..].find('[').map(|open| from + open);
        let plain = open.unwrap_or(written.len());
        starts.extend(
            text::words(&written[from..plain])
                .iter()
                .map(|word| from + word.range.start),
        );
        let Some(open) = open else { break };
        let close = written[open..]
            .find(']')
            .map_or(open + 1, |close| open + close + 1);
        starts.extend([open, close]);
        from = close;
    }
    starts.retain(|start| *start < written.len());
    starts.sort_unstable();
    starts.dedup();
    let ends = starts.iter().skip(1).copied().chain([written.len()]);
    let ranges = starts.iter().zip(ends);
    let ranges = ranges.map(|(start, end)| stretch.start + start..stretch.start + end);
    let says = |range: &Range<usize>| text[range.clone()].chars().any(char::is_alphanumeric);
    ranges.filter(says).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_stay_whole_in_a_text_without_blanks() {
        let words: Vec<&str> = split("研究纳入了[Mask_1]名患者，历时[Mask_2]年。")
            .iter()
            .map(|token| token.text)
            .collect();
        assert!(
            words.contains(&"Mask_1") && words.contains(&"Mask_2"),
            "{words:?}"
        );
        assert!(
            words.contains(&"患者") && words.contains(&"年"),
            "{words:?}"
        );
        let spaced: Vec<&str> = split("Cats, \"sit\" [Mask_1].")
            .iter()
            .map(|token| token.text)
            .collect();
        assert_eq!(spaced, ["Cats", "sit", "Mask_1"]);
    }
}
