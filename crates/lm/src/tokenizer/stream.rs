//! Text out of tokens as they come, a whole character at a time.

use super::Tokenizer;
use crate::Result;

/// Stands for bytes that are no character, or not yet.
const UNFINISHED: char = '\u{fffd}';

/// A character may be spread over several tokens; its first parts are held back until the last is
/// there. What all calls return, put together, is [`Tokenizer::decode`] of all tokens.
pub struct Detokeniser<'a> {
    tokenizer: &'a Tokenizer,
    /// Those that were turned into text last, on which the spelling of the next may depend, and
    /// those held back.
    tokens: Vec<u32>,
    /// How many of them were turned into text.
    told: usize,
}

impl<'a> Detokeniser<'a> {
    pub fn new(tokenizer: &'a Tokenizer) -> Self {
        Self {
            tokenizer,
            tokens: Vec::new(),
            told: 0,
        }
    }

    /// The text that this token completes, possibly none.
    pub fn push(&mut self, token: u32) -> Result<String> {
        self.tokens.push(token);
        let (before, now) = self.texts()?;
        if now.ends_with(UNFINISHED) || now.len() <= before.len() {
            return Ok(String::new());
        }
        let new = now.get(before.len()..).unwrap_or_default().to_owned();
        self.tokens.drain(..self.told);
        self.told = self.tokens.len();
        Ok(new)
    }

    /// What was held back, though it is not whole.
    pub fn finish(self) -> Result<String> {
        let (before, now) = self.texts()?;
        Ok(now.get(before.len()..).unwrap_or_default().to_owned())
    }

    fn texts(&self) -> Result<(String, String)> {
        let told = self.tokens.get(..self.told).unwrap_or_default();
        Ok((
            self.tokenizer.decode(told)?,
            self.tokenizer.decode(&self.tokens)?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn tokenizer() -> Tokenizer {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tokenizer.json");
        Tokenizer::open(&data).unwrap()
    }

    fn told(tokenizer: &Tokenizer, tokens: &[u32]) -> Vec<String> {
        let mut stream = Detokeniser::new(tokenizer);
        let mut told: Vec<String> = tokens.iter().map(|t| stream.push(*t).unwrap()).collect();
        told.push(stream.finish().unwrap());
        told
    }

    #[test]
    fn characters_arrive_whole_and_none_is_lost() {
        let tokenizer = tokenizer();
        for text in ["plain words, 1,204 of them", "naïve 語 🦀🦀 end", "", " 語"] {
            let tokens = tokenizer.encode(text).unwrap();
            let told = told(&tokenizer, &tokens);
            assert_eq!(told.concat(), text);
            assert!(told.iter().all(|part| !part.contains(UNFINISHED)));
        }
    }

    #[test]
    fn half_a_character_at_the_end_is_told_last() {
        let tokenizer = tokenizer();
        let mut tokens = tokenizer.encode("a 🦀").unwrap();
        tokens.pop();
        let told = told(&tokenizer, &tokens);
        assert_eq!(told.concat(), tokenizer.decode(&tokens).unwrap());
        assert!(told.last().unwrap().ends_with(UNFINISHED));
        let before = &told[..told.len() - 1];
        assert!(before.iter().all(|part| !part.contains(UNFINISHED)));
    }
}
