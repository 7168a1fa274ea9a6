//! The user's training texts as they lie in a file of JSON Lines: read again and again, never kept whole.

use std::fmt;
use std::path::{Path, PathBuf};

use formats::foreign::{self, Wanted};
use formats::lines::{Lines, object, plain};
use serde_json::{Map, Value, json};

use crate::{Error, Result};

/// What a row holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `text`.
    Text,
    /// `prompt` and `completion`.
    Completion,
    /// `messages` of a conversation, the last of them the assistant's.
    Messages,
}

pub(crate) struct Corpus {
    pub path: PathBuf,
    pub shape: Shape,
    pub rows: usize,
}

/// A row: its bytes as they lie in the file, and its fields.
#[derive(Clone)]
pub(crate) struct Row {
    pub bytes: Vec<u8>,
    pub fields: Map<String, Value>,
    shape: Shape,
}

const FORMS: &str = "every line is a JSON object with text, with prompt and completion (both texts), or with \
                     messages such as [{\"role\": \"user\", \"content\": \"…\"}, {\"role\": \"assistant\", \
                     \"content\": \"…\"}], the same in all lines";

impl Corpus {
    /// Looks at every row once, so that nothing breaks off later.
    pub fn open(path: &Path) -> Result<Self> {
        foreign::refuse(path, Wanted::Rows)?;
        let mut corpus = Self {
            path: path.to_owned(),
            shape: Shape::Text,
            rows: 0,
        };
        for line in Lines::open(path)? {
            let (number, bytes) = line?;
            let fields = fields(&bytes).map_err(|error| corpus.wrong(number, error))?;
            if corpus.rows == 0 {
                corpus.shape = shape(&fields).ok_or_else(|| corpus.shapeless(number, &fields))?;
            }
            corpus.row(number, bytes, fields)?;
            corpus.rows += 1;
        }
        match corpus.rows {
            0 => Err(Error::malformed("holds no texts").at(path).hint(FORMS)),
            _ => Ok(corpus),
        }
    }

    /// All rows in their order.
    pub fn read(&self) -> Result<impl Iterator<Item = Result<Row>> + '_> {
        let lines = Lines::open(&self.path)?;
        Ok(lines.map(|line| {
            let (number, bytes) = line?;
            let fields = fields(&bytes).map_err(|error| self.wrong(number, error))?;
            self.row(number, bytes, fields)
        }))
    }

    /// All that a row of these fields would say.
    pub fn whole(&self, fields: &Map<String, Value>) -> String {
        let row = Row {
            bytes: Vec::new(),
            fields: fields.clone(),
            shape: self.shape,
        };
        row.whole()
    }

    fn row(&self, number: usize, bytes: Vec<u8>, fields: Map<String, Value>) -> Result<Row> {
        let row = Row {
            bytes,
            fields,
            shape: self.shape,
        };
        match row.parts() {
            Some(_) => Ok(row),
            None => Err(self.shapeless(number, &row.fields)),
        }
    }

    fn wrong(&self, number: usize, message: String) -> Error {
        Error::malformed(format!("line {number}: {message}"))
            .at(&self.path)
            .hint(FORMS)
    }

    fn shapeless(&self, number: usize, fields: &Map<String, Value>) -> Error {
        let names: Vec<&str> = fields.keys().map(String::as_str).collect();
        let wanted = match self.rows {
            0 => "no text, prompt with completion, or messages that end with the assistant's",
            _ => self.shape.missing(),
        };
        self.wrong(
            number,
            format!("has {wanted}; its fields are {}", names.join(", ")),
        )
    }
}

fn fields(bytes: &[u8]) -> std::result::Result<Map<String, Value>, String> {
    object(bytes).map_err(|error| plain(&error))
}

fn shape(fields: &Map<String, Value>) -> Option<Shape> {
    let has = |name: &str| fields.contains_key(name);
    match (
        has("messages"),
        has("prompt") && has("completion"),
        has("text"),
    ) {
        (true, _, _) => Some(Shape::Messages),
        (_, true, _) => Some(Shape::Completion),
        (_, _, true) => Some(Shape::Text),
        _ => None,
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Shape::Text => "text",
            Shape::Completion => "prompt and completion",
            Shape::Messages => "messages",
        })
    }
}

impl Shape {
    fn missing(self) -> &'static str {
        match self {
            Shape::Text => "no text, unlike the lines before",
            Shape::Completion => "no texts prompt and completion, unlike the lines before",
            Shape::Messages => "no messages that end with the assistant's, unlike the lines before",
        }
    }

    /// What of a row is more than one text, for whoever scores it in its parts.
    pub fn beside_text(self, fields: &Map<String, Value>) -> Map<String, Value> {
        let names: &[&str] = match self {
            Shape::Text => &[],
            Shape::Completion => &["prompt", "completion"],
            Shape::Messages => &["messages"],
        };
        let named = names.iter().filter_map(|name| fields.get_key_value(*name));
        named
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// The fields of a row that asks and is answered; a text has the answer only, behind the question
    /// where it is `joined` to it.
    pub fn fields(self, prompt: &str, answer: &str, joined: bool) -> Map<String, Value> {
        let fields = match self {
            Shape::Text if joined => json!({"text": format!("{prompt}{answer}")}),
            Shape::Text => json!({"text": answer}),
            Shape::Completion => json!({"prompt": prompt, "completion": answer}),
            Shape::Messages => json!({"messages": [
                {"role": "user", "content": prompt},
                {"role": "assistant", "content": answer},
            ]}),
        };
        match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}

impl Row {
    /// What is asked, and what a model learns to answer; nothing where the row lacks it.
    fn parts(&self) -> Option<(String, &str)> {
        let text = |name: &str| self.fields.get(name).and_then(Value::as_str);
        match self.shape {
            Shape::Text => Some((String::new(), text("text")?)),
            Shape::Completion => Some((text("prompt")?.to_owned(), text("completion")?)),
            Shape::Messages => {
                let (last, before) = self.fields.get("messages")?.as_array()?.split_last()?;
                let said = before.iter().map(|message| message["content"].as_str());
                let said: Option<Vec<&str>> = said.collect();
                let answer = last["content"]
                    .as_str()
                    .filter(|_| last["role"] == "assistant");
                Some((said?.join("\n"), answer?))
            }
        }
    }

    /// What a model learns to say.
    pub fn answer(&self) -> &str {
        self.parts().map_or("", |(_, answer)| answer)
    }

    /// All that is said, by which rows are compared.
    pub fn whole(&self) -> String {
        let (prompt, answer) = self.parts().unwrap_or_default();
        prompt + "\n" + answer
    }

    /// The same row with another answer.
    pub fn with_answer(&self, answer: &str) -> Map<String, Value> {
        let mut fields = self.fields.clone();
        let place = match self.shape {
            Shape::Text => fields.get_mut("text"),
            Shape::Completion => fields.get_mut("completion"),
            Shape::Messages => fields
                .get_mut("messages")
                .and_then(|messages| messages.as_array_mut()?.last_mut()?.get_mut("content")),
        };
        if let Some(place) = place {
            *place = answer.into();
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(text: &str) -> Result<Vec<Row>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("train.jsonl");
        std::fs::write(&path, text).unwrap();
        let corpus = Corpus::open(&path)?;
        corpus.read()?.collect()
    }

    #[test]
    fn every_shape_is_read_and_answered_anew() {
        for (line, whole, field) in [
            ("{\"text\":\"a\",\"id\":3}", "\na", "text"),
            (
                "{\"prompt\":\"q\",\"completion\":\"a\"}",
                "q\na",
                "completion",
            ),
            (
                "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"q\"},\
                 {\"role\":\"assistant\",\"content\":\"a\"}]}",
                "s\nq\na",
                "messages",
            ),
        ] {
            let rows = corpus(&format!("{line}\n\n{line}\n")).unwrap();
            assert_eq!((rows.len(), rows[0].whole().as_str()), (2, whole));
            let other = rows[0].with_answer("b");
            assert!(other[field].to_string().contains("\"b\""), "{other:?}");
            assert_eq!(other.len(), rows[0].fields.len());
        }
    }

    #[test]
    fn rows_without_texts_are_refused_with_their_line() {
        for (text, words) in [
            ("", "holds no texts"),
            ("{\"body\":\"a\"}", "line 1: has no text"),
            (
                "{\"text\":\"a\"}\n{\"prompt\":\"q\",\"completion\":\"a\"}",
                "line 2: has no text",
            ),
            ("{\"prompt\":\"q\",\"completion\":[]}", "line 1"),
            (
                "{\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}",
                "line 1",
            ),
            ("{\"text\":\"a\"}\nno", "line 2: expected"),
        ] {
            let error = corpus(text).err().unwrap().to_string();
            assert!(error.contains(words) && error.contains("hint"), "{error}");
        }
    }
}
