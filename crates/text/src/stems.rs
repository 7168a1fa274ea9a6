//! Words without their inflection.

use crate::parts::plain_parts;
use crate::stop_words::is_function_word;

/// A word in lower case without its inflection, so that "visits", "visited" and "visit" meet. What is
/// left need not be a word.
pub fn stem(word: String) -> String {
    let mut stem = singular(word);
    for ending in ["ing", "ed"] {
        if stem.len() >= ending.len() + 4 && stem.ends_with(ending) && !stem.ends_with("eed") {
            stem.truncate(stem.len() - ending.len());
            let mut last = stem.bytes().rev();
            if last.next() == last.next() && !stem.ends_with("ss") && !stem.ends_with("ll") {
                stem.pop();
            }
            break;
        }
    }
    if stem.len() >= 5 && stem.ends_with('e') {
        stem.pop();
    }
    stem
}

/// Takes the plural off a word: the three rules of the S stemmer (D. Harman, "How effective is
/// suffixing?", JASIS 42, 1991).
fn singular(mut word: String) -> String {
    if word.len() < 4 || !word.ends_with('s') {
        return word;
    }
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    let cut = if ends(&["ies"]) {
        3 * usize::from(!ends(&["eies", "aies"]))
    } else {
        usize::from(!ends(&["aes", "ees", "oes", "us", "ss"]))
    };
    word.truncate(word.len() - cut);
    if cut == 3 {
        word.push('y');
    }
    word
}

/// The words that carry a text's subject, as stems, in their order.
pub fn content_stems(text: &str) -> Vec<String> {
    let words = plain_parts(text).into_iter();
    words
        .filter(|word| !is_function_word(word))
        .map(stem)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_meet() {
        for forms in [
            &["study", "studies"][..],
            &["patient", "patients"],
            &["visit", "visits", "visited", "visiting"],
            &["produce", "produces", "produced", "producing"],
            &["stop", "stops", "stopped", "stopping"],
            &["cross", "crossed", "crossing"],
            &["exceed", "exceeds", "exceeding"],
            &["öffne", "öffnes"],
        ] {
            for form in forms {
                assert_eq!(
                    stem((*form).to_owned()),
                    stem(forms[0].to_owned()),
                    "{form}"
                );
            }
        }
        for (left, right) in [("need", "ne"), ("virus", "viru"), ("string", "str")] {
            assert_ne!(stem(left.to_owned()), stem(right.to_owned()));
        }
    }
}
