//! Scores in text: a line of names, then one line per record. An empty cell is an abstention.

use std::path::Path;

use arrow_array::{Array, LargeStringArray};

use super::precomputed::{Draft, Numbers, PrecomputedScores, flag};
use super::{ID, MEMBER, MEMBER_HINT};
use crate::data::{Texts, texts};
use crate::ids::Ids;
use crate::left_out::{LeftOut, Look, Writing, writing};
use crate::{Error, Result};

pub(crate) fn read(path: &Path) -> Result<PrecomputedScores> {
    let table = texts(path)?;
    let mut draft = Draft::new("CSV scores");
    for (name, cells) in &table.columns {
        match name.as_str() {
            ID => draft.ids = Some(ids(cells)),
            MEMBER => {
                let found = members(&table, cells).map_err(|error| error.at(path))?;
                draft.members = Some(found);
            }
            _ => match numbers(&table, name, cells).map_err(|error| error.at(path))? {
                Ok(numbers) => draft.columns.push((name.clone(), numbers)),
                Err(left_out) => draft.others.push(left_out),
            },
        }
    }
    draft.finish(path, &|row| table.line(row))
}

fn ids(cells: &LargeStringArray) -> Ids {
    cells.iter().map(Option::unwrap_or_default).collect()
}

fn members(table: &Texts, cells: &LargeStringArray) -> Result<Vec<Option<bool>>> {
    let member = |row: usize| match cells.value(row).to_ascii_lowercase().as_str() {
        "" => Ok(None),
        "true" => Ok(Some(true)),
        "false" => Ok(Some(false)),
        text => match text.parse() {
            Ok(number) => flag(number, || table.line(row)).map(Some),
            Err(_) => Err(Error::malformed(format!(
                "column member, {} is {:?}",
                table.line(row),
                cells.value(row)
            ))
            .hint(MEMBER_HINT)),
        },
    };
    (0..cells.len()).map(member).collect()
}

/// What a cell holds that is not empty.
enum Cell {
    Number(f64),
    Truth(bool),
    Text,
}

impl Cell {
    fn of(text: &str) -> Self {
        match text.parse() {
            Ok(number) => Cell::Number(number),
            Err(_) if text.eq_ignore_ascii_case("true") => Cell::Truth(true),
            Err(_) if text.eq_ignore_ascii_case("false") => Cell::Truth(false),
            Err(_) => Cell::Text,
        }
    }
}

/// The numbers of a column, or its truths as 0 and 1; the column as one that is left out where it holds neither.
/// One that holds numbers and others is refused: a slip of the pen must not take a score out of the audit.
fn numbers(
    table: &Texts,
    name: &str,
    cells: &LargeStringArray,
) -> Result<std::result::Result<Numbers, LeftOut>> {
    let mut numbers = Numbers::with_capacity(cells.len());
    let (mut truth, mut text, mut any) = (None, None, false);
    for (row, cell) in cells.iter().enumerate() {
        let cell = cell.unwrap_or_default();
        let number = match Cell::of(cell) {
            _ if cell.is_empty() => None,
            Cell::Number(number) => {
                any = true;
                Some(number)
            }
            Cell::Truth(flag) => {
                truth.get_or_insert((row, cell));
                Some(f64::from(flag))
            }
            Cell::Text => {
                text.get_or_insert((row, cell));
                None
            }
        };
        numbers.push(number);
    }
    match text.or(truth.filter(|_| any)) {
        None => Ok(Ok(numbers)),
        Some(_) if !any => Ok(Err(looked_at(table, name, cells))),
        Some((row, cell)) => Err(Error::malformed(format!(
            "column {name}, {} is {cell:?}{}; other rows have numbers",
            table.line(row),
            writing(cell).map_or("", Writing::why)
        ))
        .hint(match writing(cell) {
            Some(Writing::Comma) => Writing::Comma.remedy(),
            _ => "mend the value, or leave the cell empty where there is no score",
        })),
    }
}

fn looked_at(table: &Texts, name: &str, cells: &LargeStringArray) -> LeftOut {
    let mut look = Look::default();
    for (row, cell) in cells.iter().enumerate() {
        look.take(row, cell.unwrap_or_default());
    }
    look.left_out(name, |row| table.line(row))
}
