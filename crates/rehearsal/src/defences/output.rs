//! `filter-output`: an answer without the runs of words that it took over from a source.

use std::collections::HashSet;

use super::verbatim::runs;

/// What stands in the place of words that were taken out.
const GAP: &str = "[…]";
/// An answer of fewer words of its own says nothing.
const FEWEST: usize = 3;

/// The answer with a gap for every stretch of at least so many words that a source has in a row;
/// nothing where too little is left.
pub fn filtered<'a>(
    answer: &str,
    sources: impl Iterator<Item = &'a str>,
    length: usize,
) -> Option<String> {
    let known: HashSet<Vec<String>> = sources.flat_map(|source| runs(source, length)).collect();
    let mut text = answer.to_owned();
    // What is left may meet across a gap.
    while let Some(cut) = without(&text, &known, length) {
        text = cut;
    }
    let words = text::parts(&text).count();
    let whole = text == answer;
    (whole || words >= FEWEST).then_some(text)
}

/// The same with a gap for every known run, where there is one.
fn without(answer: &str, known: &HashSet<Vec<String>>, length: usize) -> Option<String> {
    let places: Vec<std::ops::Range<usize>> = text::parts(answer).collect();
    let words: Vec<String> = places
        .iter()
        .map(|place| text::plain(&answer[place.clone()]))
        .collect();
    let mut taken = vec![false; words.len()];
    for (start, window) in words.windows(length.max(1)).enumerate() {
        if known.contains(window) {
            taken[start..start + window.len()].fill(true);
        }
    }
    let first = taken.iter().position(|taken| *taken)?;
    let mut left = answer[..places[first].start].to_owned();
    for place in first..words.len() {
        let end = places
            .get(place + 1)
            .map_or(answer.len(), |next| next.start);
        match taken[place] {
            true => {
                let opens = place == 0 || !taken[place - 1];
                let closes = taken.get(place + 1) != Some(&true);
                left += if opens { GAP } else { "" };
                left += if closes {
                    &answer[places[place].end..end]
                } else {
                    ""
                };
            }
            false => left += &answer[places[place].start..end],
        }
    }
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defences::shares_run;

    const SOURCE: &str =
        "Strain gauges on the Moerdijk bridge recorded many stress cycles per year.";

    fn of(answer: &str) -> Option<String> {
        filtered(answer, [SOURCE].into_iter(), 4)
    }

    #[test]
    fn runs_become_gaps_and_the_rest_stays() {
        assert_eq!(
            of("The report says: gauges on the Moerdijk bridge recorded (in Dutch) stress.")
                .unwrap(),
            "The report says: […] (in Dutch) stress."
        );
        let own = "Gauges were put on a bridge near Moerdijk.";
        assert_eq!(of(own).as_deref(), Some(own));
        assert_eq!(of(SOURCE), None);
        assert_eq!(of("Yes.").as_deref(), Some("Yes."));
    }

    #[test]
    fn no_run_is_left_whatever_the_answer_repeats() {
        let known = runs(SOURCE, 4);
        for answer in [
            "It says strain gauges on strain gauges on the Moerdijk bridge recorded the Moerdijk, it does say so.",
            "In short, on the Moerdijk bridge recorded many stress cycles per year, again and again: on the Moerdijk bridge.",
        ] {
            let left = of(answer).unwrap();
            assert!(!shares_run(&known, &left, 4), "{left}");
        }
    }
}
