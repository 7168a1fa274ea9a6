//! The texts of an audit of a language model.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::entries::{Asked, asked};
use super::membership::{MemberFiles, seen_from};
use super::row::Row;
use crate::Result;

/// Where the texts are.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TextSettings {
    pub members: Option<PathBuf>,
    pub nonmembers: Option<PathBuf>,
    /// Texts of which nobody knows: they are asked about, and called.
    pub unknown: Option<PathBuf>,
    /// One file in place of two, with `member` in every row.
    pub file: Option<PathBuf>,
    /// The manifest of canaries, which are scored in place of all of these.
    pub canaries: Option<PathBuf>,
    /// What the model was fine-tuned on: members must be in it.
    pub training_file: Option<PathBuf>,
    /// Token signals of a fine-tune whose members are known, for attacks that learn from a shadow.
    pub shadow: Option<PathBuf>,
}

/// One text that is to be scored.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub id: String,
    pub text: String,
    /// Nothing where nobody knows.
    pub member: Option<bool>,
    pub date: Option<String>,
}

impl Asked for Text {
    const NOUN: &'static str = "text";

    fn id(&self) -> &str {
        &self.id
    }

    fn text(&self) -> Option<&str> {
        Some(&self.text)
    }
}

impl TextSettings {
    /// Every file that is named, seen from a folder.
    pub fn files(&self, base: &Path) -> Vec<PathBuf> {
        let named = [
            &self.file,
            &self.members,
            &self.nonmembers,
            &self.unknown,
            &self.canaries,
            &self.training_file,
            &self.shadow,
        ];
        seen_from(base, &named)
    }

    /// Reads and checks the texts: members first where there are two files.
    pub fn read(&self, base: &Path) -> Result<Vec<Text>> {
        let files = MemberFiles {
            section: "texts",
            file: self.file.as_deref(),
            members: self.members.as_deref(),
            nonmembers: self.nonmembers.as_deref(),
            unknown: self.unknown.as_deref(),
            hint: "set texts.members to what was trained on and texts.nonmembers to what was not, or \
                   texts.canaries to the manifest of canaries",
        };
        files.read(base, text).map(asked)
    }
}

fn text(mut row: Row, member: Option<bool>) -> Result<Text> {
    Ok(Text {
        text: row.take_text()?,
        date: row.take_date(),
        id: row.id,
        member,
    })
}
