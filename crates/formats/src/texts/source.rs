//! The items of an audit of sources: texts or pictures, and where each of them came from, where that
//! is known.

use std::path::{Path, PathBuf};

use attacks::source::Label;
use serde::{Deserialize, Serialize};
use stats::streams::Seed;

use super::checks;
use super::entries::{self, Asked, Set, SetFile, asked};
use super::row::Row;
use super::values::brief;
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

impl Set for Label {
    fn name(self) -> &'static str {
        match self {
            Label::Pretrained => "a pretrained item",
            Label::Retrieved => "a retrieved item",
            Label::NonMember => "a non-member",
        }
    }
}

impl Asked for Item {
    const NOUN: &'static str = "item";

    fn id(&self) -> &str {
        &self.id
    }

    fn text(&self) -> Option<&str> {
        self.text()
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
        entries::check_limit("items", self.limit)?;
        let files = self.set_files(base)?;
        let mut items = entries::read(&files, own_source, item)?;
        checks::no_empty_file(&files, &items, "")?;
        for source in Label::ALL.into_iter().map(Some).chain([None]) {
            let stream = format!("items/{}", source.map_or("unknown", |label| label.as_str()));
            entries::limit(&mut items, source, self.limit, &stream, seed);
        }
        Ok(asked(items))
    }

    fn set_files(&self, base: &Path) -> Result<Vec<SetFile<Label>>> {
        match (&self.path, self.by_source().count()) {
            (Some(path), 0) => Ok(vec![(base.join(path), None)]),
            (None, 1..) => {
                let named = self.by_source();
                Ok(named
                    .map(|(label, path)| (base.join(path), Some(label)))
                    .collect())
            }
            _ => {
                let message = "items needs path alone, or pretrained, retrieved and nonmembers";
                Err(Error::new(ErrorKind::Setting, message).hint(
                    "set items.path to one file with source in its rows, or name a file for each \
                     source that you know",
                ))
            }
        }
    }
}

/// What a row says of its source.
fn own_source(row: &Row) -> Result<Option<Label>> {
    let name = row.string(row.fields.source.clone(), "source")?;
    let label = |name: String| {
        label(&name).ok_or_else(|| {
            row.wrong(
                format!("source is {:?}", brief(&name)),
                "a source is pretrained, retrieved or non-member; leave it out where it is not known",
            )
        })
    };
    name.map(label).transpose()
}

fn item(mut row: Row, source: Option<Label>) -> Result<Item> {
    if source.is_none() && row.fields.member.is_some() {
        return Err(row.wrong(
            "has member, but no source",
            "say where it came from: source is pretrained, retrieved or non-member; leave both out \
             where that is not known",
        ));
    }
    Ok(Item {
        prompt: prompt(&mut row)?,
        content: content(&mut row)?,
        source,
        topic: row.take_topic()?,
        date: row.take_date(),
        file: row.file.to_path_buf(),
        row: row.number,
        id: row.id,
    })
}

fn prompt(row: &mut Row) -> Result<Option<String>> {
    let prompt = row.fields.prompt.take();
    let prompt = row.string(prompt, "prompt")?;
    match prompt
        .as_ref()
        .is_none_or(|prompt| prompt.contains("{text}"))
    {
        true => Ok(prompt),
        false => Err(row.wrong(
            "prompt has no {text}",
            "put {text} where the item's words go, or leave prompt out",
        )),
    }
}

fn content(row: &mut Row) -> Result<Content> {
    let image = row.fields.image.take();
    let image = row.string(image, "image")?;
    let text = row.fields.text.take();
    match (text.filter(|text| !text.trim().is_empty()), image) {
        (Some(text), None) => Ok(Content::Text(text)),
        (None, Some(image)) => Ok(Content::Picture(beside(&row.file, &image))),
        (Some(_), Some(_)) => Err(row.wrong(
            "has both text and image",
            "an item is one of them: make two items of it",
        )),
        (None, None) => Err(row.wrong(
            "has neither text nor image",
            "give its text, or the path of its picture as image; leave empty items out",
        )),
    }
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
                "two items of one set have the id \"x\": row 1 of",
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
