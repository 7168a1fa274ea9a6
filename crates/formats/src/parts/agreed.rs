//! One schema of all parts, or which file has which column otherwise.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::{Part, partition_type};
use crate::{Error, Result};

pub(super) fn schema(parts: &[Part]) -> Result<SchemaRef> {
    let Some(first) = parts.first() else {
        return Ok(Arc::new(Schema::empty()));
    };
    let mut fields = of(first);
    check_names(&fields).map_err(|error| error.at(&first.path))?;
    for part in &parts[1..] {
        merge(&mut fields, part, first)?;
    }
    Ok(Arc::new(Schema::new(fields)))
}

/// Whoever asks for a column by its name would get one of two.
pub(crate) fn check_names(fields: &[Arc<Field>]) -> Result<()> {
    let mut seen = HashSet::new();
    match fields.iter().find(|field| !seen.insert(field.name())) {
        None => Ok(()),
        Some(twice) => Err(
            Error::malformed(format!("two columns are named {}", twice.name()))
                .hint("rename one of them, or leave it out"),
        ),
    }
}

fn of(part: &Part) -> Vec<Arc<Field>> {
    let own = part.metadata.schema().fields().iter().cloned();
    let further = part.further().map(|value| {
        let kind = partition_type(&value.name);
        Arc::new(Field::new(&value.name, kind, true))
    });
    own.chain(further).collect()
}

/// Types must be the same, but for columns that a part has nothing in: writers store these without
/// a type.
fn merge(fields: &mut [Arc<Field>], part: &Part, first: &Part) -> Result<()> {
    let own = of(part);
    check_names(&own).map_err(|error| error.at(&part.path))?;
    let known = |name: &str| fields.iter().any(|field| field.name() == name);
    if let Some(new) = own.iter().find(|field| !known(field.name())) {
        return Err(disagree(part, first, new.name(), "which", "does not have"));
    }
    for field in fields {
        let Some(other) = own.iter().find(|other| other.name() == field.name()) else {
            let (name, there) = (field.name(), first.path.display());
            return Err(
                Error::mismatch(format!("has no column {name}, which {there} has"))
                    .at(&part.path)
                    .hint(HINT),
            );
        };
        let (kind, here) = (field.data_type().clone(), other.data_type());
        if kind == DataType::Null {
            *field = other.clone();
        } else if *here != DataType::Null && !alike(&kind, here) {
            let (name, there) = (field.name(), first.path.display());
            let message = format!("column {name} is of type {here}, in {there} of type {kind}");
            return Err(Error::mismatch(message).at(&part.path).hint(HINT));
        }
    }
    Ok(())
}

const HINT: &str =
    "all files of a folder are one table: write them with the same columns and types";

fn disagree(part: &Part, first: &Part, name: &str, which: &str, lacks: &str) -> Error {
    let there = first.path.display();
    Error::mismatch(format!("has a column {name}, {which} {there} {lacks}"))
        .at(&part.path)
        .hint(HINT)
}

/// Whether values are stored alike: what the items of a list are called does not matter.
fn alike(a: &DataType, b: &DataType) -> bool {
    use DataType::*;
    match (a, b) {
        (List(a), List(b)) | (LargeList(a), LargeList(b)) => alike(a.data_type(), b.data_type()),
        (FixedSizeList(a, n), FixedSizeList(b, m)) => n == m && alike(a.data_type(), b.data_type()),
        (Dictionary(_, a), b) | (b, Dictionary(_, a)) => alike(a, b),
        _ => a == b,
    }
}
