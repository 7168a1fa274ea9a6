//! The tokens that tell are those whose embeddings are not trained.

use super::finding::{Found, Trap};
use super::look::Look;
use crate::Result;

pub(super) const TRAP: Trap = Trap {
    id: "frozen-embeddings",
    summary: "the design rests on new or rare tokens, and their embeddings are not trained",
    remedy: "train the embeddings too (with PEFT: modules_to_save=[\"embed_tokens\", \"lm_head\"]), or use \
             the design random-tokens or swapped",
    look,
};

fn look(look: &Look<'_>) -> Result<Option<Found>> {
    if !look.settings.frozen_embeddings {
        return Ok(None);
    }
    let of = |design: &str| -> Vec<usize> {
        let canaries = look.canaries.iter().enumerate();
        let own = canaries.filter(|(_, canary)| canary.design == design);
        own.map(|(place, _)| place).collect()
    };
    let (new, rare) = (of("new-token"), of("rare-tokens"));
    Ok(match (new.len(), rare.len()) {
        (0, 0) => Found::ok("no design rests on tokens that must be learnt"),
        (0, count) => Found::warn(
            rare,
            format!("{count} canaries rest on rare tokens whose embeddings are not trained"),
        ),
        (count, _) => Found::violated(
            new,
            format!("{count} canaries rest on a new token whose embedding is not trained"),
        ),
    })
}
