//! Yes, no, or neither.

use text::{Language, folded, is_unspaced};

use super::{Kind, kind};
use crate::rag::phrases::Phrases;
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
    let plain = words.iter().take(BEGINNING).find_map(|word| meant(word));
    let plain = plain.or_else(|| in_characters(&reply.answer));
    let first = words.first().map(String::as_str);
    match plain {
        // "No relevant information …" is no answer to the question.
        Some(YesOrNo::No) if first == Some("no") && kind(reply) == Kind::Answer => YesOrNo::No,
        Some(found) if kind(reply) == Kind::Answer => found,
        Some(found) if matches!(first, Some("yes")) => found,
        _ => YesOrNo::Unknown,
    }
}

/// What a word says in any language. Han characters are read by themselves.
fn meant(word: &str) -> Option<YesOrNo> {
    if word.chars().any(is_unspaced) {
        return None;
    }
    let has = |of: fn(&Phrases) -> &'static [&'static str]| {
        Phrases::all().any(|phrases| of(phrases).contains(&word))
    };
    match () {
        () if has(|phrases| phrases.yes) => Some(YesOrNo::Yes),
        () if has(|phrases| phrases.no) => Some(YesOrNo::No),
        () => None,
    }
}

/// "是的", "不是": how an answer in Han characters begins, the longest of what it could mean.
fn in_characters(answer: &str) -> Option<YesOrNo> {
    let opening = answer.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let labels = ["答案是", "答案", "回答"];
    let bare = labels.iter().find_map(|label| opening.strip_prefix(label));
    let bare = bare.unwrap_or(opening);
    let opening = bare.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let chinese = Phrases::of(Language::Chinese);
    let longest = |list: &[&str]| {
        let begins = list.iter().filter(|word| opening.starts_with(**word));
        begins.map(|word| word.len()).max()
    };
    match (longest(chinese.yes), longest(chinese.no)) {
        (None, None) => None,
        (yes, no) if yes > no => Some(YesOrNo::Yes),
        _ => Some(YesOrNo::No),
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

    #[test]
    fn reads_other_languages() {
        for yes in [
            "Ja.",
            "Ja, das steht dort.",
            "Oui",
            "Sí, aparece.",
            "是的。",
            "是",
            "“是”",
            "答案：是",
            "对，文中有。",
            "正确。",
        ] {
            assert_eq!(said_in(yes), YesOrNo::Yes, "{yes}");
        }
        for no in [
            "Nein.",
            "Non, c'est faux.",
            "No.",
            "否",
            "不是。",
            "不正确。",
            "没有，文中没有。",
            "答案是：否",
        ] {
            assert_eq!(said_in(no), YesOrNo::No, "{no}");
        }
        for neither in [
            "Ich weiß es nicht.",
            "我不知道。",
            "No lo sé.",
            "Je ne sais pas.",
            "该研究于2019年进行。",
        ] {
            assert_eq!(said_in(neither), YesOrNo::Unknown, "{neither}");
        }
    }
}
