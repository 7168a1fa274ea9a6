//! The detail of a kind that needs no renderings of its own: what it says, in words and counts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::document::Data;
use crate::particulars::Particulars;

/// What an audit says of itself beside its measures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Facts {
    /// The question that the audit answers, for somebody who opens its page.
    pub question: String,
    /// What the records were judged by: a few words after their number.
    pub by: String,
    /// How much of what the audit had.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, usize>,
}

impl Particulars for Facts {
    fn question(&self) -> &str {
        &self.question
    }

    fn judged(&self, data: &Data, counts: &str) -> String {
        let by = crate::printable(&self.by);
        format!("{} records {counts}; {by}", data.judged_records)
    }

    fn counts(&self) -> Vec<(&str, usize)> {
        let counts = self.counts.iter();
        counts
            .map(|(name, count)| (name.as_str(), *count))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_document_says_is_printable() {
        let facts = Facts {
            by: "pairs\u{1b}[31m".into(),
            counts: BTreeMap::from([("pairs".to_owned(), 3)]),
            ..Facts::default()
        };
        let data = Data {
            format: "npz".into(),
            records: 4,
            judged_records: 4,
            judged_members: 2,
        };
        let told = facts.judged(&data, "judged");
        assert!(
            !told.contains('\u{1b}') && told.starts_with("4 records judged"),
            "{told}"
        );
        assert_eq!(facts.counts(), [("pairs", 3)]);
    }
}
