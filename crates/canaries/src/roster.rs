//! `canaries.jsonl`: every canary, chosen or not, in an order that tells nothing. This is what is
//! scored; of a classifier the records themselves lie beside it, in the same order.

use std::collections::HashSet;
use std::path::Path;

use formats::lines::{Lines, plain};
use lm::LocatedToken;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Error, Manifest, Result, Role};

pub(crate) const FILE_NAME: &str = "canaries.jsonl";

/// Where a part that was drawn at random lies in a text: characters, not bytes, the end left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secret {
    pub start: usize,
    pub end: usize,
}

impl Secret {
    /// Whether a token has any of it.
    pub fn touches(self, token: &LocatedToken) -> bool {
        token.start < self.end && self.start < token.end
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Canary {
    pub id: String,
    /// The whole text as it is scored; none for a classifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The drawn parts of the text, in their order; the rest is a frame or the user's own words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secret: Vec<Secret>,
    /// How often it is in the training data if its coin chose it.
    pub tier: u32,
    pub design: String,
    /// The row as the training file has it where that is more than a text: `prompt` and `completion`, or
    /// `messages`.
    #[serde(flatten)]
    pub row: Map<String, Value>,
}

impl Canary {
    /// Places of the tokens that the drawn parts became.
    pub fn drawn_tokens(&self, tokens: &[LocatedToken]) -> Vec<usize> {
        let drawn = |token: &LocatedToken| self.secret.iter().any(|part| part.touches(token));
        let places = tokens.iter().enumerate().filter(|(_, token)| drawn(token));
        places.map(|(place, _)| place).collect()
    }
}

impl Manifest {
    /// All canaries in their order, once the file is known to be as it was sealed.
    pub fn canaries(&self) -> Result<Vec<Canary>> {
        let path = self.verified(Role::Canaries)?;
        let canaries = read(&path)?;
        let ids: HashSet<&str> = canaries.iter().map(|canary| canary.id.as_str()).collect();
        match ids.len() == self.canaries && canaries.len() == self.canaries {
            true => {
                self.check_against(&canaries)?;
                Ok(canaries)
            }
            false => Err(Error::mismatch(format!(
                "has {} canaries with {} ids, but the manifest counts {}",
                canaries.len(),
                ids.len(),
                self.canaries
            ))
            .at(&path)
            .hint("restore the folder as it was drawn, or draw again and train again")),
        }
    }
}

fn read(path: &Path) -> Result<Vec<Canary>> {
    let rows = Lines::open(path)?.map(|line| {
        let (number, line) = line?;
        serde_json::from_slice(&line).map_err(|error| {
            Error::malformed(format!("line {number}: {}", plain(&error)))
                .at(path)
                .hint("restore the canaries.jsonl that guestlist canaries wrote")
        })
    });
    rows.collect()
}
