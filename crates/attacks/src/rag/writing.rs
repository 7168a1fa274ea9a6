//! Writing questions from a document alone: passages, telling phrases, facts, altered statements.
//! The same document gives the same questions, whoever asks.

use std::ops::Range;

use text::{
    DocumentFrequencies, Language, Word, border_before, is_name, is_number, is_unspaced, words,
};

use super::phrases::{Phrases, fill};
use crate::signals::probes::Document;

/// The text up to so many characters, cut after a word.
pub fn beginning(text: &str, most: usize) -> &str {
    let text = text.trim();
    let Some((cut, _)) = text.char_indices().nth(most) else {
        return text;
    };
    text[..word_before(text, cut).unwrap_or(cut)].trim_end()
}

/// Where the blank before a place is, or the border of a word where a script has no blanks.
fn word_before(text: &str, place: usize) -> Option<usize> {
    let unspaced = |letter: Option<char>| letter.is_some_and(is_unspaced);
    match unspaced(text[..place].chars().next_back()) && unspaced(text[place..].chars().next()) {
        true => Some(border_before(text, place)),
        false => text[..place].rfind(|letter: char| letter.is_whitespace() || is_mark(letter)),
    }
}

/// Marks of scripts without blanks, between which a text can be cut as well.
fn is_mark(letter: char) -> bool {
    matches!(
        letter,
        '。' | '、' | '\u{ff0c}' | '\u{ff1b}' | '\u{ff01}' | '\u{ff1f}'
    )
}

/// Both halves of a text, cut between two words nearest to the middle character.
pub fn halves(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let middle = text.char_indices().nth(text.chars().count() / 2)?.0;
    let cut = word_before(text, middle)?;
    Some((text[..cut].trim(), text[cut..].trim())).filter(|(a, b)| !a.is_empty() && !b.is_empty())
}

/// Runs of words spread over the text, each the most telling of its part: what only this document
/// would say.
pub fn phrases<'a>(
    text: &'a str,
    count: usize,
    length: usize,
    frequencies: &DocumentFrequencies,
    language: Language,
) -> Vec<&'a str> {
    let all = words(text);
    if all.is_empty() || count == 0 {
        return Vec::new();
    }
    let length = length.min(all.len());
    let starts = all.len() - length + 1;
    let parts = count.min(starts);
    (0..parts)
        .map(|part| {
            let from = part * starts / parts;
            let to = ((part + 1) * starts / parts).max(from + 1);
            let worth = |word: &Word| match language.is_content(&word.folded) {
                true => frequencies.rarity(&word.folded),
                false => 0.0,
            };
            let best = best_window(&all, from..to, length, worth);
            &text[all[best].range.start..all[best + length - 1].range.end]
        })
        .collect()
}

/// The start whose window is worth most; the first of equals.
fn best_window(
    all: &[Word],
    starts: Range<usize>,
    length: usize,
    worth: impl Fn(&Word) -> f64,
) -> usize {
    let sum = |start: usize| all[start..start + length].iter().map(&worth).sum::<f64>();
    let mut best = (starts.start, sum(starts.start));
    for start in starts.skip(1) {
        let found = sum(start);
        if found > best.1 {
            best = (start, found);
        }
    }
    best.0
}

/// What a document is about, in a few words: its title, what a helper wrote, or its rarest words.
pub fn topic(document: &Document, frequencies: &DocumentFrequencies) -> String {
    let written = document.about.as_deref().or(document.title.as_deref());
    match written.map(str::trim).filter(|words| !words.is_empty()) {
        Some(words) => beginning(words, 200).to_owned(),
        None => frequencies
            .rarest(&document.text, 5, document.language())
            .join(", "),
    }
}

/// A statement with something left out, and what was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blank {
    pub statement: String,
    pub answer: String,
}

/// The mark for what was left out.
pub const BLANK: &str = "_____";

/// Statements with one telling word left out: a number, a name, or a rare word; one per sentence,
/// spread over the document.
pub fn blanks(
    text: &str,
    count: usize,
    frequencies: &DocumentFrequencies,
    language: Language,
) -> Vec<Blank> {
    let found: Vec<Blank> = language
        .sentences(text)
        .into_iter()
        .filter_map(|sentence| blank(sentence, frequencies, language))
        .collect();
    spread(found, count)
}

/// Whether a folded word can be asked for: one that says something, and no two words joined by an
/// apostrophe, of which an answer may give one.
pub fn can_be_left_out(folded: &str, language: Language) -> bool {
    let joined = language == Language::French && folded.contains('\'');
    language.is_content(folded)
        && (folded.chars().count() > 2 || folded.chars().all(is_unspaced))
        && !joined
}

fn blank(sentence: &str, frequencies: &DocumentFrequencies, language: Language) -> Option<Blank> {
    let all = words(sentence);
    if !(7..=60).contains(&all.len()) {
        return None;
    }
    let joined = |folded: &str| language == Language::French && folded.contains('\'');
    let is_telling = |folded: &str| {
        let long = folded.chars().count() > 4 || folded.chars().any(is_unspaced);
        long && language.is_content(folded)
    };
    let rank = |word: &Word| -> f64 {
        // A longer number is harder to guess.
        let digits = word.folded.chars().filter(char::is_ascii_digit).count() as f64;
        match () {
            () if is_number(&word.folded) => 20.0 + digits,
            () if joined(&word.folded) => f64::NEG_INFINITY,
            () if is_name(sentence, word) => 10.0 + frequencies.rarity(&word.folded),
            () if is_telling(&word.folded) => frequencies.rarity(&word.folded),
            () => f64::NEG_INFINITY,
        }
    };
    let chosen = all
        .iter()
        .skip(2)
        .max_by(|a, b| rank(a).total_cmp(&rank(b)))?;
    // What stands elsewhere in the sentence would give itself away.
    let alone = all
        .iter()
        .filter(|word| word.folded == chosen.folded)
        .count()
        == 1;
    if rank(chosen) == f64::NEG_INFINITY || !alone {
        return None;
    }
    let (before, after) = (
        &sentence[..chosen.range.start],
        &sentence[chosen.range.end..],
    );
    Some(Blank {
        statement: format!("{before}{BLANK}{after}"),
        answer: chosen.folded.clone(),
    })
}

/// So many of a list, evenly spread, in order.
pub fn spread<T>(list: Vec<T>, count: usize) -> Vec<T> {
    let all = list.len();
    let count = count.min(all);
    let chosen: Vec<usize> = (0..count).map(|place| place * all / count.max(1)).collect();
    let list = list.into_iter().enumerate();
    list.filter(|(place, _)| chosen.contains(place))
        .map(|(_, item)| item)
        .collect()
}

/// A statement that says something else than the text: numbers changed, adjectives and adverbs
/// turned into their opposites, at most `most` of them and at least one; nothing where there is
/// nothing to change.
pub fn altered(text: &str, most: usize, language: Language) -> Option<String> {
    let all = words(text);
    let phrases = Phrases::of(language);
    let mut changes: Vec<(&Word, String)> = Vec::new();
    for word in &all {
        if changes.len() == most.max(1) {
            break;
        }
        let raw = &text[word.range.clone()];
        if let Some(other) = opposite(raw, &word.folded, phrases) {
            changes.push((word, other));
        }
    }
    if changes.is_empty() {
        changes.extend(negation(text, &all, phrases));
    }
    let first = changes.first()?;
    let mut out = text[..first.0.range.start].to_owned();
    for (place, (word, other)) in changes.iter().enumerate() {
        out += other;
        let next = changes
            .get(place + 1)
            .map_or(text.len(), |(word, _)| word.range.start);
        out += &text[word.range.end..next];
    }
    Some(out)
}

fn opposite(raw: &str, folded: &str, phrases: &Phrases) -> Option<String> {
    if is_number(folded) {
        return other_number(raw);
    }
    let other = phrases.opposite(folded)?;
    let capital = raw.chars().next().is_some_and(char::is_uppercase);
    Some(match capital {
        true => other
            .chars()
            .take(1)
            .flat_map(char::to_uppercase)
            .chain(other.chars().skip(1))
            .collect(),
        false => other,
    })
}

/// Another number of the same look: its first digit changed.
fn other_number(raw: &str) -> Option<String> {
    let place = raw.find(|c: char| c.is_ascii_digit())?;
    let digit = raw[place..].chars().next()?.to_digit(10)?;
    let other = if digit >= 6 { digit - 4 } else { digit + 3 };
    Some(format!("{}{other}{}", &raw[..place], &raw[place + 1..]))
}

/// The first plain verb, denied or affirmed.
fn negation<'a>(text: &str, all: &'a [Word], phrases: &Phrases) -> Option<(&'a Word, String)> {
    let denied = |word: &Word| {
        let known = phrases.denied.iter().find(|(verb, _)| *verb == word.folded);
        known.map(|(_, template)| *template)
    };
    let mut verbs = all.iter().enumerate();
    let (place, word, template) =
        verbs.find_map(|(place, word)| Some((place, word, denied(word)?)))?;
    let is_one_of = |place: Option<usize>, list: &[&str]| {
        let word = place.and_then(|place| all.get(place));
        word.is_some_and(|word| list.contains(&word.folded.as_str()))
    };
    let before = is_one_of(place.checked_sub(1), phrases.denies_before);
    if before || is_one_of(Some(place + 1), phrases.denies_behind) {
        return None;
    }
    Some((word, fill(template, &[("", &text[word.range.clone()])])))
}

/// A sentence that can be asked about: long enough to say something, short enough to repeat.
pub fn statements(text: &str, language: Language) -> Vec<&str> {
    let fits = |sentence: &&str| {
        let all = words(sentence);
        let telling = all
            .iter()
            .filter(|word| !language.is_stop_word(&word.folded))
            .count();
        (6..=50).contains(&all.len()) && telling >= 4 && !sentence.ends_with(['?', '\u{ff1f}'])
    };
    language.sentences(text).into_iter().filter(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The lace plant of Madagascar has 420 holes. Cells die early in most of the \
                        young leaves there. It was described in 1822 by a botanist called Poiret.";

    fn frequencies() -> DocumentFrequencies {
        let document = Document {
            id: "a".into(),
            text: TEXT.into(),
            ..Document::default()
        };
        DocumentFrequencies::new([document.text.as_str()].into_iter())
    }

    #[test]
    fn halves_and_beginnings_cut_between_words() {
        let (first, second) = halves(TEXT).unwrap();
        assert!(TEXT.starts_with(first) && TEXT.ends_with(second));
        assert_eq!(beginning("alpha beta gamma", 12), "alpha beta");
        assert_eq!(beginning("日本語のテキスト", 3), "日本語");
        assert_eq!(halves("word"), None);
        assert_eq!(halves(""), None);
    }

    #[test]
    fn phrases_are_spread_and_come_from_the_text() {
        let found = phrases(TEXT, 3, 6, &frequencies(), Language::English);
        assert_eq!(found.len(), 3);
        assert!(found.iter().all(|phrase| TEXT.contains(phrase)));
        assert!(phrases("", 3, 6, &frequencies(), Language::English).is_empty());
        assert_eq!(
            phrases("one two", 3, 6, &frequencies(), Language::English),
            ["one two"]
        );
    }

    #[test]
    fn blanks_hide_what_is_hard_to_guess() {
        let found = blanks(TEXT, 5, &frequencies(), Language::English);
        let answers: Vec<&str> = found.iter().map(|blank| blank.answer.as_str()).collect();
        assert!(
            answers.contains(&"420") && answers.contains(&"1822"),
            "{found:?}"
        );
        for blank in &found {
            assert!(blank.statement.contains(BLANK) && !blank.statement.contains(&blank.answer));
        }
    }

    #[test]
    fn alterations_change_meaning_and_little_else() {
        let altered_text = altered("It has 420 holes.", 1, Language::English).unwrap();
        assert_eq!(altered_text, "It has 720 holes.");
        assert_eq!(
            altered("Cells die early there.", 1, Language::English).unwrap(),
            "Cells die late there."
        );
        assert_eq!(
            altered("The plant is a herb.", 1, Language::English).unwrap(),
            "The plant is not a herb."
        );
        assert_eq!(altered("Nothing changes.", 1, Language::English), None);
    }

    #[test]
    fn a_spread_keeps_order_and_number() {
        assert_eq!(spread((0..10).collect(), 3), [0, 3, 6]);
        assert_eq!(spread(vec![1], 3), [1]);
        assert!(spread(Vec::<u8>::new(), 3).is_empty());
    }
}
