//! What an audit judged besides single records, as `scores.parquet` says it of itself: whoever judges the file
//! again has the scores, and neither the persons nor the columns that records were cut by.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// The key of the file's metadata.
pub(crate) const KEY: &str = "guestlist.levels";

/// Names of columns alone: who a person is stays out of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Levels {
    /// The column or field that told people apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persons: Option<String>,
    /// Columns that records were cut by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<String>,
    /// Those of them with a slice that violated the gate, or seemed to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violated: Vec<String>,
}

impl Levels {
    /// Nothing where records alone were judged.
    pub(crate) fn metadata(&self) -> HashMap<String, String> {
        let text = serde_json::to_string(self).ok();
        let told = text.filter(|_| *self != Levels::default());
        told.map(|text| (KEY.to_owned(), text))
            .into_iter()
            .collect()
    }

    /// What files say that are one table; nothing where no audit wrote them, or one that judged records alone.
    pub(crate) fn of<'a>(said: impl Iterator<Item = &'a str>) -> Option<Self> {
        let levels = said.filter_map(|text| serde_json::from_str(text).ok());
        levels.reduce(Levels::and)
    }

    /// Of several files that are one table: what any of them says.
    fn and(mut self, other: Self) -> Self {
        self.persons = self.persons.or(other.persons);
        for (own, others) in [
            (&mut self.slices, other.slices),
            (&mut self.violated, other.violated),
        ] {
            for name in others {
                if !own.contains(&name) {
                    own.push(name);
                }
            }
        }
        self
    }
}
