//! Scripts that put no spaces between words: their letters count as words.

/// Han, kana, Thai, Lao, Khmer and Burmese.
pub fn is_unspaced(letter: char) -> bool {
    matches!(
        letter,
        '\u{0e00}'..='\u{0eff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{323af}'
    )
}

/// Those of them that hashes of words are cut at: Thai, Lao, kana and Han. More would change what
/// the blind baseline measures.
pub(crate) fn stands_alone(letter: char) -> bool {
    matches!(letter, '\u{0e00}'..='\u{0eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}
