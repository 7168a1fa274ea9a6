//! Where things are in an answer: JSONPaths that are tried in order.

use std::fmt;

use serde_json::Value;
use serde_json_path::JsonPath;

use super::settings::OneOrMore;
use crate::http::printable::printable;
use crate::{Error, ErrorKind, Result};

/// The store has the rest.
const LONGEST: usize = 65_536;
#[derive(Clone, Debug, Default)]
pub(super) struct Paths(Vec<Path>);

#[derive(Clone, Debug)]
pub(super) struct Path {
    pub text: String,
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    /// `$.one.other`, as most are: many are tried in every source of every answer.
    Names(Vec<String>),
    Query(JsonPath),
}

impl Path {
    /// `key` is where it stands in the configuration, for messages.
    pub fn parse(key: &str, text: &str) -> Result<Self> {
        let path = JsonPath::parse(text).map_err(|error| {
            let message = format!("{key} is no JSONPath: {:?}: {error}", printable(text, 120));
            Error::new(ErrorKind::Setting, message)
                .hint("write it like $.choices[0].message.content or $.sources[*]")
        })?;
        Ok(Self {
            text: text.to_owned(),
            way: names(text).map_or(Way::Query(path), Way::Names),
        })
    }

    /// What it matches; `null` is nothing.
    pub fn all<'a>(&self, json: &'a Value) -> Vec<&'a Value> {
        let found: Vec<&Value> = match &self.way {
            Way::Names(names) => {
                let mut names = names.iter();
                let found = names.try_fold(json, |value, name| value.as_object()?.get(name));
                found.into_iter().collect()
            }
            Way::Query(path) => path.query(json).into_iter().collect(),
        };
        found.into_iter().filter(|value| !value.is_null()).collect()
    }
}

/// The names of a path that has nothing but names.
fn names(path: &str) -> Option<Vec<String>> {
    let plain = |name: &str| {
        let first = name.bytes().next();
        first.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
            && (name.bytes()).all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let names = path.strip_prefix("$.")?.split('.');
    names
        .map(|name| plain(name).then(|| name.to_owned()))
        .collect()
}

impl Paths {
    pub fn parse(key: &str, texts: Option<&OneOrMore>) -> Result<Self> {
        let texts = texts.map_or(&[][..], OneOrMore::list);
        let paths = texts.iter().map(|text| Path::parse(key, text));
        paths.collect::<Result<_>>().map(Self)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Path> {
        self.0.iter()
    }

    /// The first path that gives something `useful`, and what it gives.
    pub fn first<'a, T>(
        &'a self,
        json: &Value,
        useful: impl Fn(&[&Value]) -> Option<T>,
    ) -> Option<(&'a Path, T)> {
        self.0.iter().find_map(|path| {
            let found = path.all(json);
            match found.is_empty() {
                true => None,
                false => Some((path, useful(&found)?)),
            }
        })
    }
}

impl fmt::Display for Paths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<&str> = self.0.iter().map(|path| path.text.as_str()).collect();
        f.write_str(&texts.join(", "))
    }
}

/// All texts among the values, put together; nothing where there is none. Numbers and truths are
/// texts too; objects are not.
pub(super) fn text(values: &[&Value], between: &str) -> Option<String> {
    let mut texts = Vec::new();
    for value in values {
        match value {
            Value::String(text) => texts.push(text.clone()),
            Value::Number(_) | Value::Bool(_) => texts.push(value.to_string()),
            Value::Array(list) if !list.is_empty() => {
                let inner: Vec<&Value> = list.iter().collect();
                if !inner.iter().any(|value| value.is_array()) {
                    texts.extend(self::text(&inner, between));
                }
            }
            _ => {}
        }
    }
    (!texts.is_empty()).then(|| texts.join(between))
}

/// The beginning of a text that is too long to be kept whole.
pub(super) fn cut(text: &str) -> &str {
    if text.len() <= LONGEST {
        return text;
    }
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_names_find_what_a_query_finds() {
        let json = json!({"a": {"b": {"c": 1}, "n": null}, "l": [{"b": 2}], "A": {"b": false}});
        for text in [
            "$.a", "$.a.b", "$.a.b.c", "$.a.n", "$.a.x", "$.l.b", "$.l", "$.A.b", "$.b",
        ] {
            let path = Path::parse("key", text).unwrap();
            assert!(matches!(path.way, Way::Names(_)), "{text}");
            let query = JsonPath::parse(text).unwrap().query(&json);
            let queried: Vec<&Value> = query.into_iter().filter(|v| !v.is_null()).collect();
            assert_eq!(path.all(&json), queried, "{text}");
        }
        for other in ["$", "$.l[0].b", "$..b", "$['a']", "$.a[*]", "$.*"] {
            assert!(
                matches!(Path::parse("key", other).unwrap().way, Way::Query(_)),
                "{other}"
            );
        }
    }
}
