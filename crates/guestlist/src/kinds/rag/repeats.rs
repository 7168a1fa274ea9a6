//! Questions that were asked twice.

use std::collections::HashMap;

use judge::rag::Repeats;

/// How many got other words the second time; nothing where none was repeated. Of each exchange: the
/// question, which time it was asked (from 0), and the answer.
pub fn repeated<'a>(exchanges: impl Iterator<Item = (&'a str, u32, &'a str)>) -> Option<Repeats> {
    let (first, again): (Vec<_>, Vec<_>) = exchanges.partition(|(_, time, _)| *time == 0);
    let first: HashMap<&str, &str> = first
        .into_iter()
        .map(|(query, _, answer)| (query, answer))
        .collect();
    let mut repeats = Repeats::default();
    for (query, _, answer) in again {
        if let Some(earlier) = first.get(query) {
            repeats.asked += 1;
            repeats.changed += usize::from(earlier.trim() != answer.trim());
        }
    }
    (repeats.asked > 0).then_some(repeats)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_words_count_and_blanks_do_not() {
        let asked = [
            ("a", 0, "one"),
            ("b", 0, "two"),
            ("a", 1, " one\n"),
            ("b", 1, "three"),
            ("c", 1, "never asked before"),
        ];
        let found = repeated(asked.into_iter()).unwrap();
        assert_eq!((found.asked, found.changed), (2, 1));
        assert_eq!(repeated([("a", 0, "one")].into_iter()), None);
    }
}
