//! Which words an answer puts behind the numbered masks.

use text::folded;

/// The words given for masks 1 to `count`; the first where a mask is answered twice, so that
/// guessing often does not pay.
pub fn filled(answer: &str, count: usize) -> Vec<Option<String>> {
    let mut found = vec![None; count];
    let lower = answer.to_lowercase();
    let mut rest = lower.as_str();
    while let Some(place) = rest.find("mask") {
        rest = &rest[place + "mask".len()..];
        let Some((number, after)) = numbered(rest) else {
            continue;
        };
        let line = after.lines().next().unwrap_or("");
        // Several masks may stand on one line.
        let line = line.split("[mask").next().unwrap_or(line);
        if let Some(place) = number.checked_sub(1).and_then(|place| found.get_mut(place))
            && place.is_none()
            && let Some(word) = folded(line).into_iter().next()
        {
            *place = Some(word);
        }
        rest = after;
    }
    found
}

/// The number after `mask`, and what stands after it and its marks.
fn numbered(text: &str) -> Option<(usize, &str)> {
    let text = text.trim_start_matches(['_', ' ', '-', '#']);
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = text[..digits].parse().ok()?;
    let after = text[digits..].trim_start_matches(|c: char| " ]*:=\"'`“-".contains(c) || c == '→');
    Some((number, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled_words(answer: &str, count: usize) -> Vec<String> {
        filled(answer, count)
            .into_iter()
            .map(Option::unwrap_or_default)
            .collect()
    }

    #[test]
    fn reads_the_formats_that_models_use() {
        let answer = "[Mask_1]: Mitochondria\n[MASK_2]: **leaves**\nmask 3 = 42\n";
        assert_eq!(
            filled_words(answer, 4),
            ["mitochondria", "leaves", "42", ""]
        );
        assert_eq!(filled_words("[Mask_1]: a1 [Mask_2]: b2", 2), ["a1", "b2"]);
    }

    #[test]
    fn a_mask_counts_once_and_only_if_it_was_asked() {
        assert_eq!(
            filled_words("[Mask_1]: one\n[Mask_1]: two\n[Mask_9]: nine", 2),
            ["one", ""]
        );
        assert_eq!(
            filled_words("[Mask_99999999999999999999]: x [Mask_0]: y", 1),
            [""]
        );
        assert_eq!(filled_words("mask mask_ [mask", 1), [""]);
    }
}
