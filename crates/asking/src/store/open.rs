//! Opening: who holds the folder, whose file it is, and of which version.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use super::digests::forget_digests;
use super::failure::explain;
use crate::{Error, ErrorKind, Result};
use formats::private;

const DATABASE: &str = "audit.sqlite";
const LOCK: &str = "audit.lock";
/// "glst" in ASCII: tells our file from another program's.
const APPLICATION: i32 = 0x676c_7374;
const VERSION: i32 = 6;

const SCHEMA: &str = "
CREATE TABLE answers (
    key      BLOB PRIMARY KEY NOT NULL,
    dialect  TEXT NOT NULL,
    url      TEXT NOT NULL,
    model    TEXT,
    request  BLOB NOT NULL,
    status   INTEGER NOT NULL,
    answer   BLOB NOT NULL,
    received INTEGER NOT NULL -- milliseconds since 1970
);
CREATE TABLE records (
    key   BLOB PRIMARY KEY NOT NULL,
    pass  TEXT NOT NULL,
    value BLOB NOT NULL
);
CREATE INDEX records_by_pass ON records (pass);
";

/// Since version 2: how long an answer took, and what the audit has spent so far.
const SECOND: &str = "
ALTER TABLE answers ADD COLUMN seconds REAL;
CREATE TABLE spending (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    requests INTEGER NOT NULL, -- sent, or set aside to be sent
    tokens   INTEGER NOT NULL
);
INSERT INTO spending VALUES (1, 0, 0);
";

/// Since version 4: what of a row is compressed.
const FOURTH: &str = "
ALTER TABLE answers ADD COLUMN packed INTEGER NOT NULL DEFAULT 0; -- 1: the request, 2: the answer, 3: both
";

/// Since version 5: stretches that come again, each once. What has numbers in their place has 4 (the request) or
/// 8 (the answer) in `packed`.
pub(super) const PIECES: &str = "
CREATE TABLE pieces (
    number INTEGER PRIMARY KEY,
    name   BLOB NOT NULL UNIQUE, -- the first half of its SHA-256
    packed INTEGER NOT NULL,
    piece  BLOB NOT NULL
);
";

/// Since version 6: headers of responses that may tell something, as JSON.
const SIXTH: &str = "
ALTER TABLE answers ADD COLUMN headers TEXT;
";

/// Makes the folder if need be and keeps every other process out of it. The system lets go of the
/// lock when the process ends, however it ends.
pub(super) fn claim(folder: &Path) -> Result<(PathBuf, File)> {
    private::make_folder(folder).map_err(|error| Error::writing(folder, &error))?;
    let path = folder.join(LOCK);
    let lock = private::create(&path).map_err(|error| Error::writing(&path, &error))?;
    match lock.try_lock() {
        // A file system without locks cannot tell; then SQLite's own locks must do.
        Ok(()) | Err(TryLockError::Error(_)) => Ok((folder.join(DATABASE), lock)),
        Err(TryLockError::WouldBlock) => Err(Error::new(
            ErrorKind::Exists,
            "another guestlist run is at work in this folder",
        )
        .at(folder)
        .hint("wait for it, end it, or choose another folder")),
    }
}

pub(super) fn connect(file: &Path) -> Result<Connection> {
    // SQLite gives its further files the mode of this one, and says best why it cannot be written.
    let _ = private::claim(file);
    let mut connection = Connection::open(file).map_err(|error| explain(file, &error))?;
    let prepared = prepare(&mut connection).map_err(|error| explain(file, &error))?;
    match prepared {
        Found::Ours => Ok(connection),
        Found::Foreign => Err(Error::mismatch("is the database of another program")
            .at(file)
            .hint("choose another folder for this audit")),
        Found::Newer(version) => Err(Error::unsupported(format!(
            "was written by a newer guestlist (store version {version}, this one reads {VERSION})"
        ))
        .at(file)
        .hint("update guestlist, or choose another folder")),
    }
}

enum Found {
    Ours,
    Foreign,
    Newer(i32),
}

fn prepare(connection: &mut Connection) -> rusqlite::Result<Found> {
    connection.busy_timeout(Duration::from_secs(5))?;
    let application: i32 = number(connection, "application_id")?;
    let version: i32 = number(connection, "user_version")?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    let fresh = tables == 0 && application == 0 && version == 0;
    if !fresh && application != APPLICATION {
        return Ok(Found::Foreign);
    }
    if version > VERSION {
        return Ok(Found::Newer(version));
    }
    // Answers cost money: each is on the disk, not merely with the system, before it is used.
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    if version < VERSION {
        let transaction = connection.transaction()?;
        if fresh {
            transaction.execute_batch(SCHEMA)?;
        }
        if version < 2 {
            transaction.execute_batch(SECOND)?;
        }
        if !fresh && version < 3 {
            // Since version 3: no trace of a key, be it in pages that are free again.
            transaction.pragma_update(None, "secure_delete", true)?;
            forget_digests(&transaction)?;
        }
        if version < 4 {
            transaction.execute_batch(FOURTH)?;
        }
        if version < 5 {
            transaction.execute_batch(PIECES)?;
        }
        transaction.execute_batch(SIXTH)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.commit()?;
    }
    Ok(Found::Ours)
}

fn number(connection: &Connection, pragma: &str) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, pragma, |row| row.get(0))
}
