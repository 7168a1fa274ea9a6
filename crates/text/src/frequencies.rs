//! How common words are among texts, and so which words of a text are rare.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::collection::{Collection, Other};
use crate::language::Language;
use crate::looks::{Looked, looked};
use crate::maps::HashMap;
use crate::scripts::is_unspaced;
use crate::words::{folded, is_content};

/// In how many texts each word stands.
#[derive(Clone, Debug, Default)]
pub struct DocumentFrequencies {
    documents: f64,
    with_word: HashMap<String, u32>,
    collection: Collection,
    /// By their places in the collection, each once somebody asks.
    looks: Vec<OnceLock<Box<[Looked]>>>,
}

impl DocumentFrequencies {
    pub fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let texts: Vec<&str> = texts.collect();
        let mut frequencies = Self {
            collection: Collection::new(texts.iter().copied()),
            ..Self::default()
        };
        frequencies.looks = vec![OnceLock::new(); frequencies.collection.len()];
        for text in texts {
            frequencies.documents += 1.0;
            let distinct: BTreeSet<String> = folded(text).into_iter().collect();
            for word in distinct {
                *frequencies.with_word.entry(word).or_default() += 1;
            }
        }
        frequencies
    }

    /// The texts themselves, for what is asked of one among all.
    pub fn collection(&self) -> &Collection {
        &self.collection
    }

    /// The words of a text of the collection that have a look, in order.
    pub fn looks(&self, other: &Other) -> &[Looked] {
        self.looks[other.place].get_or_init(|| looked(other.text, self))
    }

    /// ln((1 + documents) / (1 + documents with the word)): large for a rare word.
    pub fn rarity(&self, folded: &str) -> f64 {
        let with = self.with_word.get(folded).copied().unwrap_or(0);
        ((1.0 + self.documents) / (1.0 + f64::from(with))).ln()
    }

    /// In at most every twentieth document, and in no more than half where there are few.
    pub fn is_rare(&self, folded: &str) -> bool {
        let with = self.with_word.get(folded).copied().unwrap_or(0);
        is_content(folded) && f64::from(with) <= (self.documents / 20.0).max(1.0)
    }

    /// The rarest content words of a text, rarest first; the earlier of equals.
    pub fn rarest(&self, text: &str, most: usize, language: Language) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let mut found: Vec<String> = folded(text)
            .into_iter()
            .filter(|word| language.is_content(word) && stands_out(word))
            .filter(|word| seen.insert(word.clone()))
            .collect();
        found.sort_by(|a, b| self.rarity(b).total_cmp(&self.rarity(a)));
        found.truncate(most);
        found
    }
}

/// Short words tell little, but for scripts in which all words are short.
fn stands_out(word: &str) -> bool {
    word.chars().count() > 3 || word.chars().any(is_unspaced)
}
