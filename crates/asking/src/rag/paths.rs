//! JSONPaths that are tried in order.

use serde_json::Value;
use serde_json_path::JsonPath;

use super::settings::OneOrMore;
use crate::http::words::printable;
use crate::{Error, ErrorKind, Result};

#[derive(Clone, Debug, Default)]
pub(super) struct Paths(Vec<Path>);

#[derive(Clone, Debug)]
pub(super) struct Path {
    pub text: String,
    path: JsonPath,
}

impl Path {
    pub fn parse(key: &str, text: &str) -> Result<Self> {
        let path = JsonPath::parse(text).map_err(|error| {
            let message = format!(
                "target.extract.{key} is no JSONPath: {:?}: {error}",
                printable(text, 120)
            );
            Error::new(ErrorKind::Setting, message)
                .hint("write it like $.choices[0].message.content or $.sources[*]")
        })?;
        Ok(Self {
            text: text.to_owned(),
            path,
        })
    }

    /// What it matches; `null` is nothing.
    pub fn all<'a>(&self, json: &'a Value) -> Vec<&'a Value> {
        let found = self.path.query(json);
        found.into_iter().filter(|value| !value.is_null()).collect()
    }
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

    /// For messages.
    pub fn words(&self) -> String {
        let texts = self.0.iter().map(|path| path.text.as_str());
        texts.collect::<Vec<_>>().join(", ")
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
