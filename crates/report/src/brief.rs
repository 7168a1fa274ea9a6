//! Long findings in short: what was found, and what to do.

/// The first clause of a finding, without the name of the guardrail in front and what follows from it.
pub fn first_clause(text: &str) -> String {
    clauses(text)
        .first()
        .map_or_else(String::new, |first| (*first).to_owned())
}

/// As many whole clauses as so many characters take: the first one, which says what was found, and the last,
/// which says what to do, before those between them. Words are left out only of a first one that has no room
/// by itself.
pub fn brief(text: &str, room: usize) -> String {
    let clauses = clauses(text);
    let (first, last) = match clauses.as_slice() {
        [] => return String::new(),
        [only] => return cut(only, room),
        [first, .., last] => (*first, *last),
    };
    let fits = |shown: &String| shown.chars().count() <= room;
    let ends = format!("{first}; {last}");
    let shown = [text.to_owned(), ends].into_iter().find(fits);
    shown.unwrap_or_else(|| cut(first, room))
}

/// Parts between semicolons that stand in no brackets; a hint behind an error begins one too.
fn clauses(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ';' if depth <= 0 && text[place + 1..].starts_with(' ') => {
                parts.push(text[start..place].trim());
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whole words, with a mark where some are missing.
pub fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for word in text.split_whitespace() {
        if kept.chars().count() + word.chars().count() + 2 > room {
            break;
        }
        if !kept.is_empty() {
            kept.push(' ');
        }
        kept += word;
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUND: &str =
        "8 shadows; half of the records have at most 4 IN and 4 OUT; balance the splits";

    #[test]
    fn what_was_found_and_what_to_do_stay() {
        assert_eq!(brief(FOUND, 40), "8 shadows; balance the splits");
        assert_eq!(brief(FOUND, 400), FOUND);
        assert_eq!(first_clause(FOUND), "8 shadows");
        let counted = "no slice leaks; the worst reaches 0.6 (0.5 to 0.7; 88 members)";
        assert_eq!(
            first_clause("it reaches 0.6 (0.5; 88 members)"),
            "it reaches 0.6 (0.5; 88 members)"
        );
        assert_eq!(brief(counted, 61), "no slice leaks");
    }

    #[test]
    fn nothing_is_longer_than_its_room_and_words_stay_whole() {
        let long = "one two three four five; six seven eight nine ten";
        for room in 12..60 {
            let short = brief(long, room);
            assert!(short.chars().count() <= room, "{room}: {short}");
        }
        assert_eq!(cut("one two three", 8), "one two…");
        assert_eq!(cut("", 8), "");
        assert_eq!(brief("; ", 8), "");
    }
}
