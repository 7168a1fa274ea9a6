//! What in the texts alone tells members from non-members.

use super::heads;
use crate::blocks::Section;
use crate::shown::Typical;

pub fn section(typical: &Typical) -> Section {
    let row = |kind: &str, words: &[String]| vec![kind.to_owned(), words.join(", ")];
    Section {
        title: format!("What tells the texts apart: {}", typical.by),
        heads: heads(&["typical of", "what"]),
        rows: vec![
            row("members", &typical.of_members),
            row("non-members", &typical.of_nonmembers),
        ],
        ..Section::default()
    }
}
