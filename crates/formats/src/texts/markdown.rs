//! Markdown: what stands before a text between lines of `---` is about it, and no part of it.

/// The title, where there is one, and the text.
pub(super) fn page(text: String) -> (Option<String>, String) {
    match front_matter(&text) {
        None => (heading(&text), text),
        Some((front, body)) => {
            let title = heading(body).or_else(|| title(front));
            (title, body.to_owned())
        }
    }
}

/// The first line, where it is a heading.
fn heading(text: &str) -> Option<String> {
    let first = text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .lines()
        .next()?;
    let title = first.strip_prefix("# ")?.trim();
    (!title.is_empty()).then(|| title.to_owned())
}

/// The lines of YAML at the beginning, and what comes after them.
fn front_matter(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches('\u{feff}');
    let (opening, after) = text.split_once('\n')?;
    if opening.trim_end() != "---" {
        return None;
    }
    let mut end = 0;
    for line in after.split_inclusive('\n') {
        if ["---", "..."].contains(&line.trim_end()) {
            let (front, body) = (&after[..end], &after[end + line.len()..]);
            return is_about(front).then_some((front, body));
        }
        end += line.len();
    }
    None
}

/// A line may stand above and below a part of the text, too: what is about a text begins with a name
/// and a colon, below remarks at most.
fn is_about(front: &str) -> bool {
    let front = front.trim();
    let mut lines = front.lines().filter(|line| !line.starts_with('#'));
    front.is_empty() || lines.next().is_some_and(|line| entry(line).is_some())
}

/// A name and its value.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let outermost = !name.is_empty() && !name.starts_with(char::is_whitespace);
    let parted = value.is_empty() || value.starts_with(char::is_whitespace);
    (outermost && parted).then(|| (name.trim(), value.trim()))
}

fn title(front: &str) -> Option<String> {
    let mut entries = front.lines().filter_map(entry);
    let (_, said) = entries.find(|(name, _)| name.eq_ignore_ascii_case("title"))?;
    let within = |quote: char| said.strip_prefix(quote)?.strip_suffix(quote);
    let title = within('"').or_else(|| within('\'')).unwrap_or(said).trim();
    // `>` and `|` announce lines that follow.
    (!title.is_empty() && !title.starts_with(['>', '|'])).then(|| title.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, String) {
        let (title, text) = page(text.to_owned());
        (title.unwrap_or_default(), text)
    }

    #[test]
    fn what_is_about_a_text_is_no_part_of_it() {
        let front = "title: \"On mills\"\nauthor: a\nlist:\n  - x\n";
        for fences in [["---\n", "---\n"], ["\u{feff}---\r\n", "...\r\n"]] {
            let found = read(&format!("{}{front}{}The text.\n", fences[0], fences[1]));
            assert_eq!(found, ("On mills".to_owned(), "The text.\n".to_owned()));
        }
        let (title, text) = read("---\n# who wrote it\ntitle: a\n---\n# B\n\nText.");
        assert_eq!((title.as_str(), text.as_str()), ("B", "# B\n\nText."));
        let (title, text) = read("---\n---\nText.");
        assert_eq!((title.as_str(), text.as_str()), ("", "Text."));
        assert_eq!(read("---\ntitle: >\n  long\n---\nText.").0, "");
    }

    #[test]
    fn lines_between_parts_of_a_text_stay() {
        for text in [
            "---\ntitle: never ends\n\nText.",
            "---\n\nWords alone.\n\n---\nMore.",
            "---\n# A heading\n\nNote: more.\n---\nEnd.",
            "----\ntitle: a\n---\nText.",
            "Text.\n---\ntitle: a\n---\n",
        ] {
            assert_eq!(read(text).1, text);
        }
    }
}
