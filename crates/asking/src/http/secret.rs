//! What must never be shown or stored.

use std::fmt;

use memchr::memmem;

/// Stands for a secret, whatever it is and however long.
pub(crate) const STARS: &str = "***";

/// A key, a password, a header's value. Neither `{}` nor `{:?}` shows it.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(STARS)
    }
}

/// Names of headers and parameters whose values are nobody's business.
pub(crate) fn is_sensitive(name: &str) -> bool {
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

/// The query of an url without what may be a key. Names of variables may stay.
pub(crate) fn hide_pairs(query: &str) -> String {
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, value)) if is_sensitive(name) && !value.starts_with("${") => {
            format!("{name}={STARS}")
        }
        _ => pair.to_owned(),
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// What keys and passwords stand behind.
const NAMES: [&str; 9] = [
    "bearer", "basic", "api-key", "api_key", "apikey", "token", "password", "passwd", "secret",
];
/// A run of letters and digits as long as this may be a key.
const KEY_LENGTH: usize = 16;

/// Words of others, such as those of an exception, with stars in place of whatever may be a secret:
/// users of addresses, what stands behind a [name](NAMES), and long runs of letters and digits. Nobody
/// told us what to look for, so that it is too much at times.
pub(crate) fn masked(text: &str) -> String {
    without_runs(&without_named(&without_users(text)))
}

fn without_users(text: &str) -> String {
    let mut parts = text.split("://");
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        masked.push_str("://");
        let ends = |letter: char| letter.is_whitespace() || "/?#\"'<>".contains(letter);
        let host = &part[..part.find(ends).unwrap_or(part.len())];
        let user = host.rfind('@').unwrap_or_default();
        if user > 0 {
            masked.push_str(STARS);
        }
        masked.push_str(&part[user..]);
    }
    masked
}

fn without_named(text: &str) -> String {
    let (mut masked, mut rest) = (String::new(), text);
    while let Some(end) = name_end(rest) {
        let (before, after) = rest.split_at(end);
        let value = after.trim_start_matches(['=', ':', ' ', '"', '\'']);
        let between = &after[..after.len() - value.len()];
        masked.push_str(before);
        masked.push_str(between);
        rest = value;
        if between.contains(['=', ':', ' ']) && !value.is_empty() && !starts_with_scheme(value) {
            let ends = |letter: char| letter.is_whitespace() || "\"'`,;&<>)]}”".contains(letter);
            masked.push_str(STARS);
            rest = &value[value.find(ends).unwrap_or(value.len())..];
        }
    }
    masked + rest
}

/// Behind the first name.
fn name_end(text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let ends = NAMES.iter();
    ends.filter_map(|name| Some(lower.find(name)? + name.len()))
        .min()
}

/// Whether the secret comes only after the next name, as in `token: Bearer …`.
fn starts_with_scheme(value: &str) -> bool {
    let starts = |scheme: &str| {
        let start = value.get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    starts("bearer ") || starts("basic ")
}

fn without_runs(text: &str) -> String {
    let inside = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let (mut masked, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(inside) {
        let (before, run) = rest.split_at(start);
        let end = run.find(|letter| !inside(letter)).unwrap_or(run.len());
        let (run, after) = run.split_at(end);
        masked.push_str(before);
        masked.push_str(if is_key(run) { STARS } else { run });
        rest = after;
    }
    masked + rest
}

fn is_key(run: &str) -> bool {
    let has = |wanted: fn(&u8) -> bool| run.as_bytes().iter().any(wanted);
    run.len() >= KEY_LENGTH && has(u8::is_ascii_alphabetic) && has(u8::is_ascii_digit)
}

/// Finds secrets in what servers send back, for some repeat the key in their answers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets(Vec<Secret>);

impl Secrets {
    pub fn new(secrets: impl Iterator<Item = Secret>) -> Self {
        // Shorter ones would turn up in any text.
        Self(secrets.filter(|secret| secret.0.len() >= 6).collect())
    }

    /// The bytes with stars in place of every secret: not even its length is told.
    pub fn hide(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        for secret in &self.0 {
            let needle = secret.0.as_bytes();
            let mut from = 0;
            while let Some(found) = memmem::find(&bytes[from..], needle) {
                let start = from + found;
                bytes.splice(start..start + needle.len(), STARS.bytes());
                from = start + STARS.len();
            }
        }
        bytes
    }

    /// Whether there is anything to hide: mostly there is not, and nothing need be copied.
    pub fn are_in(&self, text: &str) -> bool {
        let mut secrets = self.0.iter();
        secrets.any(|secret| memmem::find(text.as_bytes(), secret.0.as_bytes()).is_some())
    }

    pub fn hide_text(&self, text: &mut String) {
        if !self.are_in(text) {
            return;
        }
        let hidden = self.hide(std::mem::take(text).into_bytes());
        *text = String::from_utf8_lossy(&hidden).into_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_nothing() {
        let secret = Secret::new("sk-123456");
        assert_eq!(format!("{secret} {secret:?}"), "*** Secret(***)");
    }

    #[test]
    fn masks_what_may_be_a_secret_in_the_words_of_others() {
        for (told, shown) in [
            (
                "401 for key sk-live-abc123DEF456 at https://user:pw@host/x?a=b@c",
                "401 for key *** at https://***@host/x?a=b@c",
            ),
            (
                "Authorization: Bearer abc.def, sent",
                "Authorization: Bearer ***, sent",
            ),
            ("token: Bearer abc", "token: Bearer ***"),
            ("Basic dXNlcg== was refused", "Basic *** was refused"),
            ("api_key=x&q=1 API-Key: y", "api_key=***&q=1 API-Key: ***"),
            (
                "{'password': 'hunter2', 'n': 1}",
                "{'password': '***', 'n': 1}",
            ),
            ("4096 tokens at most", "4096 tokens at most"),
            (
                "a-long-name-without-any-digit 1234567890123456",
                "a-long-name-without-any-digit 1234567890123456",
            ),
            (
                "größe über 16: schlüssel@ende",
                "größe über 16: schlüssel@ende",
            ),
            ("the end is password", "the end is password"),
            ("postgres://me@db", "postgres://***@db"),
            ("", ""),
        ] {
            assert_eq!(masked(told), shown);
        }
    }

    #[test]
    fn hides_every_occurrence() {
        let secrets = Secrets::new([Secret::new("sk-123456"), Secret::new("a")].into_iter());
        let hidden = secrets.hide(b"a sk-123456sk-123456 b".to_vec());
        assert_eq!(hidden, b"a ****** b");
    }
}
