//! The parts of a question: quotations, gaps, claims, and instructions about the answer.

use text::{count_words_of_any_script as count_words, split_sentences};

use super::languages::{AFFIRMED, ANSWER};

/// What sentences begin with that are about the answer and not about the matter.
const INSTRUCTIONS: &[&str] = &[
    "answer ",
    "please answer",
    "respond ",
    "reply ",
    "do not ",
    "don't ",
    "you should ",
    "you must ",
    "only answer",
    "use only",
    "use the following",
    "cite ",
    "please cite",
];

/// The numbers of the gaps in a text, such as 3 for `[MASK_3]`.
pub fn mask_numbers(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.match_indices('[').filter_map(|(start, _)| {
        let rest = &text[start + 1..];
        // No gap has a longer name, and a text may be full of brackets that are never closed.
        let (end, _) = rest
            .char_indices()
            .take(30)
            .find(|(_, letter)| *letter == ']')?;
        let (name, number) = rest[..end].split_at_checked(4)?;
        let number = number.trim_start_matches(['_', '-']).parse().ok()?;
        name.eq_ignore_ascii_case("mask").then_some(number)
    })
}

/// The text up to a closing "Answer with Yes or No", whose own quotation marks mean nothing.
pub fn before_instruction(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    let starts = ["answer ", "respond ", "reply "]
        .iter()
        .chain(ANSWER)
        .filter_map(|word| lower.rfind(word));
    let closing = |start: &usize| {
        let tail = &lower[*start..];
        let affirms = || AFFIRMED.iter().any(|word| tail.contains(word));
        count_words(tail) <= 20 && (tail.contains("yes") || affirms())
    };
    starts
        .filter(closing)
        .min()
        .map_or(text, |start| &text[..start])
}

/// What stands between the first and the last quotation mark, if it is more than a name.
pub fn quoted(text: &str) -> Option<&str> {
    let start = text.find(['"', '“'])?;
    let start = start + text[start..].chars().next()?.len_utf8();
    let end = text.rfind(['"', '”'])?;
    let quote = text.get(start..end)?.trim();
    (count_words(quote) >= 3).then_some(quote)
}

/// What a question claims in so many words, such as "water boils" in "Is it true that water boils?".
pub fn stated(question: &str) -> Option<&str> {
    const OPENINGS: &[&str] = &[
        "is it true that ",
        "is it correct that ",
        "is it right that ",
        "is it the case that ",
    ];
    let lower = question.to_ascii_lowercase();
    let opening = OPENINGS
        .iter()
        .find(|opening| lower.starts_with(*opening))?;
    Some(question[opening.len()..].trim_end_matches(['?', ' ']))
}

/// The last sentence that asks.
pub fn question(text: &str) -> Option<&str> {
    let asks = |sentence: &&str| {
        sentence
            .trim_end_matches(['"', '”', ')', ' '])
            .ends_with('?')
    };
    matter(text).into_iter().rfind(asks)
}

/// The sentences that are about the matter and not about how to answer.
pub fn matter(text: &str) -> Vec<&str> {
    let sentences = split_sentences(text)
        .into_iter()
        .map(|sentence| &text[sentence.range]);
    let matters = |sentence: &&str| {
        let lower = sentence.to_lowercase();
        !INSTRUCTIONS
            .iter()
            .any(|opening| lower.starts_with(opening))
    };
    sentences.filter(matters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_known_by_their_numbers() {
        let found: Vec<usize> =
            mask_numbers("a [Mask_1], [MASK-12] [mask3] [Mask_i] [[Mask_4").collect();
        assert_eq!(found, [1, 12, 3]);
    }

    #[test]
    fn quotation_marks_of_an_instruction_mean_nothing() {
        let text = "Is this: \"one two three\" right? Answer with \"Yes\" or \"No\".";
        assert_eq!(quoted(before_instruction(text)), Some("one two three"));
        assert_eq!(quoted("Who is \"Ann\"?"), None);
    }
}
