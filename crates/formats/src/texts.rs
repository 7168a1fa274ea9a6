//! The texts of an audit: members and non-members.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::tokens;
use crate::{Error, ErrorKind, Result};

/// Where the texts are.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TextSettings {
    pub members: Option<PathBuf>,
    pub nonmembers: Option<PathBuf>,
    /// One file in place of two, with `member` in every row.
    pub file: Option<PathBuf>,
    /// What the model was fine-tuned on: members must be in it.
    pub training_file: Option<PathBuf>,
}

/// One text that is to be scored.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub id: String,
    pub text: String,
    pub member: bool,
    pub date: Option<String>,
}

impl TextSettings {
    /// Every file that is named, seen from a folder.
    pub fn files(&self, base: &Path) -> Vec<PathBuf> {
        let named = [
            &self.file,
            &self.members,
            &self.nonmembers,
            &self.training_file,
        ];
        let named = named.into_iter().flatten();
        named.map(|path| base.join(path)).collect()
    }

    /// Reads the texts: members first where there are two files.
    pub fn read(&self, base: &Path) -> Result<Vec<Text>> {
        match (&self.file, &self.members, &self.nonmembers) {
            (Some(file), None, None) => read(&base.join(file), None),
            (None, Some(members), Some(others)) => {
                let mut texts = read(&base.join(members), Some(true))?;
                texts.extend(read(&base.join(others), Some(false))?);
                Ok(texts)
            }
            _ => Err(Error::new(
                ErrorKind::Setting,
                "texts needs members and nonmembers, or file alone",
            )
            .hint("set texts.members to what was trained on and texts.nonmembers to what was not")),
        }
    }
}

/// The rows of one file; `member` where the file says it for all.
fn read(path: &Path, member: Option<bool>) -> Result<Vec<Text>> {
    let rows = tokens::read(path)?;
    let text = |(place, row): (usize, tokens::Row)| {
        let wrong = |message: &str, hint: &str| {
            let id = tokens::brief(&row.id);
            let message = format!("row {} ({id:?}): {message}", place + 1);
            Error::malformed(message).at(path).hint(hint)
        };
        let words = row.signals.text.as_deref().unwrap_or_default();
        if words.trim().is_empty() {
            return Err(wrong(
                "has no text",
                "every row needs a field or column text; leave empty texts out",
            ));
        }
        match (member, row.member) {
            (Some(file), Some(own)) if file != own => Err(wrong(
                "says the opposite of its file about being a member",
                "put members and non-members into the files that the configuration names for them",
            )),
            (None, None) => Err(wrong(
                "has no member",
                "add a field or column member that is true or false",
            )),
            (file, own) => Ok(Text {
                member: file.or(own).unwrap_or(false),
                text: words.to_owned(),
                date: row.date.clone(),
                id: row.id.clone(),
            }),
        }
    };
    rows.into_iter().enumerate().map(text).collect()
}
