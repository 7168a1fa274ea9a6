//! Words that come back although they were hidden: what a service repeats of its input it need not
//! know, but a word that the input did not show it has from its model or from its store.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use text::key_words;

use super::input::Input;
use super::masks::Masks;

/// Shares of a text's key words that the answers of one arm hold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Recovered {
    /// Of those that the perturbed copy showed.
    pub shown: f64,
    /// Of those that it hid. A word that stands elsewhere in the copy is not hidden.
    pub hidden: f64,
}

impl Recovered {
    /// Most of what the answers hold of the text they only repeat.
    pub fn is_echo(&self) -> bool {
        self.shown > 0.0 && self.hidden < 0.5 * self.shown
    }
}

/// Over all copies that were answered; nothing where no word was hidden or none was shown.
pub fn recovered(input: &Input, masks: &Masks, answers: &[Option<&str>]) -> Option<Recovered> {
    let (mut shown, mut hidden) = (Share::default(), Share::default());
    for (row, answer) in masks.iter().zip(answers) {
        let Some(answer) = answer else { continue };
        let held: BTreeSet<String> = key_words(answer).collect();
        let words = || input.key_words().iter().zip(row);
        let seen: BTreeSet<&str> = words()
            .filter(|(_, kept)| **kept)
            .map(|(word, _)| word.word.as_str())
            .collect();
        for (word, kept) in words() {
            let found = held.contains(&word.word);
            match (kept, seen.contains(word.word.as_str())) {
                (true, _) => shown.count(found),
                (false, false) => hidden.count(found),
                (false, true) => {}
            }
        }
    }
    Some(Recovered {
        shown: shown.value()?,
        hidden: hidden.value()?,
    })
}

#[derive(Default)]
struct Share {
    found: usize,
    places: usize,
}

impl Share {
    fn count(&mut self, found: bool) {
        self.places += 1;
        self.found += usize::from(found);
    }

    fn value(&self) -> Option<f64> {
        (self.places > 0).then(|| self.found as f64 / self.places as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recovered_from(answers: &[Option<&str>]) -> Option<Recovered> {
        let input = Input::new("The cat chased the cat and a dog");
        assert_eq!(input.len(), 4);
        let rows = vec![true, true, false, false, false, true, true, false];
        recovered(&input, &Masks::from_rows(4, rows), answers)
    }

    #[test]
    fn an_echo_brings_back_nothing_that_was_hidden() {
        // The first copy shows cat and chased and hides dog: its other cat is shown elsewhere. The
        // second shows chased and the other cat, and hides dog.
        let echo = recovered_from(&[Some("cat chased"), Some("chased cat")]).unwrap();
        assert_eq!((echo.shown, echo.hidden), (1.0, 0.0));
        assert!(echo.is_echo());
        let known = recovered_from(&[Some("A cat chased a dog."), None]).unwrap();
        assert_eq!((known.shown, known.hidden), (1.0, 1.0));
        assert!(!known.is_echo());
    }

    #[test]
    fn silence_is_no_echo() {
        let silent = recovered_from(&[Some("I do not know."), Some("")]).unwrap();
        assert_eq!((silent.shown, silent.hidden), (0.0, 0.0));
        assert!(!silent.is_echo());
        assert_eq!(recovered_from(&[None, None]), None);
    }
}
