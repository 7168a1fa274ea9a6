//! Statements with one fact changed: a number, a name or a rare word gives way to one of the same look from
//! another document, so that nothing but the document tells the two apart.

use std::collections::HashSet;

use text::{DocumentFrequencies, Language, Look, Word, folded, look, words};

use super::writing;

/// Other documents that are looked through for something of the same look.
const LOOKED_THROUGH: usize = 24;

/// One document whose statements are changed.
pub struct Swapping<'a> {
    text: &'a str,
    own: HashSet<String>,
    frequencies: &'a DocumentFrequencies,
    language: Language,
}

impl<'a> Swapping<'a> {
    pub fn new(text: &'a str, frequencies: &'a DocumentFrequencies, language: Language) -> Self {
        Self {
            text,
            own: folded(text).into_iter().collect(),
            frequencies,
            language,
        }
    }

    /// The statement with its most telling word changed, words turned into their opposites where there is none
    /// to take in its place; nothing where nothing can be changed.
    pub fn swapped(&self, statement: &str) -> Option<String> {
        let all = words(statement);
        let mut candidates: Vec<(&Word, Look)> = all
            .iter()
            .filter_map(|word| Some((word, look(statement, word, self.frequencies)?)))
            .collect();
        // Numbers first, then names, then terms; the rarest of each.
        candidates.sort_by(|(one, look_one), (other, look_other)| {
            let rarity = |word: &Word| self.frequencies.rarity(&word.folded);
            let order = order(*look_one).cmp(&order(*look_other));
            order.then(rarity(other).total_cmp(&rarity(one)))
        });
        let swap = candidates.into_iter().find_map(|(word, look)| {
            let other = self.replacement(look)?;
            let (before, after) = (&statement[..word.range.start], &statement[word.range.end..]);
            Some(format!("{before}{other}{after}"))
        });
        swap.or_else(|| writing::altered(statement, 1, self.language))
    }

    /// The first of that look in other documents that this document does not hold.
    fn replacement(&self, wanted: Look) -> Option<&str> {
        let collection = self.frequencies.collection();
        let mut others = collection
            .others(self.text, self.language)
            .take(LOOKED_THROUGH);
        others.find_map(|other| {
            let mut looks = self.frequencies.looks(&other).iter();
            let fitting =
                looks.find(|word| word.look == wanted && !self.own.contains(&*word.folded))?;
            Some(&other.text[fitting.range.clone()])
        })
    }
}

fn order(look: Look) -> u8 {
    match look {
        Look::Number(..) => 0,
        Look::Name => 1,
        Look::Term(_) => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "The lace plant of Madagascar has 420 holes. Poiret described it early.";
    const OTHER: &str = "In the survey 731 patients of Lyon breathed better than 12% of the rest.";

    #[test]
    fn a_number_gives_way_to_one_of_its_look() {
        let frequencies = DocumentFrequencies::new([OWN, OTHER].into_iter());
        let swapping = Swapping::new(OWN, &frequencies, Language::English);
        let swap = |statement: &str| swapping.swapped(statement);
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
            Swapping::new(OWN, &frequencies, Language::English)
                .swapped("It has 420 holes.")
                .unwrap(),
            "It has 720 holes."
        );
    }
}
