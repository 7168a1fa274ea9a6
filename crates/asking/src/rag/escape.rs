//! What must not be seen is hidden, and what must not be misread is escaped.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::template::{Fill, Template};
use crate::http::Secret;
use crate::http::secret::STARS;

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

/// Shown and stored in place of a value that may be a key: the variable's name, where it is one. Another
/// key makes no other question, wherever it is written.
pub(super) fn hidden(text: &Template, fill: &Fill) -> String {
    let text = (text.has_variable(), text.render(fill, str::to_owned));
    match text {
        (true, shown) => shown,
        (false, _) => STARS.to_owned(),
    }
}

pub(super) fn hide_pairs(query: &str) -> String {
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, value)) if is_sensitive(name) && !value.starts_with("${") => {
            format!("{name}={STARS}")
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
