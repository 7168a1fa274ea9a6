//! Words in letters that only look the same: Cyrillic and Greek for Latin, Latin for Cyrillic and
//! Greek, and full-width forms where no script has a look-alike. Every one is a letter or a digit,
//! so that a word stays one word; none is invisible.

/// Latin letters with a twin in another script.
static TWINS: &[(char, char)] = &[
    ('a', 'а'),
    ('c', 'с'),
    ('d', 'ԁ'),
    ('e', 'е'),
    ('h', 'һ'),
    ('i', 'і'),
    ('j', 'ј'),
    ('k', 'κ'),
    ('n', 'ո'),
    ('o', 'о'),
    ('p', 'р'),
    ('q', 'ԛ'),
    ('s', 'ѕ'),
    ('u', 'υ'),
    ('v', 'ν'),
    ('w', 'ԝ'),
    ('x', 'х'),
    ('y', 'у'),
    ('A', 'А'),
    ('B', 'В'),
    ('C', 'С'),
    ('E', 'Е'),
    ('H', 'Н'),
    ('I', 'І'),
    ('J', 'Ј'),
    ('K', 'К'),
    ('M', 'М'),
    ('N', 'Ν'),
    ('O', 'О'),
    ('P', 'Р'),
    ('S', 'Ѕ'),
    ('T', 'Т'),
    ('X', 'Х'),
    ('Y', 'У'),
    ('Z', 'Ζ'),
];

/// The word with every letter that has a twin swapped for it; where none has, its Latin letters
/// and digits in full width; nothing where it has neither.
pub fn lookalike(word: &str) -> Option<String> {
    let swapped: String = word
        .chars()
        .map(|letter| twin(letter).unwrap_or(letter))
        .collect();
    let widened: String = word.chars().map(full_width).collect();
    [swapped, widened].into_iter().find(|other| other != word)
}

fn twin(letter: char) -> Option<char> {
    TWINS.iter().find_map(|&(latin, other)| match letter {
        found if found == latin => Some(other),
        found if found == other => Some(latin),
        _ => None,
    })
}

/// U+FF01 to U+FF5E are ASCII's printable characters, in order.
fn full_width(letter: char) -> char {
    match letter.is_ascii_alphanumeric() {
        true => char::from_u32(u32::from(letter) + 0xfee0).unwrap_or(letter),
        false => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use text::folded;

    #[test]
    fn look_alikes_are_other_words_of_the_same_length() {
        for word in ["cat", "TV", "1,250", "gruff", "b-12", "Москва", "don't"] {
            let other = lookalike(word).unwrap();
            assert_ne!(folded(&other), folded(word), "{word}");
            assert_eq!(folded(&other).len(), folded(word).len(), "{word} {other}");
            assert_eq!(other.chars().count(), word.chars().count());
        }
        assert_eq!(lookalike("日本"), None);
    }

    #[test]
    fn twins_are_visible_letters_of_another_script() {
        for &(latin, other) in TWINS {
            assert!(latin.is_ascii_alphabetic() && other.is_alphabetic() && !other.is_ascii());
            assert_eq!(latin.is_uppercase(), other.is_uppercase(), "{latin}");
        }
    }
}
