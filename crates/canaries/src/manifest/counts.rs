//! How many canaries there are of each design and each tier.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{Canary, Error, Kind, Manifest, Result};

/// How many canaries a design made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DesignCount {
    pub design: String,
    pub canaries: usize,
}

/// How many canaries are in the training data this often, where their coin says that they are in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TierCount {
    pub repetitions: u32,
    pub canaries: usize,
}

impl DesignCount {
    /// In the order of their names, so that nothing shows the order of the draw.
    pub(crate) fn of(canaries: &[Canary]) -> Vec<Self> {
        let counts = counted(canaries.iter().map(|canary| canary.design.as_str()));
        let count = |(design, canaries): (&str, usize)| Self {
            design: design.to_owned(),
            canaries,
        };
        counts.into_iter().map(count).collect()
    }
}

impl TierCount {
    pub(crate) fn of(canaries: &[Canary]) -> Vec<Self> {
        let counts = counted(canaries.iter().map(|canary| canary.tier));
        let count = |(repetitions, canaries)| Self {
            repetitions,
            canaries,
        };
        counts.into_iter().map(count).collect()
    }
}

fn counted<T: Ord>(values: impl Iterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    counts
}

impl Manifest {
    /// The digest holds the canaries; what the manifest says of them must be so.
    pub(crate) fn check_against(&self, canaries: &[Canary]) -> Result<()> {
        let texts = canaries.iter().filter(|canary| canary.text.is_some());
        let kind = match texts.count() {
            0 => Kind::Classifier,
            _ => Kind::Lm,
        };
        let (mut tiers, mut designs) = (self.tiers.clone(), self.designs.clone());
        tiers.sort_unstable();
        designs.sort_unstable();
        for (key, stated, found) in [
            ("tiers", json!(tiers), json!(TierCount::of(canaries))),
            ("designs", json!(designs), json!(DesignCount::of(canaries))),
            ("kind", json!(self.kind), json!(kind)),
        ] {
            if stated != found {
                let message = format!("{key} is {stated}, but by canaries.jsonl it is {found}");
                return Err(Error::mismatch(message).at(&self.path).hint(
                    "restore the manifest as it was drawn, or draw again and train again; it is not edited",
                ));
            }
        }
        Ok(())
    }
}
