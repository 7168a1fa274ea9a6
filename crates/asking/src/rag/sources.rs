//! Sources that are shown with an answer, whatever each service calls their parts and puts them into.

use attacks::signals::probes::{SharedText, SourceShown};
use serde_json::{Map, Number, Value};

use super::extract::{Path, Paths, cut, text};
use super::settings::{ExtractSettings, OneOrMore};
use crate::Result;

/// Nobody shows more; a hostile service might.
const MOST: usize = 1000;
/// A text without more than this, on one line, is a name.
const LONGEST_NAME: usize = 200;
/// A name of so many words may be a passage as well: it counts as both.
const WORDS_OF_A_PASSAGE: usize = 8;

/// What pipelines call the part of an answer that holds its sources.
pub const SOURCE_FIELDS: [&str; 32] = [
    "sources",
    "citations",
    "references",
    "source_documents",
    "source_nodes",
    "source",
    "citation",
    "reference",
    "documents",
    "docs",
    "document",
    "doc",
    "context",
    "contexts",
    "chunks",
    "passages",
    "passage",
    "nodes",
    "evidence",
    "snippets",
    "excerpts",
    "quotes",
    "hits",
    "matches",
    "results",
    "search_results",
    "retrieved_documents",
    "retrieved_docs",
    "retrieved_contexts",
    "retriever_resources",
    "files",
    "footnotes",
];
/// What stands beside a source and says nothing of which one it is.
const ASIDES: [&str; 26] = [
    "score",
    "scores",
    "similarity",
    "relevance",
    "relevance_score",
    "distance",
    "distances",
    "rank",
    "index",
    "chunk_index",
    "position",
    "start",
    "end",
    "offset",
    "length",
    "page",
    "page_number",
    "count",
    "total",
    "type",
    "kind",
    "object",
    "role",
    "language",
    "model",
    "status",
];

/// The document before its piece: membership is a matter of documents.
const IDS: [&str; 32] = [
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
    "$.file_path",
    "$.file_name",
    "$.metadata.id",
    "$.metadata.doc_id",
    "$.metadata.file_path",
    "$.metadata.file_name",
    "$.metadata.url",
    "$.meta.source",
    "$.meta.file_path",
    "$._id",
    "$.uri",
    "$.path",
    "$.document",
    "$.doc",
    "$.file",
    "$.reference",
    "$.chunk_id",
];
const TITLES: [&str; 15] = [
    "$.title",
    "$.document_name",
    "$.filename",
    "$.name",
    "$.source.name",
    "$.metadata.title",
    "$.metadata.file_name",
    "$.node.metadata.file_name",
    "$.file_name",
    "$.file_path",
    "$.metadata.file_path",
    "$.meta.title",
    "$.meta.file_name",
    "$.meta.file_path",
    "$.meta.source",
];
const TEXTS: [&str; 14] = [
    "$.content",
    "$.text",
    "$.chunk",
    "$.page_content",
    "$.chunk_text",
    "$.snippet",
    "$.passage",
    "$.quote",
    "$.content[*].text",
    "$.node.text",
    "$.excerpt",
    "$.context",
    "$.body",
    "$.document",
];

/// All of these fields as one path (RFC 9535): what lies under several is read together.
pub(super) fn usual_path() -> String {
    let names = SOURCE_FIELDS.map(|name| format!("'{name}'"));
    format!("$[{}]", names.join(","))
}

pub(super) struct SourcePaths {
    id: Paths,
    title: Paths,
    text: Paths,
}

/// Where the sources of an answer were.
pub(super) enum Gathered<'a> {
    Nowhere,
    /// Something lies there, in which no source can be read.
    Unread(&'a Path),
    At(&'a Path),
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

    /// Adds what the first path finds in which sources can be read.
    pub fn gather_first<'a>(
        &self,
        paths: &'a Paths,
        json: &Value,
        into: &mut Vec<SourceShown>,
    ) -> Gathered<'a> {
        let mut gathered = Gathered::Nowhere;
        for path in paths.iter() {
            let values = path.all(json);
            if self.gather(&values, into) {
                return Gathered::At(path);
            }
            if !values.iter().all(|value| names_nothing(value)) {
                gathered = Gathered::Unread(path);
            }
        }
        gathered
    }

    /// Adds the sources in what a path matched: a source, a list of them, a map by name, or these in one
    /// another. Says whether there was any.
    pub fn gather(&self, values: &[&Value], into: &mut Vec<SourceShown>) -> bool {
        any(values.iter().map(|value| self.add(value, None, into)))
    }

    fn add(&self, value: &Value, name: Option<&str>, into: &mut Vec<SourceShown>) -> bool {
        match value {
            Value::Array(list) => self.add_list(list, name, false, into),
            Value::Object(map) => self.add_object(value, map, name, into),
            Value::String(text) if name.is_none() => add_text(text, into),
            value => keep(scalar(value, name), into),
        }
    }

    /// `within` another list, as a source with its score is: there, numbers beside a text are scores.
    fn add_list(
        &self,
        list: &[Value],
        name: Option<&str>,
        within: bool,
        into: &mut Vec<SourceShown>,
    ) -> bool {
        let scored = list.iter().any(|value| match value {
            Value::Object(_) | Value::Array(_) => true,
            Value::String(_) => within,
            _ => false,
        });
        any(list.iter().map(|value| match value {
            _ if into.len() >= MOST => true,
            Value::Array(inner) => self.add_list(inner, name, true, into),
            Value::Object(map) => self.add_object(value, map, name, into),
            Value::Number(_) if scored => false,
            value => keep(scalar(value, name), into),
        }))
    }

    fn add_object(
        &self,
        value: &Value,
        map: &Map<String, Value>,
        name: Option<&str>,
        into: &mut Vec<SourceShown>,
    ) -> bool {
        let mut source = self.parts(value);
        if source == SourceShown::default() {
            return self.add_by_name(map, into);
        }
        let named = source.clone();
        if source.text.is_none() {
            self.fill(&mut source, map);
        }
        source.id = source.id.or(name.map(Into::into));
        keep(Some(source), into);
        // A list of sources may have an id itself, such as the question's.
        if named.text.is_none() {
            for (_, inner) in map.iter().filter(|(key, inner)| {
                is_field(key) && (inner.is_array() || self.is_no_source(inner))
            }) {
                self.add(inner, None, into);
            }
        }
        true
    }

    fn is_no_source(&self, value: &Value) -> bool {
        value.is_object() && self.parts(value) == SourceShown::default()
    }

    /// What databases put into a box beside the id: a payload, fields, a document.
    fn fill(&self, source: &mut SourceShown, map: &Map<String, Value>) {
        for inner in map.values().filter(|inner| inner.is_object()) {
            let inner = self.parts(inner);
            // It may be known by either name.
            let other = inner.id.clone().filter(|_| source.id.is_some());
            source.id = source.id.take().or(inner.id);
            source.title = source.title.take().or(inner.title).or(other);
            source.text = source.text.take().or(inner.text);
        }
    }

    fn add_by_name(&self, map: &Map<String, Value>, into: &mut Vec<SourceShown>) -> bool {
        let told = || map.iter().filter(|(key, _)| !is_aside(key));
        let found = any(told().map(|(key, value)| match value {
            value if is_field(key) => self.add(value, None, into),
            Value::Object(_) | Value::Array(_) => self.add(value, Some(key), into),
            _ => false,
        }));
        let found = found
            || any(told().map(|(key, value)| match value {
                Value::String(_) => keep(scalar(value, Some(key)), into),
                _ => false,
            }));
        if found || told().count() < map.len() || told().any(|(key, _)| is_field(key)) {
            return found;
        }
        // Names with their scores, as nothing else is here.
        any(told().map(|(key, value)| match value {
            Value::Null | Value::Bool(_) => false,
            value if !value.is_number() && names_nothing(value) => false,
            _ => keep(Some(named_or_quoted(key)), into),
        }))
    }

    /// What the names that are known lead to.
    fn parts(&self, value: &Value) -> SourceShown {
        let find = |paths: &Paths| -> Option<SharedText> {
            let useful = |values: &[&Value]| shared_text(values).filter(|text| !is_blank(text));
            paths.first(value, useful).map(|(_, text)| text)
        };
        SourceShown {
            // Some call a text what others call an id.
            id: find(&self.id).filter(|id| is_short(id)),
            title: find(&self.title),
            text: find(&self.text),
        }
    }
}

/// Whether this is a way to say that there are no sources.
pub(super) fn names_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_u64() == Some(0),
        Value::String(text) => is_blank(text),
        Value::Array(list) => list.iter().all(|value| match value {
            Value::Object(map) => map.values().all(names_nothing),
            value => names_nothing(value),
        }),
        // An empty list may stand beside how long it took to fill it.
        Value::Object(map) => {
            let mut inner = map
                .values()
                .filter(|value| value.is_array() || value.is_object());
            match inner.clone().next() {
                Some(_) => inner.all(names_nothing),
                None => map.values().all(names_nothing),
            }
        }
    }
}

/// What to do about sources that are there and cannot be read. `table` is the target's.
/// `what` is what they are, such as citations.
pub(super) fn unread_hint(table: &str, what: &str) -> String {
    format!(
        "give each source an id, a title or a text, or say under [{table}.extract] where in a source these \
         are: source_id, source_title, source_text; {what} = [] where they are no sources"
    )
}

/// All of them are looked at.
fn any(found: impl Iterator<Item = bool>) -> bool {
    found.filter(|found| *found).count() > 0
}

fn keep(source: Option<SourceShown>, into: &mut Vec<SourceShown>) -> bool {
    let Some(source) = source else {
        return false;
    };
    if into.len() < MOST && !into.contains(&source) {
        into.push(source);
    }
    true
}

/// A text by itself. It may be several names, as `a.txt, b.txt`, or several passages with blank lines
/// between them.
fn add_text(text: &str, into: &mut Vec<SourceShown>) -> bool {
    if is_blank(text) {
        return false;
    }
    keep(Some(named_or_quoted(text)), into);
    let between: &[&str] = match is_short(text) {
        true => &[",", "\n"],
        false => &["\n\n"],
    };
    let parts = between.iter().fold(vec![text], |parts, between| {
        parts
            .into_iter()
            .flat_map(|part| part.split(between))
            .collect()
    });
    let parts = parts.iter().map(|part| part.trim());
    for part in parts.filter(|part| !part.is_empty() && *part != text) {
        keep(Some(named_or_quoted(part)), into);
    }
    true
}

/// A text or the number of a document; under a name, what it is called there.
fn scalar(value: &Value, name: Option<&str>) -> Option<SourceShown> {
    let shown = match value {
        Value::String(text) if !is_blank(text) => named_or_quoted(text),
        Value::Number(number) if is_whole(number) && name.is_none() => {
            named_or_quoted(&number.to_string())
        }
        _ => return None,
    };
    Some(match name {
        Some(name) => SourceShown {
            id: Some(name.into()),
            title: shown.id,
            text: shown.text,
        },
        None => shown,
    })
}

fn named_or_quoted(text: &str) -> SourceShown {
    let name = is_short(text) && !text.contains('\n');
    let passage = !name || text.split_whitespace().count() >= WORDS_OF_A_PASSAGE;
    SourceShown {
        id: name.then(|| text.into()),
        text: passage.then(|| cut(text).into()),
        title: None,
    }
}

/// All texts among the values; mostly a source has one: it is copied once.
fn shared_text(values: &[&Value]) -> Option<SharedText> {
    match values {
        [Value::String(text)] => Some(cut(text).into()),
        _ => text(values, "\n").map(|text| cut(&text).into()),
    }
}

/// Documents have no broken numbers: those are scores.
fn is_whole(number: &Number) -> bool {
    number.is_u64() || number.is_i64()
}

fn is_short(text: &str) -> bool {
    text.chars().count() <= LONGEST_NAME
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn is_field(name: &str) -> bool {
    SOURCE_FIELDS
        .iter()
        .any(|field| name.eq_ignore_ascii_case(field))
}

fn is_aside(name: &str) -> bool {
    ASIDES.iter().any(|aside| name.eq_ignore_ascii_case(aside))
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
    fn lists_maps_texts_and_repetitions_are_borne() {
        let by_name = json!({"c1": {"content": "x"}, "c2": {"content": "y", "document_id": 7}});
        assert_eq!(
            gather(by_name),
            [
                shown(Some("c1"), None, Some("x")),
                shown(Some("7"), None, Some("y"))
            ]
        );
        let texts = json!(["a.md", "a.md", "long\ntext", 5, null, "", false]);
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

    fn ids(value: Value) -> Vec<String> {
        let named = |source: SourceShown| source.id.map(|id| id.to_string());
        gather(value).into_iter().filter_map(named).collect()
    }

    #[test]
    fn pairs_lists_of_lists_and_boxes_are_taken_apart() {
        let one = || json!({"text": "t", "id": "a"});
        let a = [shown(Some("a"), None, Some("t"))];
        for nested in [
            json!([[one(), 0.9]]),
            json!([one(), 0.9]),
            json!([[0.9, one()]]),
            json!([[[one(), 1]]]),
            json!({"documents": [one()]}),
            json!({"documents": [[one(), 0.5]], "distances": [[0.5]], "total": 1}),
            json!({"id": "question 7", "hits": {"total": 1, "hits": [one()]}}),
            json!([{"document": one(), "score": 0.5}]),
            json!([{"node": {"text": "t", "id": "a"}, "score": 0.5}]),
        ] {
            let found = gather(nested.clone());
            assert!(found.contains(&a[0]), "{nested}: {found:?}");
        }
        assert_eq!(ids(json!([["a.md", 0.9], ["b.md", 1]])), ["a.md", "b.md"]);
        assert_eq!(ids(json!({"a.md": 0.9, "b.md": 1})), ["a.md", "b.md"]);
        assert_eq!(ids(json!([{"a.md": 0.9}, {"b.md": 0.1}])), ["a.md", "b.md"]);
        assert_eq!(ids(json!([[17, 0.9], [18, 0.5]])), ["17", "18"]);
        assert_eq!(ids(json!({"a.md": {"score": 0.9, "page": 3}})), ["a.md"]);
        assert_eq!(
            gather(json!([{"_id": "7", "payload": {"page_content": "t", "source": "a"}}])),
            [shown(Some("7"), Some("a"), Some("t"))]
        );
        assert_eq!(
            gather(json!([{"passage": "words of it", "document": "17"}])),
            [shown(Some("17"), None, Some("words of it"))]
        );
        assert_eq!(
            gather(json!({"a.md": "A title"})),
            [shown(Some("a.md"), Some("A title"), None)]
        );
        assert_eq!(
            gather(json!([{"page_content": "p", "metadata": {"file_path": "x/a.md"}}])),
            [shown(Some("x/a.md"), Some("x/a.md"), Some("p"))]
        );
    }

    #[test]
    fn a_text_alone_may_be_several_names_or_passages() {
        assert_eq!(ids(json!("a.md, b.md")), ["a.md, b.md", "a.md", "b.md"]);
        assert_eq!(ids(json!({"sources": "a.md,b.md", "docs": []})).len(), 3);
        let long = [
            "one passage of some words ".repeat(9),
            "another passage ".repeat(15),
        ];
        let texts: Vec<SourceShown> = gather(json!(long.join("\n\n")));
        let second = shown(None, None, Some(long[1].trim()));
        assert!(texts.contains(&second), "{texts:?}");
        // A short passage is one, though it might be a title.
        let line = "Ward 3 keeps 122 litres of saline in room 24.";
        assert_eq!(gather(json!([line])), [shown(Some(line), None, Some(line))]);
    }

    #[test]
    fn what_is_there_and_says_nothing_is_told_from_nothing() {
        for unread in [
            json!([{"odd": true}]),
            json!([{"score": 0.9, "page": 3}]),
            json!([[0.1, 0.2]]),
            json!([0.9]),
            json!({"documents": [{"score": 0.9}], "total": 1}),
            json!(true),
            json!(0.5),
        ] {
            assert_eq!(gather(unread.clone()), [], "{unread}");
            assert!(!names_nothing(&unread), "{unread}");
        }
        for nothing in [
            json!([]),
            json!({}),
            json!(" "),
            json!(false),
            json!([null, "", {}, [], {"text": "", "score": null}]),
            json!({"documents": [], "total": 0, "score": 0.5}),
            json!({"documents": null}),
        ] {
            assert_eq!(gather(nothing.clone()), [], "{nothing}");
            assert!(names_nothing(&nothing), "{nothing}");
        }
    }

    #[test]
    fn every_field_that_usually_holds_sources_is_read_with_the_others() {
        let path = Path::parse("usual", &usual_path()).unwrap();
        let paths = Paths::parse("usual", Some(&OneOrMore::One(path.text))).unwrap();
        let reader = SourcePaths::new("target", &ExtractSettings::default()).unwrap();
        let answer =
            json!({"answer": "Yes.", "sources": ["a"], "context": [{"id": "b"}], "nodes": []});
        let mut found = Vec::new();
        let gathered = reader.gather_first(&paths, &answer, &mut found);
        assert!(matches!(gathered, Gathered::At(_)));
        assert_eq!(found.len(), 2);
    }
}
