//! Perturbed copies of a text: what becomes of the key words that a mask does not keep.
//!
//! Masked, replaced and look-alike words leave the number of words as it was. With deletion the
//! length of the input depends on the mask: the ratio of lengths moves by itself, with any answer
//! of steady length and in both arms alike, and looks like knowledge of the model's own. Words of
//! deleted places are no places of the reference either, so that a lexical similarity is a share
//! of fewer words, no longer linear in the mask.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use stats::streams::{ChaCha8Rng, Rng, Seed, below};
use text::key_words;

use super::input::{Input, KeyWord, MASK};
use super::lookalikes::lookalike;

/// What stands at the place of a word that is not kept.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Perturbation {
    /// A mark that says that a word is missing.
    #[default]
    Mask,
    /// A word of another text.
    Replace,
    /// The word in letters that only look the same.
    Homoglyph,
    /// Nothing.
    Delete,
}

impl Perturbation {
    pub const ALL: [Perturbation; 4] = [
        Perturbation::Mask,
        Perturbation::Replace,
        Perturbation::Homoglyph,
        Perturbation::Delete,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Perturbation::Mask => "mask",
            Perturbation::Replace => "replace",
            Perturbation::Homoglyph => "homoglyph",
            Perturbation::Delete => "delete",
        }
    }

    /// The perturbation of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }
}

impl std::fmt::Display for Perturbation {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str(self.as_str())
    }
}

/// The key words of all audited texts, to replace words by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    words: Vec<String>,
}

impl Vocabulary {
    pub fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let distinct: BTreeSet<String> = texts.flat_map(key_words).collect();
        Self {
            words: distinct.into_iter().collect(),
        }
    }

    /// A word that the text does not have, from a random place on; none where all are its own.
    fn foreign(&self, own: &BTreeSet<&str>, rng: &mut impl Rng) -> Option<&str> {
        let start = below(rng, self.words.len() as u32) as usize;
        let (before, after) = self.words.split_at(start);
        let mut round = after.iter().chain(before).map(String::as_str);
        round.find(|word| !own.contains(word))
    }
}

/// A perturbed copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perturbed {
    pub text: String,
    /// Masks are words.
    pub words: usize,
}

/// The random draws of one copy of one document, whoever makes it and when.
pub fn draws(seed: Seed, document: u64, row: usize) -> ChaCha8Rng {
    seed.numbered(&format!("sma words {document}"), row as u64)
}

/// The copy that keeps these key words, one flag for each. Where a word cannot be perturbed as
/// asked (no other word to replace it by, no letter with a look-alike) it is masked.
pub fn perturb(
    input: &Input,
    kept: &[bool],
    perturbation: Perturbation,
    vocabulary: &Vocabulary,
    rng: &mut impl Rng,
) -> Perturbed {
    let own: BTreeSet<&str> = input
        .key_words()
        .iter()
        .map(|key| key.word.as_str())
        .collect();
    let mut changed = 0;
    let text = input.rebuilt(|place, word| {
        if kept.get(place).copied().unwrap_or(true) {
            return None;
        }
        changed += 1;
        let other = match perturbation {
            Perturbation::Mask => None,
            Perturbation::Replace => {
                let foreign = vocabulary.foreign(&own, rng);
                foreign.map(|other| as_written(other, word))
            }
            Perturbation::Homoglyph => lookalike(&word.written),
            Perturbation::Delete => Some(String::new()),
        };
        Some(other.unwrap_or_else(|| MASK.into()))
    });
    let gone = match perturbation {
        Perturbation::Delete => changed,
        _ => 0,
    };
    Perturbed {
        text,
        words: input.word_count() - gone,
    }
}

/// With a capital where the word had one.
fn as_written(other: &str, word: &KeyWord) -> String {
    let mut letters = other.chars();
    match (word.written.starts_with(char::is_uppercase), letters.next()) {
        (true, Some(first)) => first.to_uppercase().chain(letters).collect(),
        _ => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::input::count_words;
    use super::*;

    const TEXT: &str = "The Danube flows past Ulm, and on: 2,857 km to the Black Sea.";

    fn copy(kept: &[bool], perturbation: Perturbation) -> Perturbed {
        let vocabulary = Vocabulary::new([TEXT, "grey herons wade; the Danube"].into_iter());
        let rng = &mut draws(Seed(1), 0, 0);
        perturb(&Input::new(TEXT), kept, perturbation, &vocabulary, rng)
    }

    #[test]
    fn words_that_are_not_kept_are_perturbed() {
        // danube flows past ulm 2,857 km black sea
        let kept = [false, true, true, false, false, true, true, true];
        let masked = copy(&kept, Perturbation::Mask).text;
        assert_eq!(
            masked,
            "The ____ flows past ____, and on: ____ km to the Black Sea."
        );
        let deleted = copy(&kept, Perturbation::Delete);
        assert_eq!(
            deleted.text,
            "The flows past , and on: km to the Black Sea."
        );
        let alike = copy(&kept, Perturbation::Homoglyph).text;
        assert_eq!(alike.chars().count(), TEXT.chars().count());
        assert!(!alike.contains("Danube") && !alike.contains("2,857") && alike.contains("km"));
        let replaced = copy(&kept, Perturbation::Replace).text;
        let foreign = ["Grey", "Herons", "Wade"];
        assert!(
            foreign.iter().any(|word| replaced.contains(word)),
            "{replaced}"
        );
        assert!(
            !replaced.contains("Danube") && !replaced.contains("Ulm"),
            "{replaced}"
        );
    }

    #[test]
    fn lengths_are_counted_as_they_are() {
        let kept = [false, true, false, true, false, false, true, false];
        for perturbation in Perturbation::ALL {
            let found = copy(&kept, perturbation);
            assert_eq!(
                found.words,
                count_words(&found.text),
                "{perturbation:?}: {found:?}"
            );
            let all = copy(&[true; 8], perturbation);
            assert_eq!(all.text, TEXT);
            assert_eq!(
                Perturbation::parse(perturbation.as_str()),
                Some(perturbation)
            );
        }
        assert_eq!(Perturbation::parse("swap"), None);
    }

    #[test]
    fn what_cannot_be_replaced_is_masked() {
        let input = Input::new("cat dog");
        let own = Vocabulary::new(["cat dog"].into_iter());
        for vocabulary in [Vocabulary::default(), own] {
            let rng = &mut draws(Seed(1), 0, 0);
            let found = perturb(&input, &[false; 2], Perturbation::Replace, &vocabulary, rng);
            assert_eq!(found.text, "____ ____");
        }
    }

    #[test]
    fn the_same_draws_give_the_same_copy() {
        let texts = ["one two red blue green", "old grey heavy light soft"];
        let vocabulary = Vocabulary::new(texts.into_iter());
        let input = Input::new("cat dog hen");
        let of = |row| {
            let rng = &mut draws(Seed(1), 4, row);
            perturb(&input, &[false; 3], Perturbation::Replace, &vocabulary, rng)
        };
        assert_eq!(of(0), of(0));
        assert!((1..9).any(|row| of(row) != of(0)));
    }
}
