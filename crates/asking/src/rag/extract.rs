//! Where things are in an answer: JSONPaths that are tried in order, and sources, whatever each
//! service calls their parts.

use std::fmt;

use attacks::signals::probes::{SharedText, SourceShown};
use serde_json::Value;
use serde_json_path::JsonPath;

use super::settings::{ExtractSettings, OneOrMore};
use crate::http::printable::printable;
use crate::{Error, ErrorKind, Result};

/// The store has the rest.
const LONGEST: usize = 65_536;
/// Nobody shows more; a hostile service might.
const MOST: usize = 1000;
/// A text without more than this, on one line, is a name.
const LONGEST_NAME: usize = 200;

/// The document before its piece: membership is a matter of documents.
const IDS: [&str; 16] = [
    "$.document_id",
    "$.doc_id",
    "$.file_id",
    "$.source.id",
    "$.node.metadata.document_id",
    "$.metadata.document_id",
    "$.metadata.source",
    "$.id",
    "$.node.id",
    "$.node.id_",
    "$.filepath",
    "$.filename",
    "$.source",
    "$.url",
    "$.document_name",
    "$.chunk_id",
];
const TITLES: [&str; 8] = [
    "$.title",
    "$.document_name",
    "$.filename",
    "$.name",
    "$.source.name",
    "$.metadata.title",
    "$.metadata.file_name",
    "$.node.metadata.file_name",
];
const TEXTS: [&str; 11] = [
    "$.content",
    "$.text",
    "$.chunk",
    "$.page_content",
    "$.chunk_text",
    "$.document",
    "$.snippet",
    "$.passage",
    "$.quote",
    "$.content[*].text",
    "$.node.text",
];

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

/// The same of a source, which mostly is one text: it is copied once.
fn shared_text(values: &[&Value]) -> Option<SharedText> {
    match values {
        [Value::String(text)] => Some(cut(text).into()),
        _ => text(values, "\n").map(|text| cut(&text).into()),
    }
}

pub(super) struct SourcePaths {
    id: Paths,
    title: Paths,
    text: Paths,
}

impl SourcePaths {
    pub fn new(table: &str, settings: &ExtractSettings) -> Result<Self> {
        let paths = |key: &str, given: &Option<OneOrMore>, usual: &[&str]| {
            let usual = usual.iter().map(|path| (*path).to_owned()).collect();
            let usual = OneOrMore::More(usual);
            let key = format!("{table}.extract.{key}");
            Paths::parse(&key, Some(given.as_ref().unwrap_or(&usual)))
        };
        Ok(Self {
            id: paths("source_id", &settings.source_id, &IDS)?,
            title: paths("source_title", &settings.source_title, &TITLES)?,
            text: paths("source_text", &settings.source_text, &TEXTS)?,
        })
    }

    /// Adds the sources in what a path matched: a source, a list of them, or a map by name.
    pub fn gather(&self, values: &[&Value], into: &mut Vec<SourceShown>) {
        for value in values {
            match value {
                Value::Array(list) => list.iter().for_each(|value| self.add(value, None, into)),
                value => self.add(value, None, into),
            }
        }
    }

    fn add(&self, value: &Value, name: Option<&str>, into: &mut Vec<SourceShown>) {
        if into.len() >= MOST {
            return;
        }
        let source = match value {
            Value::String(text) => Some(named_or_quoted(text)),
            Value::Number(number) => Some(named_or_quoted(&number.to_string())),
            Value::Object(_) => self.source_in(value, name),
            _ => None,
        };
        match (source, value) {
            (Some(source), _) if !into.contains(&source) => into.push(source),
            (None, Value::Object(map)) if name.is_none() => {
                for (key, value) in map {
                    self.add(value, Some(key), into);
                }
            }
            _ => {}
        }
    }

    fn source_in(&self, value: &Value, name: Option<&str>) -> Option<SourceShown> {
        let find = |paths: &Paths| -> Option<SharedText> {
            let found = paths.first(value, shared_text);
            found.map(|(_, text)| text).filter(|text| !text.is_empty())
        };
        let source = SourceShown {
            id: find(&self.id),
            title: find(&self.title),
            text: find(&self.text),
        };
        let empty = source == SourceShown::default();
        (!empty).then(|| SourceShown {
            id: source.id.or(name.map(Into::into)),
            ..source
        })
    }
}

fn named_or_quoted(text: &str) -> SourceShown {
    let name = text.chars().count() <= LONGEST_NAME && !text.contains('\n');
    SourceShown {
        id: name.then(|| text.into()),
        text: (!name).then(|| cut(text).into()),
        title: None,
    }
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

    fn gather(value: Value) -> Vec<SourceShown> {
        let mut into = Vec::new();
        let paths = SourcePaths::new("target", &ExtractSettings::default()).unwrap();
        paths.gather(&[&value], &mut into);
        into
    }

    fn shown(id: Option<&str>, title: Option<&str>, text: Option<&str>) -> SourceShown {
        SourceShown {
            id: id.map(Into::into),
            title: title.map(Into::into),
            text: text.map(Into::into),
        }
    }

    #[test]
    fn platforms_names_are_known() {
        let azure = json!([{"content": "c", "title": "t", "filepath": "a.pdf", "chunk_id": "0"}]);
        assert_eq!(gather(azure), [shown(Some("a.pdf"), Some("t"), Some("c"))]);
        let webui = json!([{"source": {"id": "f1", "name": "n.md"}, "document": ["x", "y"],
            "metadata": [{"source": "n.md"}], "distances": [0.2, 0.3]}]);
        assert_eq!(
            gather(webui),
            [shown(Some("f1"), Some("n.md"), Some("x\ny"))]
        );
        let chain = json!([{"page_content": "p", "metadata": {"source": "docs/a.md"}}]);
        assert_eq!(gather(chain), [shown(Some("docs/a.md"), None, Some("p"))]);
    }

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

    #[test]
    fn lists_maps_texts_and_repetitions_are_borne() {
        let by_name = json!({"c1": {"content": "x"}, "c2": {"content": "y", "document_id": 7}});
        assert_eq!(
            gather(by_name),
            [
                shown(Some("c1"), None, Some("x")),
                shown(Some("7"), None, Some("y"))
            ]
        );
        let texts = json!(["a.md", "a.md", "long\ntext", 5, null, [1], {"odd": true}]);
        assert_eq!(
            gather(texts),
            [
                shown(Some("a.md"), None, None),
                shown(None, None, Some("long\ntext")),
                shown(Some("5"), None, None)
            ]
        );
        assert_eq!(gather(json!({})), []);
        let many: Vec<u32> = (0..5000).collect();
        assert_eq!(gather(json!(many)).len(), MOST);
    }
}
