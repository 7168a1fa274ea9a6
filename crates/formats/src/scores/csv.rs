//! Scores in text: a line of names, then one line per record. An empty cell is an abstention.

use std::path::Path;

use arrow_array::{Array, LargeStringArray};

use super::precomputed::{Draft, Numbers, PrecomputedScores, flag};
use super::{ID, MEMBER, MEMBER_HINT};
use crate::data::{Decimal, Texts, texts};
use crate::ids::Ids;
use crate::{Error, Result};

pub(crate) fn read(path: &Path) -> Result<PrecomputedScores> {
    let table = texts(path)?;
    let mut draft = Draft {
        format: "CSV scores",
        ids: None,
        members: None,
        columns: Vec::new(),
        others: Vec::new(),
    };
    for (name, cells) in &table.columns {
        match name.as_str() {
            ID => draft.ids = Some(ids(cells)),
            MEMBER => {
                let found = members(&table, cells).map_err(|error| error.at(path))?;
                draft.members = Some(found);
            }
            _ => match numbers(&table, name, cells).map_err(|error| error.at(path))? {
                Some(numbers) => draft.columns.push((name.clone(), numbers)),
                None => draft.others.push((name.clone(), "texts".to_owned())),
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

/// The numbers of a column; none where it holds no number at all. One that holds both is refused:
/// a slip of the pen must not take a score out of the audit.
fn numbers(table: &Texts, name: &str, cells: &LargeStringArray) -> Result<Option<Numbers>> {
    let mut numbers = Numbers::with_capacity(cells.len());
    let (mut text, mut any, mut commas) = (None, false, true);
    for (row, cell) in cells.iter().enumerate() {
        let cell = cell.unwrap_or_default();
        let number = cell.parse().ok();
        if number.is_none() && !cell.is_empty() {
            text.get_or_insert((row, cell));
            commas &= Decimal::Comma.number(cell).is_some();
        }
        any |= number.is_some();
        numbers.push(number);
    }
    match text {
        None => Ok(Some(numbers)),
        // Left out as a column of texts, a score would be lost.
        Some((row, cell)) if commas => Err(Error::malformed(format!(
            "column {name}, {} is {cell:?}, with a comma where a number has a point",
            table.line(row)
        ))
        .hint("write the scores with a point, as 0.53: spreadsheets set to a language with decimal commas write these; \
               leave the column out if these are no numbers")),
        Some(_) if !any => Ok(None),
        Some((row, cell)) => Err(Error::malformed(format!(
            "column {name}, {} is {cell:?}, other rows have numbers",
            table.line(row)
        ))
        .hint("mend the value, or leave the cell empty where there is no score")),
    }
}
