//! The items of an audit of sources: texts or pictures, and where each of them came from, where that
//! is known.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use attacks::source::Label;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stats::streams::{Seed, shuffle};

use super::row::Row;
use super::{digest, rows};
use crate::tokens::brief;
use crate::tokens::raw::Word;
use crate::{Error, ErrorKind, Result};

/// Where the items are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ItemSettings {
    /// One file, whose rows may have a `source`.
    pub path: Option<PathBuf>,
    /// Or a file for each source; any may be left out.
    pub pretrained: Option<PathBuf>,
    pub retrieved: Option<PathBuf>,
    pub nonmembers: Option<PathBuf>,
    /// The most of each source, chosen at random.
    pub limit: Option<usize>,
}

/// What a source is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub id: String,
    pub content: Content,
    /// Where it came from, where that is known.
    pub source: Option<Label>,
    /// What to ask about it in place of what is asked about all.
    pub prompt: Option<String>,
    pub topic: Option<String>,
    pub date: Option<String>,
    /// The file or folder it was read from, and its row there.
    pub file: PathBuf,
    pub row: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    Text(String),
    Picture(PathBuf),
}

impl Item {
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            Content::Picture(_) => None,
        }
    }

    pub fn picture(&self) -> Option<&Path> {
        match &self.content {
            Content::Text(_) => None,
            Content::Picture(path) => Some(path),
        }
    }
}

impl ItemSettings {
    fn by_source(&self) -> impl Iterator<Item = (Label, &PathBuf)> {
        let named = [
            (Label::Pretrained, &self.pretrained),
            (Label::Retrieved, &self.retrieved),
            (Label::NonMember, &self.nonmembers),
        ];
        named
            .into_iter()
            .filter_map(|(label, path)| Some((label, path.as_ref()?)))
    }

    /// Every file that is named, seen from a folder.
    pub fn files(&self, base: &Path) -> Vec<PathBuf> {
        let named = self.path.iter().chain(self.by_source().map(|(_, p)| p));
        named.map(|path| base.join(path)).collect()
    }

    /// Reads and checks the items. The seed chooses which, where there are more than the limit.
    pub fn read(&self, base: &Path, seed: Seed) -> Result<Vec<Item>> {
        if self.limit == Some(0) {
            return Err(Error::new(ErrorKind::Setting, "items.limit is 0")
                .hint("give a number from 1, or leave it out"));
        }
        let named = self.by_source().count();
        let mut items = match (&self.path, named) {
            (Some(path), 0) => read(&base.join(path), None)?,
            (None, 1..) => {
                let mut items = Vec::new();
                for (label, path) in self.by_source() {
                    items.extend(read(&base.join(path), Some(label))?);
                }
                items
            }
            _ => {
                let message = "items needs path alone, or pretrained, retrieved and nonmembers";
                return Err(Error::new(ErrorKind::Setting, message).hint(
                    "set items.path to one file with source in its rows, or name a file for each \
                     source that you know",
                ));
            }
        };
        no_id_twice(&items)?;
        no_text_under_two_sources(&items)?;
        let known = Label::ALL.into_iter().map(Some).chain([None]);
        for source in known {
            self.choose(&mut items, source, seed);
        }
        Ok(items)
    }

    /// Keeps so many of a source, in their order.
    fn choose(&self, items: &mut Vec<Item>, source: Option<Label>, seed: Seed) {
        let total = items.iter().filter(|item| item.source == source).count();
        let Some(limit) = self.limit.filter(|limit| *limit < total) else {
            return;
        };
        let name = format!("items/{}", source.map_or("unknown", |label| label.words()));
        let mut kept: Vec<bool> = (0..total).map(|place| place < limit).collect();
        shuffle(&mut seed.stream(&name), &mut kept);
        let mut kept = kept.into_iter();
        items.retain(|item| item.source != source || kept.next().unwrap_or(false));
    }
}

fn read(path: &Path, source: Option<Label>) -> Result<Vec<Item>> {
    let rows = rows(path)?.into_iter();
    rows.map(|row| item(row, source, path)).collect()
}

/// `source` where the file says it for all.
fn item(row: Row, source: Option<Label>, path: &Path) -> Result<Item> {
    let number = row.number;
    let id = row.id.map_or_else(|| number.to_string(), Word::text);
    let wrong = |message: String, hint: &str| {
        let message = format!("row {number} ({:?}): {message}", brief(&id));
        Error::malformed(message).at(path).hint(hint)
    };
    let words = |value: Option<Value>, name: &str| match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
        Some(other) => Err(wrong(
            format!("{name} is {}", brief(&other.to_string())),
            "give a text in quotes, or leave it out",
        )),
    };
    let own = words(row.source, "source")?;
    let own = own.map(|name| match label(&name) {
        Some(label) => Ok(label),
        None => Err(wrong(
            format!("source is {:?}", brief(&name)),
            "a source is pretrained, retrieved or non-member; leave it out where it is not known",
        )),
    });
    let source = match (source, own.transpose()?) {
        (Some(file), Some(own)) if file != own => {
            return Err(wrong(
                format!(
                    "its source is {} but its file is named for {}",
                    own.words(),
                    file.words()
                ),
                "put every item into the file that is named for its source",
            ));
        }
        (file, own) => file.or(own),
    };
    if source.is_none() && row.member.is_some() {
        return Err(wrong(
            "has member, but no source".into(),
            "say where it came from: source is pretrained, retrieved or non-member; leave both out \
             where that is not known",
        ));
    }
    let prompt = words(row.prompt, "prompt")?;
    if prompt
        .as_ref()
        .is_some_and(|prompt| !prompt.contains("{text}"))
    {
        return Err(wrong(
            "prompt has no {text}".into(),
            "put {text} where the item's words go, or leave prompt out",
        ));
    }
    let text = row.text.filter(|text| !text.trim().is_empty());
    let content = match (text, words(row.image, "image")?) {
        (Some(text), None) => Content::Text(text),
        (None, Some(image)) => Content::Picture(beside(path, &image)),
        (Some(_), Some(_)) => {
            return Err(wrong(
                "has both text and image".into(),
                "an item is one of them: make two items of it",
            ));
        }
        (None, None) => {
            return Err(wrong(
                "has neither text nor image".into(),
                "give its text, or the path of its picture as image; leave empty items out",
            ));
        }
    };
    Ok(Item {
        content,
        source,
        prompt,
        topic: row.topic.map(Word::text),
        date: row.date.map(Word::text),
        file: path.to_owned(),
        row: number,
        id,
    })
}

fn label(name: &str) -> Option<Label> {
    match name.trim().to_lowercase().as_str() {
        "pretrained" => Some(Label::Pretrained),
        "retrieved" => Some(Label::Retrieved),
        "non-member" | "nonmember" | "none" => Some(Label::NonMember),
        _ => None,
    }
}

/// Paths of pictures start where the file lies that names them.
fn beside(file: &Path, picture: &str) -> PathBuf {
    let folder = match file.is_dir() {
        true => Some(file),
        false => file.parent(),
    };
    folder.map_or_else(|| picture.into(), |folder| folder.join(picture))
}

fn no_id_twice(items: &[Item]) -> Result<()> {
    let mut seen: HashMap<&str, &Item> = HashMap::new();
    for item in items {
        if let Some(first) = seen.insert(&item.id, item) {
            let message = format!(
                "row {} has the id {:?}, which row {} of {} has already",
                item.row,
                brief(&item.id),
                first.row,
                first.file.display()
            );
            return Err(Error::mismatch(message)
                .at(&item.file)
                .hint("give every item an id of its own"));
        }
    }
    Ok(())
}

fn no_text_under_two_sources(items: &[Item]) -> Result<()> {
    let mut seen: HashMap<[u8; 32], &Item> = HashMap::new();
    for item in items {
        let Some(text) = item.text() else {
            continue;
        };
        let Some(first) = seen.insert(digest(text), item) else {
            continue;
        };
        if let (Some(one), Some(other)) = (first.source, item.source)
            && one != other
        {
            let message = format!(
                "row {} ({:?}) is {} but has the same text as {:?}, which is {}",
                item.row,
                brief(&item.id),
                other.words(),
                brief(&first.id),
                one.words()
            );
            return Err(Error::mismatch(message)
                .at(&item.file)
                .hint("leave texts out that have more than one source"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.jsonl");
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn read_one(text: &str, limit: Option<usize>) -> Result<Vec<Item>> {
        let (folder, _) = written(text);
        let settings = ItemSettings {
            path: Some("items.jsonl".into()),
            limit,
            ..ItemSettings::default()
        };
        settings.read(folder.path(), Seed(1))
    }

    #[test]
    fn texts_and_pictures_with_and_without_a_source() {
        let items = read_one(
            "{\"id\":\"a\",\"text\":\"one\",\"source\":\"none\",\"prompt\":\"Say {text}\"}\n\
             {\"id\":2,\"image\":\"b.png\",\"source\":\"Retrieved\"}\n{\"text\":\"three\"}\n",
            None,
        )
        .unwrap();
        assert_eq!(items[0].source, Some(Label::NonMember));
        assert_eq!(items[0].prompt.as_deref(), Some("Say {text}"));
        assert_eq!(items[1].source, Some(Label::Retrieved));
        assert!(items[1].picture().unwrap().ends_with("b.png"));
        assert_eq!((items[2].id.as_str(), items[2].source), ("3", None));
    }

    #[test]
    fn a_limit_holds_for_every_source() {
        let rows: String = (0..30)
            .map(|n| {
                let source = ["pretrained", "retrieved", "non-member"][n % 3];
                format!("{{\"text\":\"t{n}\",\"source\":\"{source}\"}}\n")
            })
            .collect();
        let items = read_one(&rows, Some(4)).unwrap();
        assert_eq!(items.len(), 12);
        assert_eq!(
            items,
            read_one(&rows, Some(4))
                .map(|read| renamed(read, &items))
                .unwrap()
        );
        assert!(read_one(&rows, Some(0)).is_err());
    }

    /// Each reading has a folder of its own.
    fn renamed(mut items: Vec<Item>, as_in: &[Item]) -> Vec<Item> {
        for (item, other) in items.iter_mut().zip(as_in) {
            item.file.clone_from(&other.file);
        }
        items
    }

    #[test]
    fn what_is_wrong_is_named_with_its_row_and_a_remedy() {
        for (text, words) in [
            ("{\"text\":\"a\",\"source\":\"web\"}", "source is \"web\""),
            ("{\"text\":\"a\",\"source\":3}", "source is 3"),
            ("{\"id\":\"x\"}", "neither text nor image"),
            (
                "{\"text\":\"a\",\"image\":\"b.png\"}",
                "both text and image",
            ),
            ("{\"text\":\"a\",\"prompt\":\"no hole\"}", "no {text}"),
            (
                "{\"id\":\"x\",\"text\":\"a\"}\n{\"id\":\"x\",\"text\":\"b\"}",
                "row 2 has the id \"x\"",
            ),
            (
                "{\"text\":\"a b\",\"source\":\"none\"}\n{\"text\":\"a  b\",\"source\":\"retrieved\"}",
                "the same text",
            ),
        ] {
            let error = read_one(text, None).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("hint"), "{error}");
            assert!(error.contains("items.jsonl"), "{error}");
        }
    }

    #[test]
    fn files_by_source_say_it_for_their_rows() {
        let (folder, _) = written("{\"id\":\"a\",\"text\":\"one\"}\n");
        let mut settings = ItemSettings {
            retrieved: Some("items.jsonl".into()),
            ..ItemSettings::default()
        };
        let items = settings.read(folder.path(), Seed(1)).unwrap();
        assert_eq!(items[0].source, Some(Label::Retrieved));
        settings.path = Some("items.jsonl".into());
        assert!(settings.read(folder.path(), Seed(1)).is_err());
        assert!(
            ItemSettings::default()
                .read(folder.path(), Seed(1))
                .is_err()
        );
        let contrary = written("{\"text\":\"one\",\"source\":\"none\"}\n");
        settings.path = None;
        let error = settings.read(contrary.0.path(), Seed(1)).unwrap_err();
        assert!(error.to_string().contains("its file is named for"));
    }
}
