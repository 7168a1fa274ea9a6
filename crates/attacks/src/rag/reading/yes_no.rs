//! Yes, no, or neither.

use text::folded;

use super::{Kind, kind};
use crate::signals::probes::Reply;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    Yes,
    No,
    Unknown,
}

/// How far into an answer a plain word counts.
const BEGINNING: usize = 12;

/// The first plain yes or no near the beginning.
pub fn said(reply: &Reply) -> Said {
    let words = folded(&reply.answer);
    let plain = words
        .iter()
        .take(BEGINNING)
        .find_map(|word| match word.as_str() {
            "yes" | "true" | "correct" | "yeah" | "yep" | "ja" | "oui" | "sí" => Some(Said::Yes),
            "no" | "false" | "incorrect" | "nope" | "nein" | "non" => Some(Said::No),
            _ => None,
        });
    let first = words.first().map(String::as_str);
    match plain {
        // "No relevant information …" is no answer to the question.
        Some(Said::No) if first == Some("no") && kind(reply) == Kind::Answer => Said::No,
        Some(found) if kind(reply) == Kind::Answer => found,
        Some(found) if matches!(first, Some("yes")) => found,
        _ => Said::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(answer: &str) -> Said {
        said(&Reply {
            answer: answer.into(),
            ..Reply::default()
        })
    }

    #[test]
    fn reads_plain_answers() {
        assert_eq!(of("Yes."), Said::Yes);
        assert_eq!(of("**No**, the study says otherwise."), Said::No);
        assert_eq!(of("Answer: yes"), Said::Yes);
        assert_eq!(of("That is false."), Said::No);
        assert_eq!(of("I don't know."), Said::Unknown);
        assert_eq!(of("No relevant information was found."), Said::Unknown);
        assert_eq!(of("The leaves fall in autumn."), Said::Unknown);
        assert_eq!(of(""), Said::Unknown);
    }
}
