//! The durable store of an audit: one folder with `audit.sqlite`, where every answer that was
//! paid for and every text that was scored lies before anybody uses it.
//!
//! Killing the process at any instant loses at most the work in flight. Secrets never come here:
//! a [`Question`] has no place for a key, and its address is stripped of credentials by whoever
//! asks.

mod again;
mod answers;
mod digests;
mod failure;
mod open;
mod packed;
mod pieces;
mod records;
mod spending;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

pub use again::{Dates, day};
pub(crate) use again::{FAILURE, PROBE, TALLY};
pub use answers::{Answer, Question};
use pieces::Pieces;
pub use spending::Spending;

use crate::Result;

/// Names a question or a record: a SHA-256.
pub type Key = [u8; 32];

/// An audit's folder, held by this process alone until it is dropped.
pub struct Store {
    file: PathBuf,
    // Closed before the lock goes.
    connection: Mutex<Connection>,
    /// Taken after the connection, by whoever has both.
    pieces: Mutex<Pieces>,
    _lock: File,
}

/// How much there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub answers: u64,
    /// By the name of the pass that made them.
    pub records: BTreeMap<String, u64>,
}

impl Store {
    /// Opens the store of a folder, and makes both if they are not there.
    pub fn open(folder: &Path) -> Result<Self> {
        let (file, lock) = open::claim(folder)?;
        let connection = open::connect(&file)?;
        Ok(Self {
            file,
            connection: Mutex::new(connection),
            pieces: Mutex::default(),
            _lock: lock,
        })
    }

    /// The database.
    pub fn file(&self) -> &Path {
        &self.file
    }

    pub fn counts(&self) -> Result<Counts> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Counts> {
            let answers = connection.query_row("SELECT count(*) FROM answers", [], |row| {
                row.get::<_, i64>(0)
            })?;
            let mut passes =
                connection.prepare("SELECT pass, count(*) FROM records GROUP BY pass")?;
            let records = passes
                .query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?
                .collect::<rusqlite::Result<_>>()?;
            Ok(Counts {
                answers: answers as u64,
                records,
            })
        };
        read().map_err(|error| self.failed(&error))
    }

    /// A panic elsewhere cannot leave the connection half-way: SQLite's transactions see to that.
    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn pieces(&self) -> MutexGuard<'_, Pieces> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, error: &rusqlite::Error) -> crate::Error {
        failure::explain(&self.file, error)
    }
}

#[cfg(test)]
mod tests;
