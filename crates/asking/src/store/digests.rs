//! Stores of versions 1 and 2 hold eight digits of a digest behind the stars that stand for a key written
//! into a configuration. They go, and what was asked is known by its new name, so that no answer is paid
//! for twice.

use rusqlite::{Connection, params};

use super::answers::Question;

const STARS: &[u8] = b"***";
const DIGITS: usize = 8;

/// One answer's name, and what it is made of.
struct Asked {
    key: Vec<u8>,
    dialect: String,
    url: String,
    model: Option<String>,
    request: Vec<u8>,
}

pub(super) fn forget_digests(connection: &Connection) -> rusqlite::Result<()> {
    let mut update = connection
        .prepare("UPDATE OR REPLACE answers SET key = ?2, url = ?3, request = ?4 WHERE key = ?1")?;
    for asked in with_stars(connection)? {
        let url = String::from_utf8_lossy(&plain(asked.url.as_bytes())).into_owned();
        let request = plain(&asked.request);
        let renamed = Question {
            dialect: &asked.dialect,
            url: &url,
            model: asked.model.as_deref(),
            request: &request,
        };
        let key = renamed.key();
        update.execute(params![asked.key, key.as_slice(), url, request])?;
    }
    Ok(())
}

fn with_stars(connection: &Connection) -> rusqlite::Result<Vec<Asked>> {
    let mut found = connection.prepare(
        "SELECT key, dialect, url, model, request FROM answers
         WHERE instr(request, CAST('***' AS BLOB)) > 0 OR instr(url, '***') > 0",
    )?;
    let asked = found.query_map([], |row| {
        Ok(Asked {
            key: row.get(0)?,
            dialect: row.get(1)?,
            url: row.get(2)?,
            model: row.get(3)?,
            request: row.get(4)?,
        })
    })?;
    asked.collect()
}

/// Without the digits behind stars, where they end a value of a header or of an url.
fn plain(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        if let Some(behind) = rest.strip_prefix(STARS).and_then(behind_digits) {
            kept.extend_from_slice(STARS);
            rest = behind;
        } else {
            kept.push(first);
            rest = after;
        }
    }
    kept
}

fn behind_digits(bytes: &[u8]) -> Option<&[u8]> {
    let (digits, behind) = bytes.split_at_checked(DIGITS)?;
    let digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let ends = matches!(behind.first(), None | Some(b'"' | b'&'));
    (digits.iter().all(digit) && ends).then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_behind_stars_go_and_all_else_stays() {
        let before =
            r#"{"key":"***0123abcd","headers":{"x-token":"***deadbeef"},"body":"***deadbeefs"}"#;
        let after = r#"{"key":"***","headers":{"x-token":"***"},"body":"***deadbeefs"}"#;
        assert_eq!(plain(before.as_bytes()), after.as_bytes());
        assert_eq!(
            plain(b"http://h/?key=***0123abcd&q=1"),
            b"http://h/?key=***&q=1"
        );
        assert_eq!(
            plain(b"http://h/?q=1&key=***0123abcd"),
            b"http://h/?q=1&key=***"
        );
    }
}
