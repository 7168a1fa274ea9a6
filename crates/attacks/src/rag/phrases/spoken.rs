//! Signs of confidence and of doubt in answers, counted.

use std::sync::LazyLock;

use text::{Language, is_unspaced};

use super::Phrases;

/// What somebody says who is asked in a language: its words, and those of English, in which services answer
/// everybody.
pub struct Spoken {
    confidence: Vec<Phrase>,
    hedges: Vec<Phrase>,
    /// Whether some of them have no blanks around them.
    unspaced: bool,
}

struct Phrase {
    /// With a blank on either side where its script has them.
    written: String,
    unspaced: bool,
}

/// How many there are that the question had not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    pub confidence: usize,
    pub hedges: usize,
}

static SPOKEN: LazyLock<Vec<(Language, Spoken)>> = LazyLock::new(|| {
    let all = Language::ALL.into_iter();
    all.map(|language| (language, Spoken::new(language)))
        .collect()
});

impl Spoken {
    pub fn of(language: Language) -> &'static Self {
        let mut all = SPOKEN.iter();
        let found = all.find(|(of, _)| *of == language);
        found.map_or(&SPOKEN[0].1, |(_, spoken)| spoken)
    }

    fn new(language: Language) -> Self {
        let own = (language != Language::English).then_some(language);
        let spoken = || [Language::English].into_iter().chain(own).map(Phrases::of);
        let prepared = |of: fn(&Phrases) -> &'static [&'static str]| -> Vec<Phrase> {
            let phrases = spoken().flat_map(of);
            phrases.map(|phrase| Phrase::new(phrase)).collect()
        };
        let confidence = prepared(|words| words.confidence);
        let hedges = prepared(|words| words.hedges);
        Self {
            unspaced: confidence.iter().chain(&hedges).any(|p| p.unspaced),
            confidence,
            hedges,
        }
    }

    /// In an answer and its question, as they are written and as folded words with a blank around each.
    pub fn counted(&self, written: [&str; 2], folded: &[String; 2]) -> Counted {
        let close = match self.unspaced {
            true => written.map(str::to_lowercase),
            false => Default::default(),
        };
        let count = |phrases: &[Phrase]| -> usize {
            let times = phrases.iter().map(|phrase| match phrase.unspaced {
                true => phrase.times(&close),
                false => phrase.times(folded),
            });
            times.sum()
        };
        Counted {
            confidence: count(&self.confidence),
            hedges: count(&self.hedges),
        }
    }
}

impl Phrase {
    fn new(phrase: &str) -> Self {
        let unspaced = phrase.chars().any(is_unspaced);
        Self {
            written: match unspaced {
                true => phrase.to_owned(),
                false => format!(" {phrase} "),
            },
            unspaced,
        }
    }

    /// What the question held is only repeated.
    fn times(&self, [answer, query]: &[String; 2]) -> usize {
        let finder = memchr::memmem::Finder::new(&self.written);
        match finder.find_iter(answer.as_bytes()).count() {
            0 => 0,
            _ if finder.find(query.as_bytes()).is_some() => 0,
            times => times,
        }
    }
}

#[cfg(test)]
mod tests {
    use text::folded;

    use super::*;

    fn counted(language: Language, answer: &str, query: &str) -> Counted {
        let spaced = |text: &str| format!(" {} ", folded(text).join(" "));
        Spoken::of(language).counted([answer, query], &[spaced(answer), spaced(query)])
    }

    /// The definition, phrase by phrase.
    fn naive(phrases: &[&str], answer: &str, query: &str) -> usize {
        let has = |text: &str, phrase: &str| match phrase.chars().any(is_unspaced) {
            true => text.to_lowercase().matches(phrase).count(),
            false => {
                let text = format!(" {} ", folded(text).join(" "));
                text.matches(&format!(" {phrase} ")).count()
            }
        };
        let times = phrases.iter().map(|phrase| match has(query, phrase) {
            0 => has(answer, phrase),
            _ => 0,
        });
        times.sum()
    }

    #[test]
    fn phrases_are_counted_as_the_definition_has_it() {
        for language in Language::ALL {
            let own = Phrases::of(language);
            let every = |list: &[&str]| list.join("; ");
            let (sure, unsure) = (every(own.confidence), every(own.hedges));
            let asked = own.hedges[0];
            for (answer, query) in [
                (sure.as_str(), ""),
                (unsure.as_str(), asked),
                ("", sure.as_str()),
                ("According to the document, perhaps. Perhaps!", "Why?"),
            ] {
                let mut words = vec![Phrases::of(Language::English)];
                words.extend((language != Language::English).then_some(own));
                let sum = |of: fn(&Phrases) -> &'static [&'static str]| -> usize {
                    words.iter().map(|w| naive(of(w), answer, query)).sum()
                };
                let expected = Counted {
                    confidence: sum(|words| words.confidence),
                    hedges: sum(|words| words.hedges),
                };
                let found = counted(language, answer, query);
                assert_eq!(found, expected, "{language}: {answer:?}");
            }
        }
    }
}
