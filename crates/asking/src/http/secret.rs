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

    pub fn hide_text(&self, text: &mut String) {
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
    fn hides_every_occurrence() {
        let secrets = Secrets::new([Secret::new("sk-123456"), Secret::new("a")].into_iter());
        let hidden = secrets.hide(b"a sk-123456sk-123456 b".to_vec());
        assert_eq!(hidden, b"a ****** b");
    }
}
