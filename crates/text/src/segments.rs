//! Words where a script puts no blanks between them: by the dictionary of ICU4X, which has Chinese and
//! Japanese, and Thai, Lao, Khmer and Burmese besides.

use std::ops::Range;

use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

use crate::scripts::is_unspaced;

/// The words within a stretch of letters and digits; the stretch itself where its script has blanks.
pub(crate) fn segments(text: &str, stretch: Range<usize>) -> Vec<Range<usize>> {
    let written = &text[stretch.clone()];
    if !written.chars().any(is_unspaced) {
        return vec![stretch];
    }
    // The dictionary is a part of the program: there is nothing to load.
    let segmenter: WordSegmenterBorrowed =
        WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
    let borders: Vec<usize> = segmenter.segment_str(written).collect();
    let pairs = borders.windows(2);
    let pairs = pairs.map(|pair| stretch.start + pair[0]..stretch.start + pair[1]);
    let telling = |range: &Range<usize>| text[range.clone()].chars().any(char::is_alphanumeric);
    pairs.filter(telling).collect()
}

/// The border between words that is nearest before a place inside a text without blanks; the place
/// itself where it is one.
pub fn border_before(text: &str, place: usize) -> usize {
    let start = text[..place]
        .char_indices()
        .rev()
        .take_while(|(_, letter)| is_unspaced(*letter))
        .last()
        .map_or(place, |(start, _)| start);
    let end = text[place..].find(|letter| !is_unspaced(letter));
    let end = end.map_or(text.len(), |end| place + end);
    let words = segments(text, start..end).into_iter();
    let inside = words.filter(|word| word.start < place && place < word.end);
    inside.map(|word| word.start).next().unwrap_or(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_blanks_come_apart() {
        let text = "2019年在北京大学研究了420名患者";
        let found = segments(text, 0..text.len());
        let words: Vec<&str> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(words.concat(), text);
        for word in ["2019", "北京", "大学", "研究", "420", "患者"] {
            assert!(words.contains(&word), "{word} in {words:?}");
        }
        assert_eq!(segments("DNA-repair", 0..10), vec![0..10]);
    }

    #[test]
    fn a_place_inside_a_word_moves_before_it() {
        let text = "研究了患者";
        let inside = text.find('者').unwrap();
        assert_eq!(border_before(text, inside), text.find('患').unwrap());
        let between = text.find('患').unwrap();
        assert_eq!(border_before(text, between), between);
    }
}
