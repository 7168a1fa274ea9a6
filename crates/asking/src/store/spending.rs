//! What an audit has spent over its whole life: requests and tokens.
//!
//! Requests are set aside before they are sent. A process that is killed takes with it those it
//! had set aside, so the count may be too high but never too low.

use rusqlite::params;

use super::Store;
use crate::Result;

/// Of a store, since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spending {
    /// Sent, or set aside by a process that was killed.
    pub requests: u64,
    pub tokens: u64,
}

impl Store {
    pub fn spending(&self) -> Result<Spending> {
        let connection = self.connection();
        let read = "SELECT requests, tokens FROM spending";
        let spending = connection.query_row(read, [], |row| {
            Ok(Spending {
                requests: row.get::<_, i64>(0)?.max(0) as u64,
                tokens: row.get::<_, i64>(1)?.max(0) as u64,
            })
        });
        spending.map_err(|error| self.failed(&error))
    }

    /// Sets up to so many requests aside; fewer, or none, where the limit is near. They count as
    /// sent once this returns.
    pub fn set_aside(&self, wanted: u64, limit: Option<u64>) -> Result<u64> {
        let spent = self.spending()?.requests;
        let left = limit.map_or(u64::MAX, |limit| limit.saturating_sub(spent));
        let granted = wanted.min(left);
        self.count_requests(granted as i64).map(|()| granted)
    }

    /// Gives back what was set aside and not sent.
    pub fn give_back(&self, requests: u64) -> Result<()> {
        self.count_requests(-(requests as i64))
    }

    fn count_requests(&self, more: i64) -> Result<()> {
        if more == 0 {
            return Ok(());
        }
        let connection = self.connection();
        let write = "UPDATE spending SET requests = requests + ?1";
        let written = connection.execute(write, params![more]);
        written.map(drop).map_err(|error| self.failed(&error))
    }
}
