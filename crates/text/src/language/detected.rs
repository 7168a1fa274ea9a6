//! Which language a text is in: Han characters show Chinese, and else the small words do, which make
//! up a third to a half of any prose.

use super::{Language, stop_words};
use crate::words::words;

/// Letters that are looked at: more would not change the answer.
const MOST_LETTERS: usize = 3_000;
/// From this share of a text's letters on, Han characters are its script and no names in it.
const HAN: f64 = 0.2;
/// From this share on kana show Japanese, in which nobody asks here.
const KANA: f64 = 0.05;
/// Another language than English must be ahead by so much, and have so many small words at least.
const AHEAD: f64 = 1.25;
const FEWEST: usize = 2;

pub fn detected(text: &str) -> Language {
    if is_chinese(text) {
        return Language::Chinese;
    }
    let end = text.char_indices().nth(MOST_LETTERS);
    let all = words(end.map_or(text, |(end, _)| &text[..end]));
    let count = |language: Language| {
        let known = |word: &str| stop_words::is_function_word(language, word);
        // "l'étude" has a small word in front.
        let elided = |word: &str| {
            let front = word.split_once('\'').map(|(front, _)| front);
            language == Language::French && front.is_some_and(known)
        };
        let small = |word: &&crate::Word| known(&word.folded) || elided(&word.folded);
        all.iter().filter(small).count()
    };
    let english = count(Language::English);
    let others = [Language::German, Language::French, Language::Spanish];
    let counted = others.map(|language| (count(language), language));
    let best = counted
        .into_iter()
        .reduce(|best, next| match next.0 > best.0 {
            true => next,
            false => best,
        });
    match best {
        Some((count, language)) if count >= FEWEST && count as f64 > AHEAD * english as f64 => {
            language
        }
        _ => Language::English,
    }
}

fn is_chinese(text: &str) -> bool {
    let (mut letters, mut han, mut kana) = (0_u32, 0_u32, 0_u32);
    for letter in text
        .chars()
        .filter(|letter| letter.is_alphabetic())
        .take(MOST_LETTERS)
    {
        letters += 1;
        match letter {
            '\u{3040}'..='\u{30ff}' => kana += 1,
            '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{323af}' => {
                han += 1;
            }
            _ => {}
        }
    }
    let share = |count: u32| f64::from(count) / f64::from(letters.max(1));
    share(han) >= HAN && share(kana) < KANA
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_show_their_language() {
        for (text, language) in [
            (
                "The lace plant of Madagascar makes holes in its leaves while they grow.",
                Language::English,
            ),
            (
                "Die Gitterpflanze aus Madagaskar bildet Löcher in ihren Blättern, während sie wächst.",
                Language::German,
            ),
            (
                "Der Patient wurde nach drei Tagen entlassen und nahm das Mittel weiter.",
                Language::German,
            ),
            (
                "La plante dentelle de Madagascar perce ses feuilles pendant qu'elles grandissent.",
                Language::French,
            ),
            (
                "L'étude a porté sur 420 patients qui ont reçu le traitement pendant un an.",
                Language::French,
            ),
            (
                "La planta de encaje de Madagascar hace agujeros en sus hojas mientras crecen.",
                Language::Spanish,
            ),
            (
                "El estudio incluyó a 420 pacientes que recibieron el tratamiento durante un año.",
                Language::Spanish,
            ),
            (
                "马达加斯加的网草在叶片生长时会在叶片上形成孔洞。",
                Language::Chinese,
            ),
            (
                "这项研究纳入了420名患者,由 Smith 教授主持。",
                Language::Chinese,
            ),
        ] {
            assert_eq!(Language::of(text), language, "{text}");
        }
    }

    #[test]
    fn what_shows_nothing_is_english() {
        for text in [
            "",
            "42 %",
            "Mitochondria",
            "これは日本語の文章であり、中国語ではありません。",
            "Это предложение написано по-русски.",
            "IL-6, TNF-α and CRP levels in des-Arg9 patients: Le Fort I osteotomy, Las Vegas 2019.",
            "The word 北京 means Beijing.",
        ] {
            assert_eq!(Language::of(text), Language::English, "{text}");
        }
    }
}
