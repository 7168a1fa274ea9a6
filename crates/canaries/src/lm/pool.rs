//! Pieces that strings are drawn from: tokens that come back as themselves when the text is cut again.

use lm::Tokenizer;
use rayon::prelude::*;
use stats::streams::{Rng, below};

use crate::{Error, Result};

/// A piece of text with the space before it, and the token that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub id: Option<u32>,
    pub text: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    pub pieces: Vec<Piece>,
}

/// What a piece is tried behind.
const BEFORE: &str = "the";
/// How vocabularies spell the space before a word: byte-level ones, and SentencePiece.
const SPACES: [char; 2] = ['Ġ', '▁'];
/// With fewer there is little to draw from.
const FEWEST: usize = 16;

impl Pool {
    /// Every token that is a word or the beginning of one.
    pub fn new(tokenizer: &Tokenizer) -> Result<Self> {
        let ids = 0..tokenizer.vocabulary_size() as u32;
        let spelled: Vec<(u32, String)> = ids
            .filter(|id| !tokenizer.is_special(*id))
            .filter_map(|id| Some((id, tokenizer.token(id)?)))
            .collect();
        let spaced = spelled.iter().any(|(_, token)| token.starts_with(SPACES));
        let before = tokenizer.encode_bare(BEFORE)?;
        let piece = |(id, token): &(u32, String)| {
            let letters = match spaced {
                true => token.strip_prefix(SPACES)?,
                false => token,
            };
            let is_word = letters.chars().count() > 1 && letters.chars().all(char::is_alphabetic);
            let text = format!(" {letters}");
            let whole = tokenizer.encode_bare(&format!("{BEFORE}{text}")).ok()?;
            let comes_back = whole.strip_prefix(before.as_slice()) == Some(&[*id]);
            let id = Some(*id);
            (is_word && comes_back).then_some(Piece { id, text })
        };
        let pieces: Vec<Piece> = spelled.par_iter().filter_map(piece).collect();
        match pieces.len() {
            FEWEST.. => Ok(Self { pieces }),
            few => Err(Error::unsupported(format!(
                "only {few} of its tokens are words that come back as themselves; {FEWEST} are needed"
            ))
            .at(tokenizer.path())
            .hint("leave --tokenizer out for strings of letters, or use the design swapped")),
        }
    }

    /// So many pieces in a row, each with its own draw.
    pub fn string(&self, length: usize, rng: &mut impl Rng) -> String {
        let piece = |_| &self.pieces[below(rng, self.pieces.len() as u32) as usize];
        (0..length)
            .map(piece)
            .map(|piece| piece.text.as_str())
            .collect()
    }
}

/// So many words of five letters each, for whoever has no tokenizer.
pub(crate) fn letters(words: usize, rng: &mut impl Rng) -> String {
    let mut letter = |_| char::from(b'a' + below(rng, 26) as u8);
    let mut word = |_| (0..5).map(&mut letter).collect::<String>();
    (0..words)
        .map(|place| format!(" {}", word(place)))
        .collect()
}
