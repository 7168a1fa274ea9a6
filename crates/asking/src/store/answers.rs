//! Answers of servers, by what was asked.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::packed::{ANSWER, REQUEST, pack, unpack};
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
        let connection = self.connection();
        let read = || {
            connection
                .prepare(
                    "SELECT status, answer, received, seconds, packed FROM answers WHERE key = ?1",
                )?
                .query_row([key.as_slice()], |row| {
                    let received: i64 = row.get(2)?;
                    let answer = Answer {
                        status: row.get(0)?,
                        body: row.get(1)?,
                        received: UNIX_EPOCH + Duration::from_millis(received.max(0) as u64),
                        seconds: row.get(3)?,
                    };
                    Ok((answer, row.get::<_, i64>(4)? & ANSWER != 0))
                })
                .optional()
        };
        let found = read().map_err(|error| self.failed(&error))?;
        let unpacked = |(answer, packed): (Answer, bool)| {
            let body = unpack(answer.body, packed).map_err(|error| {
                Error::malformed(error.to_string())
                    .at(&self.file)
                    .hint("restore it from a copy together with its -wal file, or move both away and run again")
            })?;
            Ok(Answer { body, ..answer })
        };
        drop(connection);
        found.map(unpacked).transpose()
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
        let connection = self.connection();
        insert(&connection, question, answer).map_err(|error| self.failed(&error))
    }

    /// Stores all of them or none, and adds to the tokens that were spent. They are on the disk
    /// when this returns: one wait for many.
    pub fn put_answers(&self, answers: &[(Question, &Answer)], tokens: u64) -> Result<()> {
        let mut connection = self.connection();
        let mut write = || {
            let transaction = connection.transaction()?;
            for (question, answer) in answers {
                insert(&transaction, question, answer)?;
            }
            if tokens > 0 {
                let add = "UPDATE spending SET tokens = tokens + ?1";
                transaction.execute(add, [tokens as i64])?;
            }
            transaction.commit()
        };
        write().map_err(|error| self.failed(&error))
    }
}

fn insert(connection: &Connection, question: &Question, answer: &Answer) -> rusqlite::Result<()> {
    let since = answer.received.duration_since(UNIX_EPOCH);
    let received = since.unwrap_or_default().as_millis() as i64;
    let (request, request_packed) = pack(question.request);
    let (body, body_packed) = pack(&answer.body);
    let packed = i64::from(request_packed) * REQUEST + i64::from(body_packed) * ANSWER;
    connection
        .prepare(
            "INSERT OR REPLACE INTO answers \
             (key, dialect, url, model, request, status, answer, received, seconds, packed) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
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
        ])
        .map(drop)
}
