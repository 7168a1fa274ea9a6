//! Records computed here, by key: many in one transaction.

use rusqlite::{OptionalExtension, params};

use super::{Key, Store};
use crate::Result;

impl Store {
    /// What is stored under each key.
    pub fn records(&self, keys: &[Key]) -> Result<Vec<Option<Vec<u8>>>> {
        let connection = self.connection();
        let read = || {
            let mut query = connection.prepare("SELECT value FROM records WHERE key = ?1")?;
            keys.iter()
                .map(|key| {
                    let found = query.query_row([key.as_slice()], |row| row.get(0));
                    found.optional()
                })
                .collect::<rusqlite::Result<_>>()
        };
        read().map_err(|error| self.failed(&error))
    }

    /// Stores all of them or none. `pass` names the work they are part of.
    pub fn put_records(&self, pass: &str, records: &[(Key, Vec<u8>)]) -> Result<()> {
        let mut connection = self.connection();
        let mut write = || {
            let transaction = connection.transaction()?;
            let mut insert = transaction
                .prepare("INSERT OR REPLACE INTO records (key, pass, value) VALUES (?1, ?2, ?3)")?;
            for (key, value) in records {
                insert.execute(params![key.as_slice(), pass, value])?;
            }
            drop(insert);
            transaction.commit()
        };
        write().map_err(|error| self.failed(&error))
    }
}
