//! What a response holds that no path of the target reads. Who asks sees it as well as the answer: a document in another
//! field is given away, and so is a member by a count of tokens.

use std::collections::{HashMap, HashSet};

use attacks::signals::probes::{Metadata, Reply, SourceShown};
use serde_json::Value;

use super::extract::cut;
use super::head::Head;

/// A text has so many words, or, where words have no blanks between them, letters.
const WORDS: usize = 4;
const LETTERS: usize = 40;
/// Of one response: places that are looked at, words that are kept, and bytes of texts.
const MOST_PLACES: usize = 256;
const MOST_WORDS: usize = 64;
const MOST_BYTES: usize = 4 * 65_536;
/// Letters of a word, and of a place, that are kept.
const LONGEST: usize = 80;
/// What is another one in every response, by the end of its name.
const PASSING: [&str; 9] = [
    "id",
    "uuid",
    "created",
    "created_at",
    "updated_at",
    "timestamp",
    "date",
    "time",
    "signature",
];
/// Parts of names of fields that name a document.
const NAMING: [&str; 8] = [
    "doc", "source", "file", "chunk", "passage", "title", "refer", "url",
];
/// Names of documents that are kept of a response.
const MOST_DOCUMENTS: usize = 200;
/// What names of headers begin with, as places.
const HEADER: &str = "header ";
/// What stands where the word itself says nothing.
const THERE: &str = "…";

/// Everything that no path reads, by its place.
#[derive(Default)]
pub(super) struct Beside<'a> {
    read: HashSet<*const Value>,
    names: HashMap<String, usize>,
    places: Vec<Place<'a>>,
    /// Not all was looked at.
    more: bool,
}

#[derive(Default)]
struct Place<'a> {
    name: String,
    /// Another one in every response.
    passing: bool,
    texts: Vec<&'a str>,
    truths: Vec<&'static str>,
    /// Ids of documents that are numbers.
    documents: Vec<String>,
    sum: f64,
    numbers: usize,
}

impl<'a> Beside<'a> {
    /// Texts that were taken for the answer.
    pub fn answered(&mut self, values: &[&'a Value]) {
        for value in values {
            match value {
                Value::Array(list) => self.answered(&list.iter().collect::<Vec<_>>()),
                Value::Object(_) => {}
                value => {
                    self.read.insert(*value);
                }
            }
        }
    }

    /// What is nobody's to look at, with everything in it.
    pub fn leave_out(&mut self, values: &[&'a Value]) {
        self.read
            .extend(values.iter().map(|value| &raw const **value));
    }

    /// Looks at a response, or at an event of one.
    pub fn look(&mut self, json: &'a Value) {
        self.walk(json, "$", false);
    }

    fn walk(&mut self, value: &'a Value, name: &str, passing: bool) {
        if self.read.contains(&(&raw const *value)) {
            return;
        }
        match value {
            Value::Null => {}
            Value::Bool(is) => self.add(name, passing, |place| {
                place.truths.push(if *is { "true" } else { "false" });
            }),
            Value::Number(number) => {
                if is_documents_number(name) {
                    self.add(name, passing, |place| {
                        place.documents.push(number.to_string());
                    });
                }
                let number = number.as_f64().unwrap_or_default();
                self.add(name, passing, |place| place.count(number));
            }
            Value::String(text) => self.add(name, passing, |place| place.texts.push(text)),
            Value::Array(list) => {
                let within = format!("{name}[*]");
                let entries = format!("{name}[]");
                self.add(&entries, false, |place| place.count(list.len() as f64));
                for value in list {
                    self.walk(value, &within, passing);
                }
            }
            Value::Object(map) => {
                for (key, value) in map {
                    self.walk(value, &format!("{name}.{key}"), is_passing(key));
                }
            }
        }
    }

    /// Headers are places of their own. A number among them is one, whatever its letters.
    fn look_at(&mut self, head: Head<'a>) {
        for (name, value) in head.headers {
            let place = format!("{HEADER}{name}");
            match value.trim().parse::<f64>() {
                Ok(number) => self.add(&place, is_passing(name), |place| place.count(number)),
                Err(_) => self.add(&place, is_passing(name), |place| place.texts.push(value)),
            }
        }
    }

    fn add(&mut self, name: &str, passing: bool, add: impl FnOnce(&mut Place<'a>)) {
        let known = self.names.get(name).copied();
        if known.is_none() && self.places.len() == MOST_PLACES {
            self.more = true;
            return;
        }
        let place = known.unwrap_or_else(|| {
            self.names.insert(name.to_owned(), self.places.len());
            self.places.push(Place {
                name: name.chars().take(LONGEST).collect(),
                passing,
                ..Place::default()
            });
            self.places.len() - 1
        });
        add(&mut self.places[place]);
    }

    /// Keeps what was found beside the answer that was read. `thoughts` were taken out of it; pieces of a stream
    /// belong together.
    pub fn keep(mut self, reply: &mut Reply, head: Head<'a>, thoughts: &str, stream: bool) {
        let status = head.status;
        self.look_at(head);
        let status = status.to_string();
        let mut texts: Vec<(&str, String)> = Vec::new();
        let mut documents: Vec<(&str, String)> = Vec::new();
        let mut words: Vec<(&str, String)> = Vec::new();
        let mut numbers: Vec<(&str, f64)> = Vec::new();
        if !thoughts.trim().is_empty() {
            texts.push(("thoughts in the answer", thoughts.to_owned()));
        }
        for place in &self.places {
            let name = place.name.as_str();
            for text in place.whole_texts(stream) {
                if !place.name.starts_with(HEADER) && is_there_already(&text, reply) {
                    continue;
                }
                let hidden = is_text(&text) || place.passing || is_code(&text);
                words.push(match hidden {
                    true => (name, THERE.to_owned()),
                    false => (name, text.chars().take(LONGEST).collect()),
                });
                if is_text(&text) {
                    texts.push((name, text));
                } else if names_a_document(name) || is_code(&text) && !place.passing {
                    documents.push((name, text));
                }
            }
            documents.extend(place.documents.iter().map(|number| (name, number.clone())));
            words.extend(place.truths.iter().map(|truth| (name, (*truth).to_owned())));
            match (place.numbers, place.passing) {
                (0, _) => {}
                (_, true) => words.push((name, THERE.to_owned())),
                (count, false) => numbers.push((name, place.sum / count as f64)),
            }
        }
        words.sort_unstable();
        words.dedup();
        let words = words.iter().take(MOST_WORDS);
        let words = words.map(|(place, word)| (*place, word.as_str()));
        let status = [("status", status.as_str())];
        reply.metadata = Metadata::new(status.into_iter().chain(words), numbers);
        reply.shortened |= self.more || documents.len() > MOST_DOCUMENTS;
        let documents = documents.into_iter().take(MOST_DOCUMENTS);
        reply
            .asides
            .extend(documents.map(|(place, name)| SourceShown {
                id: Some(place.into()),
                title: Some(cut(&name).into()),
                text: None,
            }));
        keep_texts(texts, reply);
    }
}

fn keep_texts(texts: Vec<(&str, String)>, reply: &mut Reply) {
    let mut left = MOST_BYTES;
    for (place, text) in texts {
        let kept = cut(&text);
        if kept.len() > left || kept.len() < text.len() {
            reply.shortened = true;
        }
        if kept.len() <= left {
            left -= kept.len();
            reply.asides.push(SourceShown {
                id: Some(place.into()),
                title: None,
                text: Some(kept.into()),
            });
        }
    }
}

impl Place<'_> {
    fn count(&mut self, number: f64) {
        self.sum += number;
        self.numbers += 1;
    }

    /// Each text once. Pieces of a stream that are not all the same are one text.
    fn whole_texts(&self, stream: bool) -> Vec<String> {
        let mut seen = HashSet::new();
        let once = self.texts.iter().filter(|text| seen.insert(**text));
        let texts: Vec<&str> = once.copied().collect();
        match stream && texts.len() > 1 {
            true => vec![self.texts.concat()],
            false => texts.into_iter().map(str::to_owned).collect(),
        }
    }
}

/// By the last name of its place.
fn names_a_document(place: &str) -> bool {
    let field = field(place);
    NAMING.iter().any(|part| field.contains(part))
}

/// A number there is an id, and no count.
fn is_documents_number(place: &str) -> bool {
    let field = field(place);
    let field = field.trim_end_matches("[*]").trim_end_matches('s');
    names_a_document(place) && (field.ends_with("id") || NAMING.contains(&field))
}

fn field(place: &str) -> String {
    place.rsplit('.').next().unwrap_or(place).to_lowercase()
}

/// A text, and no word, name or code.
fn is_text(text: &str) -> bool {
    text.split_whitespace().nth(WORDS - 1).is_some()
        || text.chars().nth(LETTERS).is_some() && !text.is_ascii()
}

/// Ids, digests and the like: long, with figures, and in one piece.
fn is_code(text: &str) -> bool {
    let whole = !text.contains(char::is_whitespace);
    whole && text.len() >= 16 && text.contains(|letter: char| letter.is_ascii_digit())
}

/// Said by the answer or by a source, or nothing at all.
fn is_there_already(text: &str, reply: &Reply) -> bool {
    let mut sources = reply.citations.iter();
    let text = text.trim();
    let among = |part: &Option<attacks::signals::probes::SharedText>| {
        part.as_deref().is_some_and(|part| part.contains(text))
    };
    text.is_empty()
        || reply.answer.contains(text)
        || sources.any(|source| among(&source.id) || among(&source.title) || among(&source.text))
}

/// `created`, `response_id`, `createdAt` and the like.
fn is_passing(key: &str) -> bool {
    let key = key.to_lowercase();
    let ends = |name: &&str| {
        let rest = key.strip_suffix(*name);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(['_', '-']))
    };
    PASSING.iter().any(ends) || key.ends_with("createdat")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kept(answer: &str, jsons: &[Value]) -> Reply {
        let mut reply = Reply {
            answer: answer.into(),
            ..Reply::default()
        };
        let mut beside = Beside::default();
        for json in jsons {
            beside.answered(&json.pointer("/answer").into_iter().collect::<Vec<_>>());
            beside.look(json);
        }
        let headers = [("x-cache".into(), "HIT".into()), ("age".into(), "7".into())];
        let head = Head {
            status: 200,
            headers: &headers,
        };
        beside.keep(&mut reply, head, "", jsons.len() > 1);
        reply
    }

    fn asides(reply: &Reply) -> Vec<(&str, &str)> {
        let asides = reply.asides.iter();
        let both = asides.map(|aside| (aside.id.as_deref(), aside.text.as_deref()));
        both.map(|(id, text)| (id.unwrap(), text.unwrap()))
            .collect()
    }

    #[test]
    fn the_name_of_a_document_is_kept_as_sources_are() {
        let json = json!({"answer": "No.", "doc_id": "handbook-7", "id": "chatcmpl-1",
                          "hits": {"document_ids": [17, 18], "chunk_count": 3}});
        let asides = kept("No.", &[json]).asides;
        let mut names: Vec<_> = asides.iter().map(|aside| aside.title.as_deref()).collect();
        names.sort();
        assert_eq!(names, [Some("17"), Some("18"), Some("handbook-7")]);
    }

    #[test]
    fn texts_words_and_numbers_are_kept_and_what_passes_is_not() {
        let json = json!({
            "answer": "No.", "context": ["A whole passage of text.", "Another whole one, too."],
            "usage": {"prompt_tokens": 900}, "id": "chatcmpl-1", "created": 1_700_000_000,
            "model": "m", "cached": true, "echo": "No.", "digest": "0123456789abcdef", "none": null
        });
        let reply = kept("No.", &[json]);
        assert_eq!(
            asides(&reply),
            [
                ("$.context[*]", "A whole passage of text."),
                ("$.context[*]", "Another whole one, too.")
            ]
        );
        let words: Vec<_> = reply.metadata.words().collect();
        assert_eq!(
            words,
            [
                ("status", "200"),
                ("$.cached", "true"),
                ("$.context[*]", "…"),
                ("$.created", "…"),
                ("$.digest", "…"),
                ("$.id", "…"),
                ("$.model", "m"),
                ("header x-cache", "HIT")
            ]
        );
        let numbers: Vec<_> = reply.metadata.numbers().collect();
        assert_eq!(
            numbers,
            [
                ("$.context[]", 2.0),
                ("$.usage.prompt_tokens", 900.0),
                ("header age", 7.0)
            ]
        );
    }

    #[test]
    fn pieces_of_a_stream_are_one_text() {
        let piece = |answer: &str, thought: &str| json!({"answer": answer, "thought": thought, "model": "m"});
        let reply = kept(
            "I know.",
            &[
                piece("I ", "It says that"),
                piece("know.", " the sky is blue."),
            ],
        );
        assert_eq!(
            asides(&reply),
            [("$.thought", "It says that the sky is blue.")]
        );
        assert!(reply.metadata.words().any(|one| one == ("$.model", "m")));
    }

    #[test]
    fn what_is_too_long_is_told() {
        let long = "four words of text ".repeat(40_000);
        let reply = kept("", &[json!({"context": long})]);
        assert!(reply.shortened);
        let many: serde_json::Map<String, Value> = (0..500)
            .map(|place| (format!("place {place}"), json!(1)))
            .collect();
        assert!(kept("", &[Value::Object(many)]).shortened);
        assert!(!kept("", &[json!({"context": "so it is here"})]).shortened);
    }
}
