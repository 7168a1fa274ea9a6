//! What must not be seen is hidden, and what must not be misread is escaped.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::template::{Fill, Template};
use crate::http::Secret;

/// What need not be escaped in any part of an url.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// Names of headers and parameters whose values are nobody's business.
pub(super) fn is_sensitive(name: &str) -> bool {
    let name = name.to_lowercase();
    let words = [
        "auth",
        "key",
        "token",
        "secret",
        "cookie",
        "passw",
        "credential",
        "signature",
    ];
    name == "sig" || words.iter().any(|word| name.contains(word))
}

/// Shown in place of a value that may be a key: the variable's name, where it is one.
pub(super) fn hidden(text: &Template, fill: &Fill) -> String {
    let text = (text.has_variable(), text.render(fill, str::to_owned));
    match text {
        (true, shown) => shown,
        (false, written) => stars(&written),
    }
}

/// Stars, and so much of a digest that another key makes another question: far too little to find
/// the key by.
fn stars(secret: &str) -> String {
    let digest = Sha256::digest(secret.as_bytes());
    format!("***{}", crate::files::hexadecimal(&digest[..4]))
}

pub(super) fn hide_pairs(query: &str) -> String {
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, value)) if is_sensitive(name) && !value.starts_with("${") => {
            format!("{name}={}", stars(value))
        }
        _ => pair.to_owned(),
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// The ways in which a secret may come back.
pub(super) fn spellings(secret: &Secret) -> [Secret; 3] {
    let text = secret.reveal();
    let once = escape_json(text);
    // A service that repeats a request as a text escapes what is escaped already.
    [escape_url(text), escape_json(&once), once].map(Secret::new)
}

pub(super) fn escape_url(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// As it stands between the quotes of a JSON text.
pub(super) fn escape_json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
