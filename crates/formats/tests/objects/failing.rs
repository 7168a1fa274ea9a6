//! What may go wrong between a store and its reader, in words with a remedy and without a secret.

use std::path::Path;

use formats::parts::Parts;

use super::proxy::Weather;
use super::server::{SECRET, Store};
use super::table::table;

const OBJECT: &str = "s3://box/whole.parquet";

/// Enough for the footer, and less than a range of the long column.
const HALF_A_MEGABYTE: usize = 1 << 19;

/// What S3 says of a session that is over.
const EXPIRED: &str = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/xml\r\nConnection: close\r\n\r\n\
    <?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>ExpiredToken</Code><Message>The provided token has \
    expired.</Message><RequestId>4442587FB7D0A2F9</RequestId></Error>";

/// All columns of all rows: how many rows came, or the failure.
fn read_all(parts: Parts) -> Result<usize, String> {
    let mut rows = 0;
    for batch in parts.read(|_| true, 1000) {
        rows += batch.map_err(|error| error.to_string())?.columns.num_rows();
    }
    Ok(rows)
}

fn opened() -> Parts {
    Parts::open(Path::new(OBJECT)).unwrap()
}

fn told(error: &str, words: &[&str]) {
    for word in words {
        assert!(error.contains(word), "{word:?} is not in {error:?}");
    }
    assert!(error.contains(OBJECT) && error.contains("hint"), "{error}");
    assert!(!error.contains(SECRET), "{error}");
}

pub fn a_broken_connection_is_tried_again(store: &Store) {
    store.put("/box/whole.parquet", &table(0..3000));
    let parts = opened();
    store.proxy.set(Weather::Breaking {
        connections: 2,
        after: HALF_A_MEGABYTE,
    });
    assert_eq!(read_all(parts), Ok(3000));
}

pub fn a_store_that_keeps_breaking_is_told(store: &Store) {
    store.put("/box/whole.parquet", &table(0..3000));
    let parts = opened();
    store.proxy.set(Weather::Breaking {
        connections: usize::MAX,
        after: HALF_A_MEGABYTE,
    });
    let error = read_all(parts).unwrap_err();
    told(
        &error,
        &["a range of the object cannot be read", "run again"],
    );
    store.proxy.set(Weather::Away);
    let error = Parts::open(Path::new(OBJECT)).err().unwrap().to_string();
    told(&error, &["cannot be looked up", "AWS_ENDPOINT_URL"]);
}

pub fn who_is_no_longer_let_in_is_told(store: &Store) {
    store.put("/box/whole.parquet", &table(0..3000));
    let parts = opened();
    store.let_nobody_in();
    let error = read_all(parts).unwrap_err();
    told(&error, &["403", "InvalidAccessKeyId", "AWS_ACCESS_KEY_ID"]);
    let error = Parts::open(Path::new(OBJECT)).err().unwrap().to_string();
    told(&error, &["cannot be looked up", "403", "AWS_ACCESS_KEY_ID"]);
}

pub fn an_expired_token_is_told(store: &Store) {
    store.put("/box/whole.parquet", &table(0..3000));
    let parts = opened();
    store.proxy.set(Weather::Answered(EXPIRED));
    let error = read_all(parts).unwrap_err();
    told(
        &error,
        &[
            "ExpiredToken: The provided token has expired.",
            "AWS_SESSION_TOKEN",
        ],
    );
    // Who looks an object up is answered without words.
    let error = Parts::open(Path::new(OBJECT)).err().unwrap().to_string();
    told(&error, &["400", "AWS_SESSION_TOKEN"]);
}

/// Refused, not mixed.
pub fn a_replaced_object_is_refused(store: &Store) {
    store.put("/box/whole.parquet", &table(0..3000));
    let parts = opened();
    store.put("/box/whole.parquet", &table(5..3005));
    told(
        &read_all(parts).unwrap_err(),
        &["replaced while it was read"],
    );
}

pub fn what_is_not_there_is_told(store: &Store) {
    assert!(store.proxy.taken().heads.is_empty());
    let error = formats::scores::read(Path::new("s3://box/nowhere"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("bucket box has no object \"nowhere\"") && error.contains("hint"),
        "{error}"
    );
    let error = formats::scores::read(Path::new("s3://nobody/x"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("s3://nobody/x") && !error.contains(SECRET),
        "{error}"
    );
}
