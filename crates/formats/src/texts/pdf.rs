//! The text of a PDF, as its fonts spell it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::{Error, Result};

/// Page by page, with a line feed between lines.
pub(super) fn text(path: &Path, bytes: &[u8]) -> Result<String> {
    // The reader panics on some files that are damaged; here that is an error like any other.
    let read = catch_unwind(AssertUnwindSafe(|| {
        pdf_extract::extract_text_from_mem(bytes)
    }));
    let text = match read {
        Ok(Ok(text)) => text,
        Ok(Err(error)) => return Err(unreadable(path, &error.to_string())),
        Err(_) => return Err(unreadable(path, "it is damaged, or its fonts are")),
    };
    match text.trim().is_empty() {
        false => Ok(lines(&text)),
        true => Err(
            Error::malformed("is a PDF without text: its pages are pictures")
                .at(path)
                .hint("have their text recognised first, or take it out of the folder"),
        ),
    }
}

fn unreadable(path: &Path, why: &str) -> Error {
    Error::malformed(format!("is a PDF that cannot be read: {why}"))
        .at(path)
        .hint("write its text to a .txt file of the same name, or take it out of the folder")
}

/// Without the blanks that stand for a page's layout; an empty line ends a paragraph.
fn lines(text: &str) -> String {
    let mut kept = String::new();
    let mut pause = false;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            pause = !kept.is_empty();
            continue;
        }
        if pause {
            kept.push('\n');
        }
        pause = false;
        kept.push_str(&words.join(" "));
        kept.push('\n');
    }
    kept
}
