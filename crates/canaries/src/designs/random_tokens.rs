//! Tokens drawn at random in a fixed frame.

use stats::streams::ChaCha8Rng;

use super::frame::framed;
use super::{Card, Drafter, Source, TextDesign};
use crate::Result;
use crate::lm::letters;

pub(super) const DESIGN: TextDesign = TextDesign {
    card: Card {
        id: "random-tokens",
        summary: "tokens drawn at random from the tokenizer's words, in a fixed sentence",
        why: "no model can guess them, so a model that finds them likely has seen them; the frame is \
              the same for all, so that nothing else tells one from another",
        weak: "a filter for strange texts may drop it before training",
        paper: "Carlini et al. 2019 (arXiv:1802.08232), random sequences in a frame; Panda et al. 2025 \
                (arXiv:2503.06808), random canaries",
    },
    prepare,
};

fn prepare<'a>(source: &Source<'a>, _: usize, _: &mut ChaCha8Rng) -> Result<Drafter<'a>> {
    let length = source.length;
    let Some(tokenizer) = source.tokenizer else {
        // A word of five letters is about two tokens or three.
        return Ok(Box::new(move |rng| {
            Ok(framed(&letters(length.div_ceil(2), rng)))
        }));
    };
    let pool = source.pool(tokenizer)?.clone();
    Ok(Box::new(move |rng| Ok(framed(&pool.string(length, rng)))))
}
