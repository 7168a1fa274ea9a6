//! What comes before a response's body: its status, and headers that may tell something.

use reqwest::header::HeaderMap;

use crate::http::secret::Secrets;

/// Headers of one response, and bytes of a value, that are kept.
const MOST: usize = 40;
const LONGEST: usize = 4096;
/// Of transport, of this minute, or another one in every response.
const PASSING: [&str; 18] = [
    "date",
    "content-length",
    "content-encoding",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "trailer",
    "upgrade",
    "vary",
    "etag",
    "last-modified",
    "expires",
    "alt-svc",
    "nel",
    "report-to",
    "strict-transport-security",
    "traceparent",
    "tracestate",
];
/// Parts of names of headers that hold secrets, of ours or of others.
const SECRET: [&str; 6] = ["cookie", "auth", "token", "secret", "session", "key"];

/// The status and the headers of a response.
#[derive(Clone, Copy)]
pub(super) struct Head<'a> {
    pub status: u16,
    pub headers: &'a [(String, String)],
}

/// What an audit keeps of a response's headers.
pub(super) fn kept(headers: &HeaderMap, secrets: &Secrets) -> Vec<(String, String)> {
    let named = headers.iter().filter(|(name, _)| {
        let name = name.as_str();
        !PASSING.contains(&name) && !SECRET.iter().any(|part| name.contains(part))
    });
    let texts = named.filter_map(|(name, value)| {
        let mut text = String::from_utf8_lossy(value.as_bytes()).into_owned();
        secrets.hide_text(&mut text);
        text.truncate(text.floor_char_boundary(LONGEST));
        (!text.trim().is_empty()).then(|| (name.as_str().to_owned(), text))
    });
    let mut kept: Vec<_> = texts.take(MOST).collect();
    // Servers send them in any order.
    kept.sort();
    kept
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn secrets_and_what_passes_are_not_kept() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("x-cache", "HIT"),
            ("set-cookie", "id=1"),
            ("date", "Mon, 09 Mar 2026 00:00:00 GMT"),
            ("x-auth-user", "ann"),
            ("x-empty", ""),
            ("server", "uvicorn"),
        ] {
            let value = HeaderValue::from_static(value);
            headers.insert(HeaderName::from_static(name), value);
        }
        let found = kept(&headers, &Secrets::default());
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["server", "x-cache"]);
    }
}
