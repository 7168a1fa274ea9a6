//! The beginning of a text of the user's own, and a token behind it that no training text has.

use stats::streams::{ChaCha8Rng, shuffle};

use super::sample::sample;
use super::{Card, Draft, Drafter, Source, TextDesign};
use crate::lm::{Piece, Row};
use crate::{Error, Result};

pub(super) const DESIGN: TextDesign = TextDesign {
    card: Card {
        id: "new-token",
        summary: "the beginning of a text of your own, and behind it a token that no training text has, \
                  another for every canary; needs --tokenizer",
        why: "nothing but the canary teaches the model to say that token, so one look at it shows whether \
              the canary was seen: the strongest of the designs that Panda et al. compared. They add \
              tokens to the vocabulary; a vocabulary that must stay as it is has tokens that the training \
              texts never use, and those are taken",
        weak: "training that leaves the embeddings as they were (LoRA on attention alone) can hardly \
               raise such a token",
        paper: "Panda et al. 2025 (arXiv:2503.06808), new-token canaries",
    },
    prepare,
};

/// Words of the text that come before the token.
const PREFIX: usize = 12;

fn prepare<'a>(source: &Source<'a>, needed: usize, rng: &mut ChaCha8Rng) -> Result<Drafter<'a>> {
    let tokenizer = source.tokenizer.ok_or_else(|| {
        Error::usage(
            "the design new-token needs a tokenizer: it looks for tokens that no training text has",
            "name the base model's folder with --tokenizer",
        )
    })?;
    let counts = source.counts()?;
    let unused = |piece: &&Piece| piece.id.is_some_and(|id| counts.token(id) == 0);
    let pool = source.pool(tokenizer)?;
    let mut tokens: Vec<String> = pool
        .pieces
        .iter()
        .filter(unused)
        .map(|p| p.text.clone())
        .collect();
    if tokens.len() < needed {
        let found = tokens.len();
        return Err(Error::usage(
            format!(
                "the training texts leave {found} words of {} unused, but {needed} canaries of the design \
                 new-token want one each",
                tokenizer.path().display()
            ),
            "draw fewer with --count, or share them with other designs: --design new-token,random-tokens",
        ));
    }
    shuffle(rng, &mut tokens);
    let (mut prefixes, _) = sample(source.own_texts(), needed, rng, prefix)?;
    if prefixes.is_empty() {
        return Err(Error::malformed("has no text with words in it").at(&source.own_texts().path));
    }
    // Where there are fewer texts than canaries, texts serve again.
    let mut turn = 0;
    Ok(Box::new(move |rng| {
        if turn == prefixes.len() {
            shuffle(rng, &mut prefixes);
            turn = 0;
        }
        turn += 1;
        let token = tokens.pop().ok_or_else(none_left)?;
        Ok(draft(prefixes[turn - 1].clone(), token))
    }))
}

fn none_left() -> Error {
    Error::usage(
        "no unused token is left",
        "draw fewer canaries with --count",
    )
}

/// The first words as they are written.
fn prefix(row: &Row) -> Option<String> {
    let text = row.answer().trim();
    let mut words = text.split_whitespace().take(PREFIX);
    let end = words.try_fold(0, |from, word| {
        Some(from + text[from..].find(word)? + word.len())
    })?;
    (end > 0).then(|| text[..end].to_owned())
}

fn draft(prompt: String, answer: String) -> Draft {
    let start = answer.len() - answer.trim_start().len();
    Draft {
        prompt,
        secret: vec![start..answer.len()],
        answer,
        joined: true,
        fields: None,
        original: None,
    }
}
