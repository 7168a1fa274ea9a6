//! Sentences that give no answer in words of their own: all their words are small ones, of documents and of telling,
//! and something is denied. A name, a number or any word of a subject makes a sentence one that may say something.

use text::Language;

use super::kind::Kind;
use crate::rag::phrases::{Evasions, Phrases};

/// Longer ones say something.
const MOST_WORDS: usize = 24;

/// What the first sentence is that is more than courtesy, in lower case: nothing where it may say something.
pub fn evasive(beginning: &str) -> Option<Kind> {
    if ["n/a", "n.a", "k.a"].contains(&beginning.trim_matches(is_mark)) {
        return Some(Kind::Unknown);
    }
    // To a question of yes or no that is an answer, whatever follows.
    let first = beginning.split([',', '.', '!', ';', ':']).next()?.trim();
    if Phrases::all().any(|words| words.yes.contains(&first) || words.no.contains(&first)) {
        return None;
    }
    Language::ALL.into_iter().find_map(|language| {
        let evasions = Phrases::of(language).evasions?;
        let sentences = beginning.split(|letter: char| ".!?;\n".contains(letter));
        for sentence in sentences {
            let said = Said::of(sentence, language, evasions)?;
            if let Some(kind) = said.kind() {
                return Some(kind);
            }
        }
        None
    })
}

fn is_mark(letter: char) -> bool {
    !letter.is_alphanumeric()
}

/// What a sentence has words of.
#[derive(Default)]
struct Said {
    words: usize,
    denies: bool,
    may: bool,
    known: bool,
    told: bool,
    unknown: bool,
    refused: bool,
    asked: bool,
}

impl Said {
    /// Nothing where a word is none of these.
    fn of(sentence: &str, language: Language, evasions: &Evasions) -> Option<Self> {
        let mut said = Self::default();
        let words = sentence.split(is_mark).filter(|word| !word.is_empty());
        for word in words {
            let has = |list: &[&str]| list.contains(&word);
            let known = [
                (has(evasions.denies), &mut said.denies),
                (has(evasions.may), &mut said.may),
                (has(evasions.known), &mut said.known),
                (has(evasions.told), &mut said.told),
                (has(evasions.unknown), &mut said.unknown),
                (has(evasions.refused), &mut said.refused),
                (has(evasions.asked), &mut said.asked),
            ];
            let mut any = false;
            for (has, seen) in known {
                *seen |= has;
                any |= has;
            }
            said.words += 1;
            let fits = any || has(evasions.small) || language.is_stop_word(word);
            if !fits || said.words > MOST_WORDS {
                return None;
            }
        }
        Some(said)
    }

    fn kind(&self) -> Option<Kind> {
        let withheld = self.refused && (self.told || self.known || self.asked);
        let would_not = self.denies && self.told && self.may;
        let found_none = (self.denies || self.unknown) && (self.known || self.told);
        match () {
            () if withheld || would_not => Some(Kind::Refusal),
            () if found_none || (self.unknown && self.words == 1) => Some(Kind::Unknown),
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(answer: &str) -> Option<Kind> {
        evasive(&answer.to_lowercase())
    }

    #[test]
    fn sentences_without_a_subject_say_nothing() {
        for answer in [
            "No relevant documents were found.",
            "The context does not mention this.",
            "Not found.",
            "N/A",
            "Unknown",
            "No information available.",
            "Nothing found.",
            "Sorry, no results.",
            "I'm sorry. The documents don't say.",
            "In den Dokumenten steht dazu nichts.",
            "Mir ist dazu nichts bekannt.",
            "Hierzu liegen keine Daten vor.",
            "Keine Angabe.",
            "Aucun document ne répond à cette question.",
            "Désolé. Je n'ai trouvé aucun document pertinent.",
            "Los documentos no mencionan eso.",
            "Desconozco la respuesta.",
            "No hay datos al respecto.",
        ] {
            assert_eq!(kind_of(answer), Some(Kind::Unknown), "{answer}");
        }
        for answer in [
            "I cannot share this.",
            "I'm not allowed to answer that.",
            "Access denied.",
            "Dazu darf ich keine Auskunft geben.",
            "Das kann ich leider nicht beantworten.",
            "Ich darf diese Informationen nicht weitergeben.",
            "Auskünfte hierzu erteile ich nicht.",
            "Cette demande a été refusée.",
            "Il m'est interdit de répondre.",
            "No puedo dar esa información.",
        ] {
            assert_eq!(kind_of(answer), Some(Kind::Refusal), "{answer}");
        }
    }

    #[test]
    fn answers_that_hold_such_words_are_answers() {
        for answer in [
            "",
            "No.",
            "No, this text is not in the documents.",
            "Nein. Der Text ist in den Dokumenten nicht enthalten.",
            "declined",
            "refused",
            "Sorry.",
            "No relevant differences were found.",
            "The treaty does not mention slavery.",
            "The court found no violation.",
            "Not found in Europe before 1840.",
            "No information was given to the crew of the Lusitania.",
            "The contract cannot be shared with third parties.",
            "The documents were found in a cellar.",
            "Access to the vault was denied to visitors. No documents were found.",
            "Unknown to the police, he had left for Lyon.",
            "Die Dokumente wurden nicht in Berlin gefunden.",
            "Der Antrag der Gemeinde wurde abgelehnt.",
            "Aucun document ne date de 1789.",
            "No hay datos de la población antes de 1900.",
            "La respuesta de los pacientes no fue inmediata.",
        ] {
            assert_eq!(kind_of(answer), None, "{answer}");
        }
    }
}
