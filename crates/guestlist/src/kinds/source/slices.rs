//! What texts can be cut by: how long they are, and what they are about.

use formats::texts::Item;
use judge::diagnostics::SliceColumn;

use crate::pipeline::slicing::{LENGTH, TOPIC, column, lengths};
use crate::{Error, Result};

/// The column of this name; nothing where there is none.
pub fn slice_column(name: &str, items: &[&Item]) -> Option<Result<SliceColumn>> {
    let items = items.iter();
    match name {
        LENGTH => Some(lengths(
            items.map(|item| item.text().map_or(0, text::count_words)),
        )),
        TOPIC => {
            let topics: Vec<Option<String>> = items.map(|item| item.topic.clone()).collect();
            Some(column(TOPIC, &topics))
        }
        _ => None,
    }
}

/// Refuses what texts cannot be cut by, before anything is spent.
pub fn check_slices(names: &[String], items: &[Item]) -> Result<()> {
    let items: Vec<&Item> = items.iter().collect();
    for name in names {
        match slice_column(name, &items) {
            Some(column) => drop(column?),
            None => {
                return Err(Error::usage(
                    format!("audit.slices has {name}, by which texts of kind source cannot be cut"),
                    format!("name {LENGTH} or {TOPIC}"),
                ));
            }
        }
    }
    Ok(())
}
