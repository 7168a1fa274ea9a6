//! Runs of words that two texts share, one of them held against many.

use text::HashMap;

/// Words of either side that are looked at.
const MOST_WORDS: usize = 4_000;

/// A text by the places of its words.
pub struct SharedRuns<'a> {
    places: HashMap<&'a str, Vec<usize>>,
}

impl<'a> SharedRuns<'a> {
    pub fn new(words: impl Iterator<Item = &'a str>) -> Self {
        let mut places: HashMap<&str, Vec<usize>> = HashMap::default();
        for (place, word) in words.take(MOST_WORDS).enumerate() {
            places.entry(word).or_default().push(place);
        }
        Self { places }
    }

    /// The largest number of counted words in a run that both have. Quadratic at worst, but rows of
    /// equal words are short in real texts.
    pub fn longest<'b>(
        &self,
        words: impl Iterator<Item = &'b str>,
        counts: impl Fn(&str) -> u32,
    ) -> u32 {
        // Where runs end that reach up to the word before, in order, and how many counted words they have.
        let mut runs: Vec<(usize, u32)> = Vec::new();
        let mut next: Vec<(usize, u32)> = Vec::new();
        let mut longest = 0;
        for word in words.take(MOST_WORDS) {
            next.clear();
            if let Some(places) = self.places.get(word) {
                let counted = counts(word);
                let mut before = runs.iter().peekable();
                for &place in places {
                    while before.next_if(|(end, _)| end + 1 < place).is_some() {}
                    let reached = before.next_if(|(end, _)| end + 1 == place);
                    let run = reached.map_or(0, |(_, run)| *run) + counted;
                    longest = longest.max(run);
                    next.push((place, run));
                }
            }
            std::mem::swap(&mut runs, &mut next);
        }
        longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every run of `a` against every run of `b`.
    fn naive(a: &[&str], b: &[&str], counts: impl Fn(&str) -> u32) -> u32 {
        let mut longest = 0;
        for i in 0..a.len() {
            for j in 0..b.len() {
                let shared = a[i..].iter().zip(&b[j..]).take_while(|(x, y)| x == y);
                longest = longest.max(shared.map(|(word, _)| counts(word)).sum());
            }
        }
        longest
    }

    proptest! {
        #[test]
        fn the_longest_run_is_the_naive_one(
            a in prop::collection::vec(0_usize..4, 0..30),
            b in prop::collection::vec(0_usize..4, 0..30),
        ) {
            let names = ["a", "b", "c", "d"];
            let pick = |list: &[usize]| list.iter().map(|&place| names[place]).collect::<Vec<_>>();
            let counts = |word: &str| u32::from(word != "d");
            let (a, b) = (pick(&a), pick(&b));
            let longest = SharedRuns::new(b.iter().copied()).longest(a.iter().copied(), counts);
            prop_assert_eq!(longest, naive(&a, &b, counts));
        }
    }
}
