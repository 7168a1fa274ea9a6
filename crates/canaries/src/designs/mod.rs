//! How canaries are made: one file per design, one line per design in a registry.

mod card;
mod frame;
mod new_token;
mod random_features;
mod random_label;
mod random_tokens;
mod rare_tokens;
mod sample;
mod source;
mod swapped;

pub use self::card::Card;
pub(crate) use self::source::{Draft, Drafter, Source};
use crate::records::RecordSource;
use crate::{Error, Kind, Result};
use stats::streams::ChaCha8Rng;

/// A design of texts: what it says of itself, and how it gets ready to make so many.
pub(crate) struct TextDesign {
    pub card: Card,
    pub prepare: for<'a> fn(&Source<'a>, usize, &mut ChaCha8Rng) -> Result<Drafter<'a>>,
}

/// A design of records: what it says of itself, and how it makes so many.
pub(crate) struct RecordDesign {
    pub card: Card,
    pub make: fn(&mut RecordSource, usize, &mut ChaCha8Rng) -> Result<Vec<crate::records::Made>>,
}

pub(crate) static TEXT_DESIGNS: [TextDesign; 4] = [
    random_tokens::DESIGN,
    new_token::DESIGN,
    rare_tokens::DESIGN,
    swapped::DESIGN,
];

pub(crate) static RECORD_DESIGNS: [RecordDesign; 2] =
    [random_label::DESIGN, random_features::DESIGN];

/// Every design of a kind, the usual one first.
pub fn cards(kind: Kind) -> Vec<Card> {
    match kind {
        Kind::Lm => TEXT_DESIGNS.iter().map(|design| design.card).collect(),
        Kind::Classifier => RECORD_DESIGNS.iter().map(|design| design.card).collect(),
    }
}

/// The designs of these names, in the order in which they are named; the usual one where none is.
pub(crate) fn chosen<D>(
    all: &'static [D],
    card: impl Fn(&D) -> &Card,
    names: &[String],
) -> Result<Vec<&'static D>> {
    if names.is_empty() {
        return Ok(all.iter().take(1).collect());
    }
    let ids: Vec<&str> = all.iter().map(|design| card(design).id).collect();
    let mut chosen: Vec<&D> = Vec::new();
    for name in names {
        let found = all.iter().find(|design| card(design).id == name);
        let design = found.ok_or_else(|| {
            let there = ids.join(", ");
            let hint = match text::nearest(&ids, name) {
                Some(nearest) => format!("did you mean {nearest}? There are {there}"),
                None => format!("there are {there}"),
            };
            Error::usage(format!("there is no design {name:?}"), hint)
        })?;
        if chosen.iter().any(|other| card(other).id == name) {
            let message = format!("the design {name} is named twice");
            return Err(Error::usage(message, "name each design once"));
        }
        chosen.push(design);
    }
    Ok(chosen)
}
