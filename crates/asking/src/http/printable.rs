//! Text from outside, made fit to be shown.

/// How much of an answer is quoted.
const QUOTED: usize = 200;

/// Text from outside on one line: control characters and those that turn writing around are
/// escaped, and it ends after so many characters.
pub fn printable(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for (count, letter) in text.trim().chars().enumerate() {
        if count == most {
            shown.push('…');
            break;
        }
        match letter {
            '\n' | '\r' | '\t' => shown.push(' '),
            '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}' => {
                shown.extend(letter.escape_unicode());
            }
            letter if letter.is_control() => shown.extend(letter.escape_unicode()),
            letter => shown.push(letter),
        }
    }
    shown
}

pub(crate) fn quote(body: &[u8]) -> String {
    // A character may be cut at the end: no matter, it is quoted only.
    let start = &body[..body.len().min(4 * QUOTED)];
    printable(&String::from_utf8_lossy(start), QUOTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_made_harmless() {
        let shown = printable("\u{1b}[31mred\u{202e}\u{7}\nnext\u{9b}", 200);
        assert_eq!(shown, "\\u{1b}[31mred\\u{202e}\\u{7} next\\u{9b}");
        assert_eq!(printable("abcdef", 3), "abc…");
    }
}
