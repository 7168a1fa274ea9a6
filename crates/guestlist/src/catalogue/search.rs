//! A word as somebody writes it, found among those that are explained: exactly, by another name, or
//! the nearest ones.

use std::collections::BTreeSet;

use judge::glossary;

/// How many of the nearest are told.
const NEAREST: usize = 3;
/// A text that speaks of all that was asked for is worth a name that is just alike enough.
const IN_TEXT: f64 = 0.6;
/// A part of a name is worth a little less than the whole.
const A_PART: f64 = 0.9;

/// Something that is explained: its name, and the words that are said of it.
pub struct Explained<'a> {
    id: &'a str,
    words: BTreeSet<String>,
}

impl<'a> Explained<'a> {
    pub fn new(id: &'a str, text: &str) -> Self {
        Self {
            id,
            words: text::content_stems(text).into_iter().collect(),
        }
    }
}

/// As ids are written: small letters, hyphens between words, nothing of an option's dashes, and
/// `tpr@0.01` without its rate.
pub fn plain(word: &str) -> String {
    let word = word.trim().trim_start_matches('-').to_lowercase();
    let word = word.split_once('@').map_or(word.as_str(), |(name, _)| name);
    let parts = word.split(|c: char| c.is_whitespace() || c == '_' || c == '-');
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("-")
}

/// The three that are most like a word, by name or by what is said of them; the nearest first.
pub fn nearest<'a>(word: &str, all: &[Explained<'a>]) -> Vec<&'a str> {
    let weights = weights(word, all);
    let name = plain(word);
    let worth = |one: &Explained<'a>| by_name(&name, one.id).max(by_text(&weights, one));
    let mut ranked: Vec<(f64, &str)> = all.iter().map(|one| (worth(one), one.id)).collect();
    ranked.retain(|(worth, _)| *worth > 0.0);
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    ranked.into_iter().take(NEAREST).map(|(_, id)| id).collect()
}

/// By its own name, by a part of it, or by another name for it. What is hardly alike counts less
/// than a word of the text.
fn by_name(word: &str, id: &str) -> f64 {
    let others = glossary::synonyms().filter(|(_, means)| *means == id);
    let names = others.map(|(said, _)| said).chain([id]);
    let whole = names.map(|name| text::name_likeness(word, name));
    let parts = id.split('-').filter(|part| part.len() > 2);
    let parts = parts.map(|part| A_PART * text::name_likeness(word, part));
    let best = whole.chain(parts).fold(0.0, f64::max);
    match best >= IN_TEXT {
        true => best,
        false => best / 2.0,
    }
}

/// The words that were asked for, and how telling each is: the fewer explanations have it, the more.
fn weights(word: &str, all: &[Explained<'_>]) -> Vec<(String, f64)> {
    let weight = |word: &String| {
        let having = all.iter().filter(|one| one.words.contains(word)).count();
        (1.0 + all.len() as f64 / (1.0 + having as f64)).ln()
    };
    let asked = text::content_stems(&word.replace(['-', '_'], " "));
    let asked: BTreeSet<String> = asked.into_iter().collect();
    let weighed = asked.into_iter().map(|word| (weight(&word), word));
    weighed.map(|(weight, word)| (word, weight)).collect()
}

/// The share of what was asked for that an explanation speaks of.
fn by_text(weights: &[(String, f64)], one: &Explained<'_>) -> f64 {
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    let found = weights.iter().filter(|(word, _)| one.words.contains(word));
    match total > 0.0 {
        true => IN_TEXT * found.map(|(_, weight)| weight).sum::<f64>() / total,
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_as_people_write_it() {
        for (written, read) in [
            ("--attacker", "attacker"),
            ("TPR@0.001", "tpr"),
            ("False Positive  rate", "false-positive-rate"),
            ("log_mia", "log-mia"),
            ("  ", ""),
        ] {
            assert_eq!(plain(written), read);
        }
    }

    #[test]
    fn the_nearest_by_name_come_before_the_nearest_by_text() {
        let all = [
            Explained::new("lira", "compares likelihoods"),
            Explained::new("epsilon", "a bound on differential privacy"),
            Explained::new(
                "topics",
                "documents about the same things, and their privacy",
            ),
            Explained::new("loss", "what the model loses"),
        ];
        assert_eq!(nearest("lyra", &all)[0], "lira");
        assert_eq!(
            nearest("a bound on privacy", &all)[..2],
            ["epsilon", "topics"]
        );
        assert!(nearest("", &all).is_empty());
    }
}
