//! Scores in JSON Lines: one object per record. A field that is null or not there is an abstention.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Map, Value};

use super::precomputed::{Draft, Numbers, PrecomputedScores, flag};
use super::{ID, MEMBER, MEMBER_HINT};
use crate::ids::Ids;
use crate::left_out::{LeftOut, Look, holds_number};
use crate::lines::{Lines, object, plain};
use crate::{Error, Result};

/// Whether the first line opens an object.
pub fn recognise(path: &Path) -> bool {
    let first = Lines::open(path).ok().and_then(|mut lines| lines.next());
    matches!(first, Some(Ok((_, line))) if line.trim_ascii_start().starts_with(b"{"))
}

pub(crate) fn read(path: &Path) -> Result<PrecomputedScores> {
    let mut rows = Rows::default();
    for line in Lines::open(path)? {
        let (number, line) = line?;
        let row = object(&line).map_err(|error| {
            Error::malformed(format!("line {number}: {}", plain(&error)))
                .at(path)
                .hint(
                    "every line is a JSON object such as {\"id\": \"a\", \"member\": true, \
                     \"loss\": -0.3}, each field once; write null for no score, \"inf\" for an infinite one",
                )
        })?;
        rows.take(number, row).map_err(|error| error.at(path))?;
    }
    rows.finish(path)
}

/// What a field holds.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Number,
    Truth,
    Text,
    Other(&'static str),
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Number => "numbers",
            Kind::Truth => "truth values",
            Kind::Text => "texts",
            Kind::Other(word) => word,
        }
    }
}

struct Column {
    name: String,
    values: Numbers,
    /// Of the first row that had a value, and the line of it.
    kind: Option<(Kind, usize)>,
    look: Look,
    /// Whether a list or an object has a number in it.
    numbers_inside: bool,
}

/// What the lines read so far amount to.
#[derive(Default)]
struct Rows {
    lines: Vec<usize>,
    ids: Ids,
    /// Whether any line has an id, and the first that has none.
    named: bool,
    unnamed: Option<usize>,
    members: Vec<Option<bool>>,
    /// Whether any line has a field of this name.
    truth: bool,
    columns: Vec<Column>,
    places: HashMap<String, usize>,
}

impl Rows {
    fn take(&mut self, line: usize, row: Map<String, Value>) -> Result<()> {
        let read = self.lines.len();
        self.lines.push(line);
        let mut own = None;
        for (name, value) in row {
            match name.as_str() {
                ID => own = id(value, line)?,
                MEMBER => {
                    self.truth = true;
                    self.members.push(member(&value, line)?);
                }
                _ => self.column(name, read).take(value, line)?,
            }
        }
        match own {
            Some(_) => self.named = true,
            None => drop(self.unnamed.get_or_insert(line)),
        }
        self.ids.push(own.as_deref().unwrap_or_default());
        self.members.resize(read + 1, None);
        for column in &mut self.columns {
            column.values.fill(read + 1);
        }
        Ok(())
    }

    fn column(&mut self, name: String, read: usize) -> &mut Column {
        let next = self.columns.len();
        let place = *self.places.entry(name.clone()).or_insert(next);
        if place == next {
            self.columns.push(Column {
                name,
                values: (0..read).map(|_| None).collect(),
                kind: None,
                look: Look::default(),
                numbers_inside: false,
            });
        }
        &mut self.columns[place]
    }

    fn finish(self, path: &Path) -> Result<PrecomputedScores> {
        if let (true, Some(line)) = (self.named, self.unnamed) {
            let message = format!("line {line} has no id, other lines do");
            return Err(Error::malformed(message)
                .at(path)
                .hint("give every record an id, or none"));
        }
        let mut draft = Draft {
            ids: self.named.then_some(self.ids),
            members: self.truth.then_some(self.members),
            ..Draft::new("JSON Lines scores")
        };
        for column in self.columns {
            match column.kind {
                None | Some((Kind::Number | Kind::Truth, _)) => {
                    draft.columns.push((column.name, column.values));
                }
                Some((kind, _)) => draft.others.push(column.left_out(kind, &self.lines)),
            }
        }
        let lines = self.lines;
        draft.finish(path, &|row| format!("line {}", lines[row]))
    }
}

impl Column {
    fn take(&mut self, value: Value, line: usize) -> Result<()> {
        let (kind, number) = match value {
            Value::Null => {
                self.values.push(None);
                return Ok(());
            }
            Value::Number(number) => (Kind::Number, number.as_f64()),
            // JSON has no numbers for these.
            Value::String(text) => match text.parse::<f64>() {
                Ok(number) if !number.is_finite() => (Kind::Number, Some(number)),
                _ => {
                    self.look.take(self.values.len(), &text);
                    (Kind::Text, None)
                }
            },
            Value::Bool(truth) => (Kind::Truth, Some(f64::from(truth))),
            nested => {
                self.numbers_inside |= holds_number(&nested);
                let word = if nested.is_array() {
                    "lists"
                } else {
                    "objects"
                };
                (Kind::Other(word), None)
            }
        };
        self.values.push(number);
        let (first, at) = *self.kind.get_or_insert((kind, line));
        match first == kind {
            true => Ok(()),
            false => Err(Error::malformed(format!(
                "column {} holds {} in line {line} but {} in line {at}",
                self.name,
                kind.word(),
                first.word()
            ))
            .hint("mend the value, or write null where there is no score")),
        }
    }

    fn left_out(self, kind: Kind, lines: &[usize]) -> LeftOut {
        match kind {
            Kind::Text => (self.look).left_out(&self.name, |row| format!("line {}", lines[row])),
            _ if self.numbers_inside => {
                LeftOut::doubted(&self.name, format!("{} of numbers", kind.word()))
            }
            _ => LeftOut::new(&self.name, kind.word()),
        }
    }
}

fn id(value: Value, line: usize) -> Result<Option<String>> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        Value::Number(number) if !number.is_f64() => Ok(Some(number.to_string())),
        other => Err(
            Error::malformed(format!("column id, line {line} is {other}"))
                .hint("ids are text or whole numbers"),
        ),
    }
}

fn member(value: &Value, line: usize) -> Result<Option<bool>> {
    let place = || format!("line {line}");
    match value {
        Value::Bool(flag) => Ok(Some(*flag)),
        Value::Null => Ok(None),
        Value::Number(number) => flag(number.as_f64().unwrap_or(f64::NAN), place).map(Some),
        other => {
            let place = place();
            Err(Error::malformed(format!("column member, {place} is {other}")).hint(MEMBER_HINT))
        }
    }
}
