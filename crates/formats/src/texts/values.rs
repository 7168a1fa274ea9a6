//! Values as people write them: names that may be numbers, truths that may be 1 and 0.

use serde::Deserialize;

/// A name or a number that names.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "id and date must be a text or a number")]
pub enum Word {
    Text(String),
    Whole(i64),
    Number(f64),
}

impl Word {
    pub fn text(self) -> String {
        match self {
            Word::Text(text) => text,
            Word::Whole(number) => number.to_string(),
            Word::Number(number) => number.to_string(),
        }
    }
}

/// true and false, or 1 and 0.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged, expecting = "member must be true or false, or 1 or 0")]
pub enum Flag {
    Truth(bool),
    Number(f64),
}

/// What is wrong, and what to do.
pub type Wrong = (String, &'static str);

pub fn flag(flag: Flag) -> std::result::Result<bool, Wrong> {
    match flag {
        Flag::Truth(truth) => Ok(truth),
        Flag::Number(1.0) => Ok(true),
        Flag::Number(0.0) => Ok(false),
        Flag::Number(other) => Err((
            format!("member is {other}"),
            "member is true or false, or 1 or 0",
        )),
    }
}

/// An id as a message shows it: the beginning of a long one.
pub fn brief(id: &str) -> String {
    match id.char_indices().nth(60) {
        None => id.to_owned(),
        Some((end, _)) => format!("{}…", &id[..end]),
    }
}
