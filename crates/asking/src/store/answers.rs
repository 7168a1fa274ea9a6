//! Answers of servers, by what was asked.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::packed::{ANSWER, ANSWER_CUT, REQUEST, REQUEST_CUT, pack, unpack};
use super::pieces::{Cutting, Pieces};
use super::{Key, Store};
use crate::{Error, Result};

/// What was asked of whom. There is no place for a key, on purpose.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub dialect: &'a str,
    /// Without user, password and query.
    pub url: &'a str,
    pub model: Option<&'a str>,
    pub request: &'a [u8],
}

/// What came back.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub status: u16,
    /// As it came, to the byte.
    pub body: Vec<u8>,
    pub received: SystemTime,
    /// From sending to the last byte, where somebody looked at the clock.
    pub seconds: Option<f64>,
    /// Those that were kept: names in small letters, and values.
    pub headers: Vec<(String, String)>,
}

/// An answer as it lies in the store.
pub(crate) struct Row {
    answer: Answer,
    packed: i64,
}

impl Question<'_> {
    /// The same question has the same key, today and next year.
    pub fn key(&self) -> Key {
        let mut hasher = Sha256::new();
        let parts = [
            self.dialect.as_bytes(),
            self.url.as_bytes(),
            self.model.unwrap_or_default().as_bytes(),
            self.request,
        ];
        for part in parts {
            // Lengths keep parts from running into each other.
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.finalize().into()
    }
}

impl Store {
    pub fn is_answered(&self, key: &Key) -> Result<bool> {
        let connection = self.connection();
        let read = || {
            connection
                .prepare("SELECT 1 FROM answers WHERE key = ?1")?
                .exists([key.as_slice()])
        };
        read().map_err(|error| self.failed(&error))
    }

    pub fn answer(&self, key: &Key) -> Result<Option<Answer>> {
        let mut found = self.rows(std::slice::from_ref(key))?;
        let row = found.pop().flatten();
        row.map(|row| self.unpacked(row)).transpose()
    }

    /// What lies under these keys, each nothing where nothing does: looked up together they take a part of the
    /// time.
    pub(crate) fn rows(&self, keys: &[Key]) -> Result<Vec<Option<Row>>> {
        let connection = self.connection();
        let read = || {
            // Locks are taken once.
            let together = connection.unchecked_transaction()?;
            let mut find = together.prepare(
                "SELECT status, answer, received, seconds, packed, headers FROM answers WHERE key = ?1",
            )?;
            let found = keys.iter().map(|key| {
                let found = find.query_row([key.as_slice()], |row| {
                    let received: i64 = row.get(2)?;
                    let headers: Option<String> = row.get(5)?;
                    let headers = headers.and_then(|text| serde_json::from_str(&text).ok());
                    let answer = Answer {
                        status: row.get(0)?,
                        body: row.get(1)?,
                        received: UNIX_EPOCH + Duration::from_millis(received.max(0) as u64),
                        seconds: row.get(3)?,
                        headers: headers.unwrap_or_default(),
                    };
                    let packed = row.get(4)?;
                    Ok(Row { answer, packed })
                });
                found.optional()
            });
            found.collect::<rusqlite::Result<_>>()
        };
        read().map_err(|error| self.failed(&error))
    }

    /// The answer of a row as it came. Others may read the store meanwhile.
    pub(crate) fn unpacked(&self, Row { answer, packed }: Row) -> Result<Answer> {
        let body = unpack(answer.body, packed & ANSWER != 0)
            .map_err(|error| self.damaged(&error.to_string()))?;
        let body = match packed & ANSWER_CUT != 0 {
            false => body,
            true => {
                let parts = {
                    let connection = self.connection();
                    self.pieces().parts(&connection, &body)
                };
                let parts = parts.map_err(|error| self.failed(&error))?;
                let parts = parts.ok_or_else(|| self.damaged("a piece of an answer is missing"))?;
                parts.join()
            }
        };
        Ok(Answer { body, ..answer })
    }

    fn damaged(&self, what: &str) -> Error {
        Error::malformed(what).at(&self.file).hint(
            "restore it from a copy together with its -wal file, or move both away and run again",
        )
    }

    /// How long answers took on average, where somebody looked at the clock, and how many they are.
    pub fn mean_seconds(&self) -> Result<Option<(f64, u64)>> {
        let connection = self.connection();
        let read = "SELECT avg(seconds), count(seconds) FROM answers";
        let found = connection.query_row(read, [], |row| {
            Ok((row.get::<_, Option<f64>>(0)?, row.get::<_, i64>(1)?))
        });
        let (mean, count) = found.map_err(|error| self.failed(&error))?;
        Ok(mean.map(|mean| (mean, count.max(0) as u64)))
    }

    /// Stores an answer, in place of an earlier one to the same question. It is on the disk when
    /// this returns.
    pub fn put_answer(&self, question: &Question, answer: &Answer) -> Result<()> {
        self.put_answers(&[(*question, answer)], 0)
    }

    /// Stores all of them or none, and adds to the tokens that were spent. They are on the disk
    /// when this returns: one wait for many.
    pub fn put_answers(&self, answers: &[(Question, &Answer)], tokens: u64) -> Result<()> {
        let mut connection = self.connection();
        let mut pieces = self.pieces();
        let mut write = || {
            let transaction = connection.transaction()?;
            for (question, answer) in answers {
                insert(&transaction, &mut pieces, question, answer)?;
            }
            if tokens > 0 {
                let add = "UPDATE spending SET tokens = tokens + ?1";
                transaction.execute(add, [tokens as i64])?;
            }
            transaction.commit()
        };
        let written = write();
        if written.is_err() {
            // Pieces of these answers are not there.
            pieces.forget();
        }
        written.map_err(|error| self.failed(&error))
    }
}

fn insert(
    connection: &Connection,
    pieces: &mut Pieces,
    question: &Question,
    answer: &Answer,
) -> rusqlite::Result<()> {
    let since = answer.received.duration_since(UNIX_EPOCH);
    let received = since.unwrap_or_default().as_millis() as i64;
    // The same question goes to both arms; what is said about it may never be said again.
    let request = pieces.cut(connection, question.request, Cutting::Always)?;
    let body = pieces.cut(connection, &answer.body, Cutting::Again)?;
    let cut = i64::from(request.is_some()) * REQUEST_CUT + i64::from(body.is_some()) * ANSWER_CUT;
    let (request, request_packed) = pack(request.as_deref().unwrap_or(question.request));
    let (body, body_packed) = pack(body.as_deref().unwrap_or(&answer.body));
    let packed = i64::from(request_packed) * REQUEST + i64::from(body_packed) * ANSWER + cut;
    let headers =
        (!answer.headers.is_empty()).then(|| serde_json::json!(answer.headers).to_string());
    connection
        .prepare(
            "INSERT OR REPLACE INTO answers \
             (key, dialect, url, model, request, status, answer, received, seconds, packed, headers) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            question.key().as_slice(),
            question.dialect,
            question.url,
            question.model,
            request,
            answer.status,
            body,
            received,
            answer.seconds,
            packed,
            headers,
        ])
        .map(drop)
}
