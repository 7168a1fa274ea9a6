//! Text from outside (file names, ids, answers) made safe to show.

/// The text with control characters, which could steer a terminal or hide words, made visible.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if misleads(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// The same for a text of several lines: line feeds and tabs stay.
pub fn printable_lines(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            other if misleads(other) => shown.extend(other.escape_unicode()),
            other => shown.push(other),
        }
    }
    shown
}

/// The text as HTML or XML, between elements and within quotes: nothing in it is markup.
pub fn escape_markup(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            other => shown.push(other),
        }
    }
    shown
}

/// JSON without such characters. They occur in strings only, where their escapes mean the same.
pub fn printable_json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if misleads(character) {
            let mut units = [0; 2];
            let units = character.encode_utf16(&mut units).iter();
            shown.extend(units.map(|unit| format!("\\u{unit:04x}")));
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Whether a character steers what shows it, breaks its line or the document around it, changes the direction of
/// the text beside it, or is there and not seen. Joiners stay: words and emoji are written with them.
fn misleads(character: char) -> bool {
    let is_none = u32::from(character) & 0xfffe == 0xfffe;
    character.is_control()
        || is_none
        || matches!(
            character,
            '\u{061c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// The text as one cell of a Markdown table: nothing in it is markup.
pub fn markdown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let text = printable(text);
    let mut before = ' ';
    for (place, character) in text.char_indices() {
        let rest = &text[place..];
        match character {
            // A forge would notify whom an answer mentions, and make a link of any address.
            '@' if !before.is_alphanumeric() => shown.push_str("&#64;"),
            ':' if rest.starts_with("://") => shown.push_str("&#58;"),
            '.' if ends_in_www(&text[..place]) => shown.push_str("&#46;"),
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '!' | '~' => {
                shown.push('\\');
                shown.push(character);
            }
            other => shown.push(other),
        }
        before = character;
    }
    shown
}

fn ends_in_www(text: &str) -> bool {
    text.bytes()
        .rev()
        .take(3)
        .filter(|byte| byte.eq_ignore_ascii_case(&b'w'))
        .count()
        == 3
}

/// Markdown behind a line that opens it. The body ends in a line feed, and blank lines around it
/// keep it Markdown.
pub fn folded(summary: &str, body: &str) -> String {
    let (summary, body) = (markdown(summary), body.trim_start_matches('\n'));
    format!("\n<details><summary>{summary}</summary>\n\n{body}\n</details>\n")
}

/// Breaks text between words so that lines fit the width.
pub fn wrap(text: &str, width: usize, first: &str, later: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = first.to_string();
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, later.to_string()));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_text_can_act() {
        assert_eq!(printable("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\u{a}c");
        assert_eq!(printable("tap\u{202e}gpj"), "tap\\u{202e}gpj");
        assert_eq!(printable("a\u{2028}---\u{ffff}"), "a\\u{2028}---\\u{ffff}");
        assert_eq!(
            printable("\u{61c}\u{feff}\u{e0041}"),
            "\\u{61c}\\u{feff}\\u{e0041}"
        );
        assert_eq!(printable("👩\u{200d}🔬"), "👩\u{200d}🔬");
        assert_eq!(printable("naïve φ"), "naïve φ");
        assert_eq!(
            markdown("<script>|[x](javascript:y)"),
            "&lt;script&gt;\\|\\[x\\](javascript:y)"
        );
        assert_eq!(
            markdown("@all see https://a.b www.c.d, TPR@1%"),
            "&#64;all see https&#58;//a.b www&#46;c.d, TPR@1%"
        );
    }

    #[test]
    fn json_without_control_characters_means_the_same() {
        let value =
            serde_json::json!({"a": "\u{1b}[2J\u{7f}\u{9b}\u{202e}\u{2029}\u{e0041}\u{1ffff} φ\n"});
        let text = printable_json(&value.to_string());
        assert_eq!(printable(&text), text);
        let again: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(again, value);
    }
}
