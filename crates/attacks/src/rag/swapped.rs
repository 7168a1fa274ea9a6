//! Statements with one fact changed: a number, a name or a rare word gives way to one of the same look from
//! another document, so that nothing but the document tells the two apart.

use std::collections::HashSet;

use text::{DocumentFrequencies, Language, Word, folded, is_name, is_number, words};

use super::writing;

/// Other documents that are looked through for something of the same look.
const LOOKED_THROUGH: usize = 24;

/// What a word is, as far as its look goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// Digits before and after the point, and whether it is a percentage.
    Number(usize, usize, bool),
    Name,
    /// A rare word, by its last letters: they say what it can stand for.
    Term([char; 2]),
}

/// The statement with its most telling word changed, words turned into their opposites where there is none
/// to take in its place; nothing where nothing can be changed.
pub fn swapped(
    statement: &str,
    text: &str,
    frequencies: &DocumentFrequencies,
    language: Language,
) -> Option<String> {
    let all = words(statement);
    let own: HashSet<String> = folded(text).into_iter().collect();
    let mut candidates: Vec<(&Word, Look)> = all
        .iter()
        .filter_map(|word| Some((word, look(statement, word, frequencies)?)))
        .collect();
    // Numbers first, then names, then terms; the rarest of each.
    candidates.sort_by(|(one, look_one), (other, look_other)| {
        let rarity = |word: &Word| frequencies.rarity(&word.folded);
        let order = order(*look_one).cmp(&order(*look_other));
        order.then(rarity(other).total_cmp(&rarity(one)))
    });
    let swap = candidates.into_iter().find_map(|(word, look)| {
        let other = replacement(look, text, &own, frequencies, language)?;
        let (before, after) = (&statement[..word.range.start], &statement[word.range.end..]);
        Some(format!("{before}{other}{after}"))
    });
    swap.or_else(|| writing::altered(statement, 1, language))
}

fn order(look: Look) -> u8 {
    match look {
        Look::Number(..) => 0,
        Look::Name => 1,
        Look::Term(_) => 2,
    }
}

fn look(text: &str, word: &Word, frequencies: &DocumentFrequencies) -> Option<Look> {
    if is_number(&word.folded) {
        let digits = |part: &str| part.chars().filter(char::is_ascii_digit).count();
        let (whole, rest) = word.folded.split_once('.').unwrap_or((&word.folded, ""));
        let look = Look::Number(digits(whole), digits(rest), word.folded.ends_with('%'));
        return (digits(whole) > 0).then_some(look);
    }
    if is_name(text, word) && word.folded.chars().count() > 2 {
        return Some(Look::Name);
    }
    let letters = word.folded.chars().all(char::is_alphabetic);
    let long = word.folded.chars().count() > 5;
    let lower = text[word.range.clone()].chars().all(char::is_lowercase);
    let mut ending = word.folded.chars().rev();
    let term = letters && long && lower && frequencies.is_rare(&word.folded);
    term.then(|| Some(Look::Term([ending.next()?, ending.next()?])))?
}

/// The first of that look in other documents that this document does not hold.
fn replacement(
    wanted: Look,
    text: &str,
    own: &HashSet<String>,
    frequencies: &DocumentFrequencies,
    language: Language,
) -> Option<String> {
    let others = frequencies.collection().others(text);
    let mut others = others.filter(|other| Language::of(other) == language);
    others.by_ref().take(LOOKED_THROUGH).find_map(|other| {
        let words = words(other).into_iter();
        let mut fitting = words.filter(|word| {
            !own.contains(&word.folded) && look(other, word, frequencies) == Some(wanted)
        });
        fitting.next().map(|word| other[word.range].to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "The lace plant of Madagascar has 420 holes. Poiret described it early.";
    const OTHER: &str = "In the survey 731 patients of Lyon breathed better than 12% of the rest.";

    #[test]
    fn a_number_gives_way_to_one_of_its_look() {
        let frequencies = DocumentFrequencies::new([OWN, OTHER].into_iter());
        let swap = |statement: &str| swapped(statement, OWN, &frequencies, Language::English);
        assert_eq!(swap("It has 420 holes.").unwrap(), "It has 731 holes.");
        assert_eq!(
            swap("The plant of Madagascar.").unwrap(),
            "The plant of Lyon."
        );
        // No other document has anything like it: opposites do.
        assert_eq!(swap("Cells die early.").unwrap(), "Cells die late.");
        assert_eq!(swap("So it goes."), None);
    }

    #[test]
    fn nothing_comes_from_the_document_itself() {
        let frequencies = DocumentFrequencies::new([OWN].into_iter());
        assert_eq!(
            swapped("It has 420 holes.", OWN, &frequencies, Language::English).unwrap(),
            "It has 720 holes."
        );
    }
}
