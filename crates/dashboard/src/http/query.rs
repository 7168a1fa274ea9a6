//! What stands behind the question mark.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Letters, digits and these stay as they are in a link.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Names and values, decoded.
#[derive(Clone, Debug, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    pub fn parse(text: Option<&str>) -> Self {
        let text = text.unwrap_or_default().as_bytes();
        let pairs = form_urlencoded::parse(text).map(|(name, value)| (owned(name), owned(value)));
        Self(pairs.collect())
    }

    /// The first of that name that says something.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut pairs = self.0.iter();
        let found = pairs.find(|(key, value)| key == name && !value.trim().is_empty());
        found.map(|(_, value)| value.trim())
    }

    /// Everything of that name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let pairs = self.0.iter().filter(move |(key, _)| key == name);
        pairs.map(|(_, value)| value.trim())
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    pub fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }

    /// The same question with other values; an empty value leaves its name out.
    pub fn with(&self, changes: &[(&str, &str)]) -> String {
        let kept = self
            .0
            .iter()
            .filter(|(name, _)| changes.iter().all(|(changed, _)| changed != name))
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let pairs = kept
            .chain(changes.iter().copied())
            .filter(|(_, value)| !value.is_empty());
        let pairs: Vec<String> = pairs
            .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
            .collect();
        format!("?{}", pairs.join("&"))
    }
}

fn owned(text: Cow<str>) -> String {
    text.into_owned()
}

/// As one part of a link.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, KEPT).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read_and_changed() {
        let query = Query::parse(Some("page=2&search=a%20%26+b&empty="));
        assert_eq!(query.get("search"), Some("a & b"));
        assert_eq!((query.number("page"), query.get("empty")), (Some(2), None));
        assert_eq!(query.with(&[("page", "3")]), "?search=a%20%26%20b&page=3");
        assert_eq!(query.with(&[("search", "")]), "?page=2");
    }
}
