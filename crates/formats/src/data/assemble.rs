//! From a table to features and labels: the last step of the readers of tables.

use rayon::prelude::*;

use super::cells::Cells;
use super::encoded::{Encoded, Part, Remark};
use super::labels;
use super::records::{ColumnKind, ColumnNote, Group, Records};
use super::roles::{self, Role};
use super::table::{self, Column, Table};
use super::wanted::Wanted;
use super::{category, decimal_comma, junk, large, number};
use crate::{Error, Result, parts};

/// Records that one task lays down.
const RECORDS_PER_TASK: usize = 1024;

pub(crate) fn records(table: &Table, wanted: &Wanted) -> Result<Records> {
    let names = table.names();
    table::check_names(&names, &table.path)?;
    let roles = roles::assign(&names, wanted, &table.path)?;
    check_rows(table)?;
    let the = |role: Role| roles.iter().position(|there| *there == role);
    let label = the(Role::Label).map(|place| &table.columns[place]);
    let label = label.ok_or_else(|| roles::unknown(&names, &wanted.label).at(&table.path))?;
    let (labels, classes) = labels::labels(table, label, wanted)?;
    let ids = the(Role::Id).map(|place| labels::ids(table, &table.columns[place], wanted));
    let ids = ids.transpose()?;
    let encoded = encode_all(table, &roles, wanted)?;
    let (features, width) = features(table, &encoded)?;
    Ok(Records {
        features,
        width,
        labels,
        classes,
        ids,
        columns: column_notes(&names, &encoded),
        notes: notes(table, &encoded),
        groups: groups(names, encoded),
        sources: parts::files_of(&table.path)?,
    })
}

fn check_rows(table: &Table) -> Result<()> {
    let error = match table.rows.count() {
        0 => Error::malformed("there are no records"),
        1 => Error::malformed("there is only one record"),
        _ => return Ok(()),
    };
    Err(error.at(&table.path).hint("write one row per record"))
}

/// The first column that cannot be read is the one that is reported, whichever fails first.
fn encode_all(table: &Table, roles: &[Role], wanted: &Wanted) -> Result<Vec<Encoded>> {
    let columns = table.columns.par_iter().zip(roles);
    let encoded: Vec<_> = columns
        .map(|(column, role)| encode(table, column, *role, wanted))
        .collect();
    encoded.into_iter().collect()
}

fn encode(table: &Table, column: &Column, role: Role, wanted: &Wanted) -> Result<Encoded> {
    let without = |kind| Ok(Encoded::without(kind, 0, None));
    match role {
        Role::Label => without(ColumnKind::Label),
        Role::Id => without(ColumnKind::Id),
        Role::Ignore => without(ColumnKind::Ignored),
        Role::Category => categories(table, column, wanted, true),
        Role::Number => numbers(table, column, wanted),
        Role::Look => look(table, column, wanted),
    }
}

/// Numbers if all values are numbers, else categories.
fn look(table: &Table, column: &Column, wanted: &Wanted) -> Result<Encoded> {
    if let Cells::NotRead(why) = &column.cells {
        let remark = Remark::Sentence(format!("it is left out: it {why}"));
        return Ok(Encoded::without(ColumnKind::Ignored, 0, Some(remark)));
    }
    let values = numbers_of(table, column, wanted)?;
    match values {
        Some(values) => encode_numbers(table, column, values, wanted, false),
        None => {
            let texts = column.cells.texts().map_err(|e| table.unfit(column, e))?;
            decimal_comma::check(table, column, &texts, wanted)?;
            junk::check(table, column, &texts, wanted)?;
            Ok(category::encode(&texts, wanted, false))
        }
    }
}

/// The numbers of a column, missing ones as NaN; none where a value is no number.
pub(crate) fn numbers_of(
    table: &Table,
    column: &Column,
    wanted: &Wanted,
) -> Result<Option<Vec<f64>>> {
    let unfit = |e| table.unfit(column, e);
    Ok(match column.cells.numbers().map_err(unfit)? {
        Some(values) => Some(values),
        None => number::parse(&column.cells.texts().map_err(unfit)?, wanted).ok(),
    })
}

fn numbers(table: &Table, column: &Column, wanted: &Wanted) -> Result<Encoded> {
    let unfit = |e| table.unfit(column, e);
    let values = match column.cells.numbers().map_err(unfit)? {
        Some(values) => values,
        None => {
            let texts = column.cells.texts().map_err(unfit)?;
            number::parse(&texts, wanted).map_err(|row| {
                let what = format!("{:?} is not a number", texts.value(row));
                table
                    .wrong(column, row, &what)
                    .hint("write it as 1234.5, set decimal = \",\" if it has a decimal comma, or list it as missing")
            })?
        }
    };
    encode_numbers(table, column, values, wanted, true)
}

fn encode_numbers(
    table: &Table,
    column: &Column,
    mut values: Vec<f64>,
    wanted: &Wanted,
    forced: bool,
) -> Result<Encoded> {
    number::mark_missing(&mut values, wanted);
    match values.iter().position(|value| value.is_infinite()) {
        None => finite(table, column, &values, wanted, forced),
        Some(row) => Err(table
            .wrong(
                column,
                row,
                &format!("{} is not a finite number", values[row]),
            )
            .hint("correct it, leave it empty to mean missing, or ignore the column")),
    }
}

fn finite(
    table: &Table,
    column: &Column,
    values: &[f64],
    wanted: &Wanted,
    forced: bool,
) -> Result<Encoded> {
    if !large::is_large(values) {
        return Ok(number::encode(values, forced));
    }
    let texts = column.cells.texts().map_err(|e| table.unfit(column, e))?;
    Ok(large::encode(values, &texts, wanted, forced))
}

fn categories(table: &Table, column: &Column, wanted: &Wanted, forced: bool) -> Result<Encoded> {
    let texts = column.cells.texts().map_err(|e| table.unfit(column, e))?;
    Ok(category::encode(&texts, wanted, forced))
}

/// All features, a record's side by side, and how many a record has.
fn features(table: &Table, encoded: &[Encoded]) -> Result<(Vec<f32>, usize)> {
    let width: usize = encoded.iter().map(Encoded::width).sum();
    if width == 0 {
        return Err(Error::malformed("no column is left to learn from")
            .at(&table.path)
            .hint("columns that are the same everywhere, or different everywhere, teach nothing"));
    }
    let mut features = zeros(table, width)?;
    let chunks = features.par_chunks_mut(width * RECORDS_PER_TASK);
    chunks.enumerate().for_each(|(chunk, features)| {
        let records = chunk * RECORDS_PER_TASK..;
        for (record, features) in records.zip(features.chunks_mut(width)) {
            write(encoded, record, features);
        }
    });
    Ok((features, width))
}

fn zeros(table: &Table, width: usize) -> Result<Vec<f32>> {
    let records = table.rows.count();
    let mut features = Vec::new();
    let length = records.checked_mul(width);
    let reserved = length.filter(|length| features.try_reserve_exact(*length).is_ok());
    let length = reserved.ok_or_else(|| {
        let message = format!("{records} records of {width} features do not fit into memory");
        let hint = "ignore the columns with the most values";
        Error::unsupported(message).at(&table.path).hint(hint)
    })?;
    features.resize(length, 0.0);
    Ok(features)
}

fn write(encoded: &[Encoded], record: usize, mut features: &mut [f32]) {
    for column in encoded {
        let (own, rest) = features.split_at_mut(column.width());
        column.write(record, own);
        features = rest;
    }
}

fn column_notes(names: &[String], encoded: &[Encoded]) -> Vec<ColumnNote> {
    let mut end = 0;
    let note = |(name, column): (&String, &Encoded)| {
        let start = end;
        end += column.width();
        ColumnNote {
            name: name.clone(),
            kind: column.kind.clone(),
            missing: column.missing,
            features: start..end,
        }
    };
    names.iter().zip(encoded).map(note).collect()
}

fn notes(table: &Table, encoded: &[Encoded]) -> Vec<String> {
    let (mut constant, mut naming, mut said) = (Vec::new(), Vec::new(), Vec::new());
    for (column, encoded) in table.columns.iter().zip(encoded) {
        let name = &column.name;
        match &encoded.remark {
            Some(Remark::Constant) => constant.push(name.clone()),
            Some(Remark::NamesRecords) => naming.push(name.clone()),
            Some(Remark::Sentence(sentence)) => said.push(format!("column {name}: {sentence}")),
            None => {}
        }
    }
    let about = |names: &[String], what: &str| {
        let said = format!("left out because {what}: {}", roles::listed(names));
        (!names.is_empty()).then_some(said)
    };
    let mut notes = table.notes.clone();
    notes.extend(about(&constant, "all values are the same"));
    notes.extend(about(
        &naming,
        "all values differ, as the names of records do",
    ));
    notes.extend(said);
    notes
}

fn groups(names: Vec<String>, encoded: Vec<Encoded>) -> Vec<Group> {
    let group = |(name, column): (String, Encoded)| {
        column
            .parts
            .into_iter()
            .find_map(|part| match part {
                Part::Values(_) => None,
                Part::OneHot { codes, names } => Some((codes, names)),
            })
            .map(|(values, names)| Group {
                name,
                values,
                names,
                numbers: Vec::new(),
            })
    };
    names.into_iter().zip(encoded).filter_map(group).collect()
}
