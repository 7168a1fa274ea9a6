//! What is remembered of campaigns beside their answers, so that it can be told again without asking
//! anybody: questions that failed, and what all runs together took.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::outcome::{Outcome, Tally};
use super::{FailureKind, Fault};
use crate::store::{Key, Store, TALLY};
use crate::{Error, Result};

/// How a question failed when it was last asked.
#[derive(Serialize, Deserialize)]
struct Failed {
    kind: FailureKind,
    message: String,
}

/// What is written down of a failure; nothing where it is not the service's.
pub(super) fn failure(fault: &Fault) -> Option<Vec<u8>> {
    let failed = Failed {
        kind: fault.failure()?,
        message: fault.error.to_string(),
    };
    serde_json::to_vec(&failed).ok()
}

/// The failure that is remembered of a question; not asked where there is none.
pub(super) fn remembered<A>(key: &Key, store: &Store) -> Result<Outcome<A>> {
    let found = store.records(std::slice::from_ref(key))?.pop().flatten();
    let failed = found.and_then(|bytes| serde_json::from_slice::<Failed>(&bytes).ok());
    Ok(failed.map_or(Outcome::NotAsked, |failed| Outcome::Failed {
        kind: failed.kind,
        message: failed.message,
    }))
}

/// Whether each of these questions failed when it was last asked.
pub(super) fn failed(keys: &[Key], store: &Store) -> Result<Vec<bool>> {
    let found = store.records(keys)?;
    Ok(found.iter().map(Option::is_some).collect())
}

/// What all runs of a store have taken of one respondent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Books {
    pub sent: u64,
    pub retried: u64,
    /// Kinds of failures in words, and tries that failed so.
    pub faults: BTreeMap<String, u64>,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub tokens_estimated: u64,
    pub seconds: f64,
}

impl Books {
    /// Nothing where no run has written any.
    pub fn read(store: &Store, name: &str) -> Result<Option<Self>> {
        let found = store.records(&[key(name)])?.pop().flatten();
        let read = |bytes: Vec<u8>| {
            serde_json::from_slice(&bytes).map_err(|error| {
                Error::malformed(format!("what was spent on {name} cannot be read: {error}"))
                    .at(store.file())
                    .hint("restore it from a copy, or choose another folder for this audit")
            })
        };
        found.map(read).transpose()
    }

    /// Adds what a run took.
    pub(super) fn add(store: &Store, name: &str, tally: &Tally) -> Result<()> {
        let mut books = Self::read(store, name)?.unwrap_or_default();
        books.sent += tally.sent;
        books.retried += tally.retried;
        for (kind, count) in &tally.faults {
            *books.faults.entry(kind.to_string()).or_default() += count;
        }
        books.tokens_in += tally.tokens_in;
        books.tokens_out += tally.tokens_out;
        books.tokens_estimated += tally.tokens_estimated;
        books.seconds += tally.seconds;
        let bytes =
            serde_json::to_vec(&books).map_err(|error| Error::malformed(error.to_string()))?;
        store.put_records(TALLY, &[(key(name), bytes)])
    }
}

fn key(name: &str) -> Key {
    Sha256::digest(format!("{TALLY}/{name}")).into()
}
