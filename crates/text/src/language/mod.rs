//! The languages that questions are asked in: how a text shows which it is in, which of its words say
//! nothing, and where its sentences end.

mod detected;
mod sentences;
mod stop_words;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::scripts::is_unspaced;
use crate::words::is_number;

/// A language that attacks can ask in.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub enum Language {
    #[default]
    #[serde(rename = "en")]
    English,
    #[serde(rename = "de")]
    German,
    #[serde(rename = "fr")]
    French,
    #[serde(rename = "es")]
    Spanish,
    #[serde(rename = "zh")]
    Chinese,
}

impl Language {
    pub const ALL: [Self; 5] = [
        Self::English,
        Self::German,
        Self::French,
        Self::Spanish,
        Self::Chinese,
    ];

    /// Its code in ISO 639-1.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
            Self::Chinese => "zh",
        }
    }

    /// What it is called in English.
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "German",
            Self::French => "French",
            Self::Spanish => "Spanish",
            Self::Chinese => "Chinese",
        }
    }

    /// The language of a text by its script and its small words; English where nothing shows another.
    pub fn of(text: &str) -> Self {
        detected::detected(text)
    }

    /// Whether a folded word says nothing about a text.
    pub fn is_stop_word(self, folded: &str) -> bool {
        stop_words::is_stop_word(self, folded)
    }

    /// Worth comparing: a number, or a word of some length that is no stop word. Words of Han
    /// characters are short.
    pub fn is_content(self, folded: &str) -> bool {
        is_number(folded) || (is_long(folded) && !self.is_stop_word(folded))
    }

    /// Sentences as attacks take them from a document, without the space around them.
    pub fn sentences(self, text: &str) -> Vec<&str> {
        sentences::sentences(self, text)
    }
}

/// From three letters on, or two where each is a syllable with a meaning of its own.
pub(crate) fn is_long(folded: &str) -> bool {
    let count = folded.chars().count();
    count > 2 || (count == 2 && folded.chars().all(is_unspaced))
}

impl fmt::Display for Language {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(self.code())
    }
}

/// Why a word is the name of no language here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchLanguage(pub String);

impl fmt::Display for NoSuchLanguage {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let known = Language::ALL.map(|language| format!("{language} ({})", language.name()));
        write!(
            out,
            "no questions are written in the language {:?}; there are {}",
            self.0,
            known.join(", ")
        )
    }
}

impl std::error::Error for NoSuchLanguage {}

impl FromStr for Language {
    type Err = NoSuchLanguage;

    /// By its code, with or without a country behind it, or by its English name.
    fn from_str(written: &str) -> Result<Self, NoSuchLanguage> {
        let plain = written.trim().to_lowercase();
        let code = plain.split(['-', '_']).next().unwrap_or_default();
        let found = Self::ALL
            .into_iter()
            .find(|language| code == language.code() || plain == language.name().to_lowercase());
        found.ok_or_else(|| NoSuchLanguage(written.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_known_by_code_and_name() {
        for language in Language::ALL {
            assert_eq!(language.code().parse(), Ok(language));
            assert_eq!(language.name().parse(), Ok(language));
        }
        assert_eq!("zh-CN".parse(), Ok(Language::Chinese));
        assert_eq!("de_AT".parse(), Ok(Language::German));
        let error = "klingon".parse::<Language>().unwrap_err().to_string();
        assert!(
            error.contains("klingon") && error.contains("fr (French)"),
            "{error}"
        );
    }

    #[test]
    fn what_is_worth_comparing_depends_on_the_language() {
        assert!(Language::English.is_content("die") && !Language::German.is_content("die"));
        assert!(Language::German.is_content("wirkung") && Language::Chinese.is_content("北京"));
        assert!(!Language::Chinese.is_content("我们") && !Language::Chinese.is_content("的"));
        assert!(Language::Spanish.is_content("3,5") && !Language::French.is_content("avec"));
    }
}
