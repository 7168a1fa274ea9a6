//! What a report shows of single records. It is read by more people than the data were meant for: it
//! has numbers of records and measures. Ids, texts, exchanges and who is a member are there only
//! where the user asked for them, and never in what continuous integration posts.

use judge::lm::Blind;
use serde::{Deserialize, Serialize};

use crate::document::Report;

/// Words or characters that are typical of members and of non-members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Typical {
    /// What was looked at, in words.
    pub by: String,
    pub of_members: Vec<String>,
    pub of_nonmembers: Vec<String>,
}

impl Typical {
    /// Nothing where the texts tell nothing.
    pub fn from_blind(blind: &Blind) -> Option<Self> {
        let found = !blind.for_members.is_empty() || !blind.for_nonmembers.is_empty();
        found.then(|| Self {
            by: blind.by.clone(),
            of_members: blind.for_members.clone(),
            of_nonmembers: blind.for_nonmembers.clone(),
        })
    }
}

impl Report {
    /// The report for everybody: records by their numbers, with their measures.
    pub fn without_records(mut self) -> Self {
        self.typical = None;
        for record in self.records.iter_mut().flat_map(|all| &mut all.listed) {
            record.withhold();
        }
        let exposed = self.diagnostics.vulnerability.iter_mut();
        for record in exposed.flat_map(|found| &mut found.most_exposed) {
            record.withhold();
        }
        self.detail.withhold();
        self
    }
}
