//! What a response says beside its answer in a number or in a word: how many tokens, why it ended, which model spoke.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::shared_text::SharedText;

/// Numbers and words of one response, each with the place where it stands. Most responses have the same places and
/// words, which lie in memory once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// A line per word: its place, a tab, and the word.
    words: SharedText,
    /// A line per number: its place.
    places: SharedText,
    numbers: Box<[f64]>,
}

impl Metadata {
    pub fn new<'a>(
        words: impl IntoIterator<Item = (&'a str, &'a str)>,
        numbers: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Self {
        let words: Vec<String> = words
            .into_iter()
            .map(|(place, word)| format!("{}\t{}", plain(place), plain(word)))
            .collect();
        let (places, numbers): (Vec<String>, Vec<f64>) = numbers
            .into_iter()
            .filter(|(_, number)| number.is_finite())
            .map(|(place, number)| (plain(place), number))
            .unzip();
        Self {
            words: words.join("\n").into(),
            places: places.join("\n").into(),
            numbers: numbers.into(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.numbers.is_empty()
    }

    /// Where words stand, and what they say.
    pub fn words(&self) -> impl Iterator<Item = (&str, &str)> {
        let lines = self.words.lines();
        lines.filter_map(|line| line.split_once('\t'))
    }

    /// Where numbers stand, and what they are.
    pub fn numbers(&self) -> impl Iterator<Item = (&str, f64)> {
        self.places.lines().zip(self.numbers.iter().copied())
    }

    /// Whether a name stands in a word, or in the place of a word or number, with nothing of a longer name around it;
    /// one of digits alone may be a number, too.
    pub fn names(&self, name: &str) -> bool {
        let is = |text: &SharedText| stands_in(text, name);
        let digits = name.bytes().all(|byte| byte.is_ascii_digit());
        let number = name.parse::<f64>().ok().filter(|_| digits);
        is(&self.words)
            || is(&self.places)
            || number.is_some_and(|number| self.numbers.contains(&number))
    }

    /// What may lie in memory once for many.
    pub fn texts(&mut self) -> [&mut SharedText; 2] {
        [&mut self.words, &mut self.places]
    }
}

/// Whether a text has a name that is no part of a longer one: `doc-17` stands in `?d=doc-17&v=1` and not in `doc-173`.
pub fn stands_in(text: &str, name: &str) -> bool {
    let inside = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    let mut found = text.match_indices(name);
    found.any(|(place, _)| {
        let before = text[..place].chars().next_back();
        let after = text[place + name.len()..].chars().next();
        !before.is_some_and(inside) && !after.is_some_and(inside)
    })
}

/// On one line, without tabs, and never empty.
fn plain(text: &str) -> String {
    let blank = |letter: char| if letter.is_control() { ' ' } else { letter };
    let plain: String = text.chars().map(blank).collect();
    match plain.is_empty() {
        true => " ".to_owned(),
        false => plain,
    }
}

impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("Metadata", 2)?;
        fields.serialize_field("words", &self.words().collect::<Vec<_>>())?;
        fields.serialize_field("numbers", &self.numbers().collect::<Vec<_>>())?;
        fields.end()
    }
}

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Written {
            words: Vec<(String, String)>,
            numbers: Vec<(String, f64)>,
        }
        let written = Written::deserialize(from)?;
        let words = written.words.iter();
        let numbers = written.numbers.iter();
        Ok(Self::new(
            words.map(|(place, word)| (place.as_str(), word.as_str())),
            numbers.map(|(place, number)| (place.as_str(), *number)),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_in_words_places_and_numbers() {
        let words = [
            ("$.hit", "doc-4983"),
            ("$.url", "https://x.example/fb?d=doc-77&v=1"),
        ];
        let metadata = Metadata::new(words, [("$.scores.doc-11", 0.5), ("$.used", 12345.0)]);
        for name in ["doc-4983", "doc-77", "doc-11", "12345"] {
            assert!(metadata.names(name), "{name}");
        }
        for name in ["doc-498", "oc-4983", "doc-7", "doc-1", "1234"] {
            assert!(!metadata.names(name), "{name}");
        }
    }

    #[test]
    fn what_is_written_is_read_whatever_places_are_called() {
        let words = [("$.a", "stop"), ("$.a", "length"), ("", "two\tin\na row")];
        let numbers = [("$.n\n", 4.5), ("$.n", 0.1), ("$.x", f64::NAN)];
        let metadata = Metadata::new(words, numbers);
        let said: Vec<_> = metadata.words().collect();
        assert_eq!(said[2], (" ", "two in a row"));
        let counted: Vec<_> = metadata.numbers().collect();
        assert_eq!(counted, [("$.n ", 4.5), ("$.n", 0.1)]);
        let written = serde_json::to_string(&metadata).unwrap();
        assert_eq!(
            serde_json::from_str::<Metadata>(&written).unwrap(),
            metadata
        );
        assert!(Metadata::default().is_empty());
        assert_eq!(Metadata::new([], []), Metadata::default());
    }
}
