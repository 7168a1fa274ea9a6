//! A text cut into key words: what is perturbed, and what the regression has columns for. All else
//! in the text stays as it is.

use std::ops::Range;

use text::{Word, is_key_word, words_and_letters};

/// Key words beyond these are always kept: a regression with more columns says nothing about any.
pub const MOST_WORDS: usize = 512;

/// A word that says something: no article, preposition, conjunction, auxiliary or pronoun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyWord {
    /// As the text has it.
    pub written: String,
    /// As words are compared: lower case, without marks at its ends.
    pub word: String,
    pub(super) range: Range<usize>,
}

/// A text with its key words in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    text: String,
    key_words: Vec<KeyWord>,
    words: usize,
}

impl Input {
    pub fn new(text: &str) -> Self {
        let all = words_and_letters(text);
        let key_word = |word: &Word| KeyWord {
            written: text[word.range.clone()].to_owned(),
            word: word.folded.clone(),
            range: word.range.clone(),
        };
        Self {
            key_words: all
                .iter()
                .filter(|word| is_key_word(&word.folded))
                .take(MOST_WORDS)
                .map(key_word)
                .collect(),
            words: count_words(text),
            text: text.to_owned(),
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn key_words(&self) -> &[KeyWord] {
        &self.key_words
    }

    /// How many key words there are.
    pub fn len(&self) -> usize {
        self.key_words.len()
    }

    /// Nothing can be perturbed.
    pub fn is_empty(&self) -> bool {
        self.key_words.is_empty()
    }

    /// All words, key words or not.
    pub fn word_count(&self) -> usize {
        self.words
    }

    /// The text with something else at some of its key words' places: `instead` says what stands
    /// at the place with this number, or nothing to leave the word as it is. A word that is
    /// replaced by nothing takes one of the spaces beside it along.
    pub fn rebuilt(&self, mut instead: impl FnMut(usize, &KeyWord) -> Option<String>) -> String {
        let mut built = String::with_capacity(self.text.len());
        let mut from = 0;
        for (place, word) in self.key_words.iter().enumerate() {
            let Some(other) = instead(place, word) else {
                continue;
            };
            built += &self.text[from..word.range.start];
            built += &other;
            from = word.range.end;
            let spaced = built.is_empty() || built.ends_with(char::is_whitespace);
            let next = self.text[from..].chars().next();
            if let (true, true, Some(space)) = (other.is_empty(), spaced, next)
                && space.is_whitespace()
            {
                from += space.len_utf8();
            }
        }
        built += &self.text[from..];
        built
    }
}

/// What stands for a masked word. It counts as a word.
pub const MASK: &str = "____";

/// Words of a text, masks among them.
pub fn count_words(text: &str) -> usize {
    words_and_letters(text).len() + count_masks(text)
}

/// Places that were masked.
pub(super) fn count_masks(text: &str) -> usize {
    text.matches(MASK).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_words_say_something() {
        let input = Input::new("The Danube isn’t it's in 1,250 of Zürich's maps; they're old.");
        let found: Vec<&str> = input
            .key_words()
            .iter()
            .map(|key| key.word.as_str())
            .collect();
        assert_eq!(found, ["danube", "1,250", "zürich's", "maps", "old"]);
        assert_eq!(input.key_words()[0].written, "Danube");
        assert_eq!(input.word_count(), 11);
        assert_eq!(input.len(), 5);
    }

    #[test]
    fn rebuilding_changes_only_what_it_is_told_to() {
        let text = "Über “Åse” go 3 日本 cats, dogs…";
        let input = Input::new(text);
        assert_eq!(input.rebuilt(|_, _| None), text);
        let same = input.rebuilt(|_, word| Some(word.written.clone()));
        assert_eq!(same, text);
        let without = input.rebuilt(|place, _| (place == 0).then(String::new));
        assert_eq!(without, "“Åse” go 3 日本 cats, dogs…");
        let inside = input.rebuilt(|_, word| (word.word == "go").then(String::new));
        assert_eq!(inside, "Über “Åse” 3 日本 cats, dogs…");
    }

    #[test]
    fn scripts_without_spaces_count_by_the_character() {
        let input = Input::new("猫在垫子上。Katze 猫 2024年");
        let found: Vec<&str> = input.key_words().iter().map(|key| &*key.word).collect();
        assert_eq!(&found[..6], ["猫", "在", "垫", "子", "上", "katze"]);
        let masked = input.rebuilt(|place, _| (place < 2).then(|| MASK.into()));
        assert!(masked.starts_with("________垫子上。"), "{masked}");
        assert_eq!(count_masks(&masked), 2);
    }

    #[test]
    fn words_beyond_the_most_stay() {
        let text: Vec<String> = (0..MOST_WORDS + 9)
            .map(|place| format!("w{place}x"))
            .collect();
        let input = Input::new(&text.join(" "));
        assert_eq!(
            (input.len(), input.word_count()),
            (MOST_WORDS, MOST_WORDS + 9)
        );
        let masked = input.rebuilt(|_, _| Some(MASK.into()));
        assert!(masked.ends_with("w520x"));
        assert_eq!(count_words(&masked), MOST_WORDS + 9);
    }

    #[test]
    fn odd_texts_have_no_key_words() {
        for text in ["", " ", "…", "the of and", "____ !", "%"] {
            assert!(Input::new(text).is_empty(), "{text}");
        }
        assert_eq!(Input::new("____ ____").word_count(), 2);
    }
}
