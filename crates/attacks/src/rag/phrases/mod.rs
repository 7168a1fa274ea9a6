//! The words of questions and answers, by language: how attacks ask, and how services say yes, no, that
//! they do not know, or that they will not say.
//!
//! Questions in English are written as they always were: their bytes are the keys of stored answers.

mod chinese;
mod english;
mod french;
mod german;
mod spanish;
mod spoken;

use text::Language;

pub use chinese::simplified;
pub use spoken::Spoken;

/// The words of one language. `{name}` in a template stands for what [`fill`] puts there.
pub struct Phrases {
    /// About a `{phrase}` of the document: what it is, how it goes on, what stands around it.
    pub content: [&'static str; 3],
    /// For sources on a `{topic}` of a few words, and on a `{phrase}`.
    pub citation: [&'static str; 3],
    /// For what is left out of a `{statement}`.
    pub facts: [&'static str; 3],
    /// Whether a `{text}` is in the context.
    pub yes_no: [&'static str; 5],
    /// For the rest of a `{text}`.
    pub s2: &'static str,
    /// For the words behind the masks of a `{text}`.
    pub mba: &'static str,
    /// A yes/no `{question}` about a `{topic}`.
    pub ia: &'static str,
    /// Whether a `{statement}`, without its full stop, is true.
    pub is_true: &'static str,
    /// Whether a `{text}` is right.
    pub dcmi: &'static str,
    /// What is known about a `{text}`.
    pub sma: &'static str,
    /// Words that turn into each other and make a statement say something else. One that ends in a
    /// hyphen has one of the `endings` in its place, and keeps it.
    pub opposites: &'static [(&'static str, &'static str)],
    pub endings: &'static [&'static str],
    /// Verbs, and how each is denied; `{}` is the verb as it is written.
    pub denied: &'static [(&'static str, &'static str)],
    /// Words that show that a verb right behind or before them is denied already.
    pub denies_before: &'static [&'static str],
    pub denies_behind: &'static [&'static str],
    /// Signs of confidence and of doubt, in lower case.
    pub confidence: &'static [&'static str],
    pub hedges: &'static [&'static str],
    /// First words of answers that affirm or deny.
    pub yes: &'static [&'static str],
    pub no: &'static [&'static str],
    /// Parts of answers, in lower case: a filter spoke; nothing was found; the service would not say.
    pub guardrail: &'static [&'static str],
    pub unknown: &'static [&'static str],
    pub refusal: &'static [&'static str],
    /// The words of sentences that say nothing, where words are apart.
    pub evasions: Option<&'static Evasions>,
}

/// Words, in lower case and cut at apostrophes, of which sentences consist that give no answer. A sentence with any
/// further word, but for [small ones](Language::is_stop_word), may say something.
pub struct Evasions {
    /// Beside small words.
    pub small: &'static [&'static str],
    pub denies: &'static [&'static str],
    /// Who could, and does not.
    pub may: &'static [&'static str],
    /// What there is none of, or was not done: of documents, and of looking into them.
    pub known: &'static [&'static str],
    /// What was not done, though it might be.
    pub told: &'static [&'static str],
    /// Words that deny by themselves: that something is known, and that it is told.
    pub unknown: &'static [&'static str],
    pub refused: &'static [&'static str],
    /// What was refused.
    pub asked: &'static [&'static str],
}

impl Phrases {
    pub fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &english::PHRASES,
            Language::German => &german::PHRASES,
            Language::French => &french::PHRASES,
            Language::Spanish => &spanish::PHRASES,
            Language::Chinese => &chinese::PHRASES,
        }
    }

    /// The opposite of a word in lower case.
    pub fn opposite(&self, folded: &str) -> Option<String> {
        self.opposites.iter().find_map(|(one, other)| {
            let turned = |from: &str, to: &str| match from.strip_suffix('-') {
                None => (folded == from).then(|| to.to_owned()),
                Some(stem) => {
                    let ending = folded.strip_prefix(stem)?;
                    let known = self.endings.contains(&ending);
                    known.then(|| format!("{}{ending}", to.trim_end_matches('-')))
                }
            };
            turned(one, other).or_else(|| turned(other, one))
        })
    }

    /// Those of every language: answers are recognised in all of them.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        Language::ALL.into_iter().map(Self::of)
    }
}

/// A template with its names replaced, each place once: what is put in is never looked at again.
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        let (before, from) = rest.split_at(start);
        filled += before;
        let name = from.find('}').map(|end| &from[1..end]);
        let value = name.and_then(|name| values.iter().find(|(known, _)| *known == name));
        match value {
            Some((name, value)) => {
                filled += value;
                rest = &from[name.len() + 2..];
            }
            None => {
                filled.push('{');
                rest = &from[1..];
            }
        }
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_not_filled_again() {
        let values = [("a", "{b} and {"), ("b", "never")];
        assert_eq!(fill("({a}) {c} {", &values), "({b} and {) {c} {");
    }

    #[test]
    fn every_language_has_every_template_with_its_names() {
        for (language, phrases) in Language::ALL.into_iter().zip(Phrases::all()) {
            let named = |template: &str, names: &[&str]| {
                for name in names {
                    let name = format!("{{{name}}}");
                    assert_eq!(template.matches(&name).count(), 1, "{language}: {template}");
                }
                let open = template.matches('{').count();
                assert_eq!(open, names.len(), "{language}: {template}");
            };
            for template in phrases.content {
                named(template, &["phrase"]);
            }
            named(phrases.citation[0], &["topic"]);
            named(phrases.citation[1], &["phrase"]);
            named(phrases.citation[2], &["topic"]);
            for template in phrases.facts {
                named(template, &["statement"]);
            }
            for template in phrases.yes_no {
                named(template, &["text"]);
            }
            for template in [phrases.s2, phrases.mba, phrases.dcmi, phrases.sma] {
                named(template, &["text"]);
            }
            named(phrases.ia, &["topic", "question"]);
            named(phrases.is_true, &["statement"]);
            for (_, denied) in phrases.denied {
                assert_eq!(denied.matches("{}").count(), 1, "{language}: {denied}");
            }
        }
    }

    #[test]
    fn opposites_are_found_both_ways_and_keep_their_endings() {
        for (language, one, other) in [
            (Language::English, "higher", "lower"),
            (Language::German, "positive", "negative"),
            (Language::German, "häufigen", "seltenen"),
            (Language::French, "grandes", "petites"),
            (Language::French, "plus", "moins"),
            (Language::Spanish, "altas", "bajas"),
            (Language::Spanish, "más", "menos"),
            (Language::Chinese, "增加", "减少"),
        ] {
            let phrases = Phrases::of(language);
            assert_eq!(phrases.opposite(one).as_deref(), Some(other));
            assert_eq!(phrases.opposite(other).as_deref(), Some(one));
        }
        assert_eq!(
            Phrases::of(Language::English).opposite("mitochondria"),
            None
        );
        assert_eq!(Phrases::of(Language::Spanish).opposite("cono"), None);
    }

    #[test]
    fn phrases_are_compared_in_lower_case_and_opposites_are_no_circle() {
        for phrases in Phrases::all() {
            let spoken = [
                phrases.confidence,
                phrases.hedges,
                phrases.guardrail,
                phrases.unknown,
                phrases.refusal,
                phrases.yes,
                phrases.no,
            ];
            for phrase in spoken.concat() {
                assert_eq!(phrase, phrase.to_lowercase());
            }
            let words: Vec<&str> = phrases
                .opposites
                .iter()
                .flat_map(|(a, b)| [*a, *b])
                .collect();
            for word in &words {
                let same = words.iter().filter(|other| *other == word);
                assert_eq!(same.count(), 1, "{word} has two opposites");
            }
        }
    }
}
