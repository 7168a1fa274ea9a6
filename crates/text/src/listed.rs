//! Short lists of words that are looked up for every word of every text.

/// Words in the order of their bytes; those that begin with one byte stand together.
pub(crate) struct Listed {
    words: &'static [&'static str],
    /// Where the words begin whose first byte is this one, or a later one.
    starts: [u16; 257],
}

impl Listed {
    /// None of the words is empty.
    pub const fn new(words: &'static [&'static str]) -> Self {
        let mut starts = [0; 257];
        let (mut byte, mut place) = (0, 0);
        while byte < starts.len() {
            while place < words.len() && (words[place].as_bytes()[0] as usize) < byte {
                place += 1;
            }
            starts[byte] = place as u16;
            byte += 1;
        }
        Self { words, starts }
    }

    pub fn contains(&self, word: &str) -> bool {
        let Some(&first) = word.as_bytes().first() else {
            return false;
        };
        let first = usize::from(first);
        let (from, to) = (self.starts[first], self.starts[first + 1]);
        self.words[usize::from(from)..usize::from(to)].contains(&word)
    }

    #[cfg(test)]
    pub fn is_sorted(&self) -> bool {
        self.words.is_sorted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static WORDS: &[&str] = &["a", "about", "and", "zu", "zum", "él", "一", "一个"];

    #[test]
    fn what_is_listed_is_found_and_nothing_else() {
        let listed = Listed::new(WORDS);
        assert!(WORDS.iter().all(|word| listed.contains(word)));
        for other in ["", "ab", "b", "z", "zur", "e", "一些", "\u{10ffff}"] {
            assert!(!listed.contains(other), "{other}");
        }
        assert!(!Listed::new(&[]).contains("a"));
    }
}
