//! Texts as words between blanks, for laying one text alongside another.

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
    let token = |word: &'_ str| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        let from = bare.as_ptr() as usize - text.as_ptr() as usize;
        Token {
            text: &text[from..from + bare.len()],
            lower: bare.to_lowercase(),
            start,
            end: start + word.len(),
        }
    };
    text.split_whitespace().map(token).collect()
}
