//! Yes, no, or neither.

use text::folded;

use super::{Kind, kind};
use crate::signals::probes::Reply;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YesOrNo {
    Yes,
    No,
    Unknown,
}

/// How far into an answer a plain word counts.
const BEGINNING: usize = 12;

/// The first plain yes or no near the beginning.
pub fn said(reply: &Reply) -> YesOrNo {
    let words = folded(&reply.answer);
    let plain = words
        .iter()
        .take(BEGINNING)
        .find_map(|word| match word.as_str() {
            "yes" | "true" | "correct" | "yeah" | "yep" | "ja" | "oui" | "sí" => {
                Some(YesOrNo::Yes)
            }
            "no" | "false" | "incorrect" | "nope" | "nein" | "non" => Some(YesOrNo::No),
            _ => None,
        });
    let first = words.first().map(String::as_str);
    match plain {
        // "No relevant information …" is no answer to the question.
        Some(YesOrNo::No) if first == Some("no") && kind(reply) == Kind::Answer => YesOrNo::No,
        Some(found) if kind(reply) == Kind::Answer => found,
        Some(found) if matches!(first, Some("yes")) => found,
        _ => YesOrNo::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said_in(answer: &str) -> YesOrNo {
        said(&Reply {
            answer: answer.into(),
            ..Reply::default()
        })
    }

    #[test]
    fn reads_plain_answers() {
        assert_eq!(said_in("Yes."), YesOrNo::Yes);
        assert_eq!(said_in("**No**, the study says otherwise."), YesOrNo::No);
        assert_eq!(said_in("Answer: yes"), YesOrNo::Yes);
        assert_eq!(said_in("That is false."), YesOrNo::No);
        assert_eq!(said_in("I don't know."), YesOrNo::Unknown);
        assert_eq!(
            said_in("No relevant information was found."),
            YesOrNo::Unknown
        );
        assert_eq!(said_in("The leaves fall in autumn."), YesOrNo::Unknown);
        assert_eq!(said_in(""), YesOrNo::Unknown);
    }
}
