//! `ids`: what the user calls the records. Data, whatever they look like.

use std::collections::HashMap;
use std::path::Path;

use crate::array::Array;
use crate::element::Element;
use crate::{Error, Result};

/// Ids of an array [records] of text or whole numbers.
pub fn read(ids: &Array) -> Result<Vec<String>> {
    let &[records] = ids.shape.as_slice() else {
        let (name, shape) = (&ids.place.name, &ids.shape);
        let message = format!("{name} has shape {shape:?}; wanted [records]");
        return Err(Error::mismatch(message).at(&ids.place.path));
    };
    (0..records).map(|record| id(ids, record)).collect()
}

fn id(ids: &Array, record: usize) -> Result<String> {
    let id = match ids.element {
        Element::Text(_) | Element::Unicode(_) => text(ids, &[record]),
        Element::Float(_) => None,
        _ => ids.scalar(&[record]).map(|number| number.to_string()),
    };
    id.ok_or_else(|| not_an_id(ids, record))
}

/// The text at these indices, where there is text and it is valid Unicode.
pub fn text(array: &Array, indices: &[usize]) -> Option<String> {
    match array.element {
        Element::Text(_) => utf8(array.element_bytes(indices)),
        Element::Unicode(_) => unicode(&array.code_points(indices)),
        _ => None,
    }
}

fn utf8(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().rposition(|byte| *byte != 0);
    let text = &bytes[..end.map_or(0, |last| last + 1)];
    String::from_utf8(text.to_owned()).ok()
}

fn unicode(points: &[u32]) -> Option<String> {
    let end = points.iter().rposition(|point| *point != 0);
    let text = &points[..end.map_or(0, |last| last + 1)];
    text.iter().copied().map(char::from_u32).collect()
}

fn not_an_id(ids: &Array, record: usize) -> Error {
    let name = &ids.place.name;
    let message = match ids.element {
        Element::Float(_) => format!("{name} holds {}", ids.element),
        _ => format!("{name}, record {record} is not valid Unicode"),
    };
    Error::malformed(message)
        .at(&ids.place.path)
        .hint("ids are text in UTF-8, or whole numbers")
}

/// One id per record, each given once.
pub fn check(ids: &[String], records: usize, path: &Path) -> Result<()> {
    if ids.len() != records {
        let message = format!(
            "there are {} ids but the models' outputs have {records} records",
            ids.len()
        );
        return Err(Error::mismatch(message)
            .at(path)
            .hint("one id per record, in the same order"));
    }
    check_unique(ids, path, |row| format!("record {row}"))
}

/// No id is given twice; `name` says how the user finds a record.
pub fn check_unique(ids: &[String], path: &Path, name: impl Fn(usize) -> String) -> Result<()> {
    let mut rows = HashMap::with_capacity(ids.len());
    for (row, id) in ids.iter().enumerate() {
        if let Some(earlier) = rows.insert(id.as_str(), row) {
            let (earlier, row) = (name(earlier), name(row));
            let message = format!("the id {id:?} names both {earlier} and {row}");
            return Err(Error::malformed(message).at(path).hint(
                "a record appears once; remove one of them or tell them apart: the records of one \
                     person have ids of their own and share a group",
            ));
        }
    }
    Ok(())
}
