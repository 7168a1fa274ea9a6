//! Strings of the tokens that the user's own texts have most seldom.

use stats::streams::ChaCha8Rng;

use super::frame::framed;
use super::{Card, Drafter, Source, TextDesign};
use crate::lm::{Piece, Pool};
use crate::{Error, Result};

pub(super) const DESIGN: TextDesign = TextDesign {
    card: Card {
        id: "rare-tokens",
        summary: "strings of the rarest tokens of the training texts (of the rarest words, without a \
                  tokenizer), in a fixed sentence",
        why: "training on the other texts says little about rare tokens, so what a canary teaches about \
              them stays",
        weak: "a small file has few tokens, and its rarest are not rare for the base model",
        paper: "Panda et al. 2025 (arXiv:2503.06808), canaries by unigram frequency",
    },
    prepare,
};

/// The rarest so many are drawn from.
const RAREST: usize = 512;
/// With fewer, canaries would be made of the same few.
const FEWEST: usize = 64;

fn prepare<'a>(source: &Source<'a>, _: usize, _: &mut ChaCha8Rng) -> Result<Drafter<'a>> {
    let counts = source.counts()?;
    let mut counted: Vec<(u64, Piece)> = match source.tokenizer {
        Some(tokenizer) => {
            let pieces = source.pool(tokenizer)?.pieces.iter().cloned();
            let count = |piece: &Piece| piece.id.map_or(0, |id| counts.token(id));
            pieces.map(|piece| (count(&piece), piece)).collect()
        }
        None => {
            let piece = |word: &String| Piece {
                id: None,
                text: format!(" {word}"),
            };
            let words = counts.words.iter();
            words.map(|(word, count)| (*count, piece(word))).collect()
        }
    };
    counted.retain(|(count, _)| *count > 0);
    if counted.len() < FEWEST {
        let (path, found) = (&source.corpus.path, counted.len());
        let message =
            format!("has {found} different words; rare ones are drawn from {FEWEST} or more");
        return Err(Error::malformed(message)
            .at(path)
            .hint("use the design random-tokens, which needs no texts"));
    }
    counted.sort_by(|one, other| (one.0, &one.1.text).cmp(&(other.0, &other.1.text)));
    let rarest = counted.into_iter().take(RAREST);
    let pool = Pool {
        pieces: rarest.map(|(_, piece)| piece).collect(),
    };
    let length = source.length;
    Ok(Box::new(move |rng| Ok(framed(&pool.string(length, rng)))))
}
