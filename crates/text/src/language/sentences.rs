//! Sentences of a language. In English they end where they always ended, which is part of every
//! question that was ever stored.

use super::Language;

/// A point behind one of these ends no sentence.
fn abbreviations(language: Language) -> &'static [&'static str] {
    match language {
        Language::English | Language::Chinese => &[],
        Language::German => &[
            "bzw", "ca", "d.h", "etc", "evtl", "ggf", "inkl", "Nr", "Prof", "S", "sog", "usw",
            "u.a", "vgl", "z.B", "z", "Abb", "Tab", "Hr", "Fr", "Bd", "Jh", "Mio", "Mrd", "Str",
        ],
        Language::French => &[
            "M", "MM", "Mme", "Mlle", "p.ex", "env", "etc", "n", "Prof", "art", "vol", "fig",
            "tél", "chap", "éd", "av",
        ],
        Language::Spanish => &[
            "Sr", "Sra", "Srta", "Dra", "Ud", "Uds", "p.ej", "etc", "pág", "núm", "aprox", "art",
            "fig", "Prof", "EE", "av",
        ],
    }
}

pub fn sentences(language: Language, text: &str) -> Vec<&str> {
    let spares = |before: &str| -> bool {
        let last = before.rsplit(char::is_whitespace).next().unwrap_or("");
        let last = last.trim_start_matches(['(', '[', '«', '„', '“', '"']);
        abbreviations(language).contains(&last) || is_ordinal(language, last)
    };
    crate::sentences::cut(text, &spares)
}

/// "Am 3. Mai": a point behind a small number, which German writes for "third".
fn is_ordinal(language: Language, last: &str) -> bool {
    let digits = !last.is_empty() && last.bytes().all(|letter| letter.is_ascii_digit());
    language == Language::German && digits && last.len() <= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_readers_of_the_language_end_them() {
        let german =
            "Am 3. Mai 1822 kam Dr. Poiret an, z. B. mit Pflanzen. Er blieb 2 Jahre. Warum?";
        assert_eq!(
            Language::German.sentences(german),
            [
                "Am 3. Mai 1822 kam Dr. Poiret an, z. B. mit Pflanzen.",
                "Er blieb 2 Jahre.",
                "Warum?"
            ]
        );
        let french = "M. Poiret la décrivit en 1822. Elle vit à Madagascar !";
        assert_eq!(
            Language::French.sentences(french),
            ["M. Poiret la décrivit en 1822.", "Elle vit à Madagascar !"]
        );
        let spanish = "La Sra. Gómez llegó tarde. ¿Por qué? Nadie lo sabe.";
        assert_eq!(
            Language::Spanish.sentences(spanish),
            ["La Sra. Gómez llegó tarde.", "¿Por qué?", "Nadie lo sabe."]
        );
        let chinese = "网草原产于马达加斯加。它有420个孔！“真的吗？”他问道。";
        assert_eq!(
            Language::Chinese.sentences(chinese),
            [
                "网草原产于马达加斯加。",
                "它有420个孔！",
                "“真的吗？”",
                "他问道。"
            ]
        );
    }

    #[test]
    fn english_ends_as_it_always_did() {
        let text = "Dr. Smith of the U. S. army came. It was 3.5 miles! Why?\n\nA heading\n\nLast";
        assert_eq!(Language::English.sentences(text), crate::sentences(text));
    }
}
