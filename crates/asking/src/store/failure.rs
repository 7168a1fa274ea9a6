//! What SQLite says, in words with a remedy.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::{Error, ErrorKind};

pub(super) fn explain(file: &Path, error: &rusqlite::Error) -> Error {
    let (kind, message, hint) = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => (
            ErrorKind::Malformed,
            "is not a database".to_owned(),
            "move it away, or choose another folder for this audit",
        ),
        Some(ErrorCode::DatabaseCorrupt) => (
            ErrorKind::Malformed,
            "is damaged".to_owned(),
            "restore it from a copy together with its -wal file, or move both away and run again",
        ),
        Some(ErrorCode::DiskFull) => (
            ErrorKind::Write,
            "cannot be written: the disk is full".to_owned(),
            "make room and run again; nothing stored so far is lost",
        ),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => (
            ErrorKind::Write,
            format!("cannot be written: {error}"),
            "check that the folder and the file are writable",
        ),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
            ErrorKind::Exists,
            "is in use by another program".to_owned(),
            "close that program and run again",
        ),
        _ => (
            ErrorKind::Write,
            format!("the store failed: {error}"),
            "check that the folder is writable, has room and lies on a local disk",
        ),
    };
    Error::new(kind, message).at(file).hint(hint)
}
