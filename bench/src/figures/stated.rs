//! Sentences with a measured number that somebody typed.

use super::unsourced::unsourced;

/// What is measured.
const MEASURES: [&str; 2] = ["AUC", "TPR"];

/// How a paragraph says that its number is another's: it was had by running a tool at a commit.
const ELSEWHERE: [&str; 2] = ["executed", "commit "];

/// The lines, from one on, at which paragraphs begin that name a measure and hold a number of three decimals or more,
/// with no source. Thresholds have two. Quoted screens (```` ``` ````) are compared where they are made, and what is in
/// `backticks` is typed, not measured. Numbers of others say whose they are: "(Das and others 2024: AUC 0.839)".
pub fn stated(page: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut begun, mut words, mut quoted) = (0, String::new(), false);
    for (place, line) in unsourced(page) {
        let fence = line.trim_start().starts_with("```");
        quoted ^= fence;
        if !quoted && !fence && !line.is_empty() && !line.starts_with('|') {
            if words.is_empty() {
                begun = place;
            }
            words += line;
            words.push(' ');
            continue;
        }
        if is_measured(&words) {
            found.push(begun);
        }
        words.clear();
    }
    found
}

fn is_measured(paragraph: &str) -> bool {
    // Every other piece stands in backticks.
    let said: String = paragraph.split('`').step_by(2).collect();
    let names = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let mut numbers = said.split(|letter: char| !(letter.is_ascii_digit() || letter == '.'));
    names(&MEASURES)
        && numbers.any(is_precise)
        && !names(&ELSEWHERE)
        && !said.split_whitespace().any(is_year_of_a_paper)
}

/// 0.961 or .961, and no version.
fn is_precise(number: &str) -> bool {
    let mut parts = number.trim_end_matches('.').split('.');
    let (whole, decimals) = (parts.next(), parts.next());
    let small = matches!(whole, Some("" | "0" | "1"));
    small && decimals.is_some_and(|decimals| decimals.len() >= 3) && parts.next().is_none()
}

fn is_year_of_a_paper(word: &str) -> bool {
    let year = word.strip_suffix(':');
    year.is_some_and(|year| year.len() == 4 && year.starts_with("20"))
}

#[cfg(test)]
mod tests {
    use super::stated;

    #[test]
    fn a_typed_number_is_found() {
        for typed in [
            "It finds an AUC of 0.961.",
            "TPR at 1% is\n.097 there",
            "AUC .961",
        ] {
            assert_eq!(stated(&format!("# Page\n\n{typed}\n")), [3], "{typed}");
        }
    }

    #[test]
    fn thresholds_sources_quotes_and_others_numbers_are_none() {
        for fine in [
            "An AUC of 0.65 fails, at 0.1% and with `--fpr 0.001` for the TPR.",
            "The AUC of version 0.1.234",
            "The AUC was 0.375 (executed).",
            "Theirs (Das and Zhang 2024: AUC 0.839) is high.",
            "It waits 0.125 s.",
            "```text\nAUC 0.961\n```",
            "<!-- figures: x -->\nAUC 0.961\n<!-- end of figures -->",
        ] {
            assert!(stated(&format!("# Page\n\n{fine}\n")).is_empty(), "{fine}");
        }
    }
}
