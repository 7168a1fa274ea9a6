//! List columns, in whichever of Arrow's list types they come.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait};
use arrow_schema::DataType;

use super::parquet_column::check_nulls;
use crate::{Error, Result};

/// How long the lists of a table are, once its first row has been seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lengths {
    pub(crate) models: Option<usize>,
    pub(crate) augmentations: Option<usize>,
}

pub fn is_list(array: &ArrayRef) -> bool {
    matches!(
        array.data_type(),
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..)
    )
}

/// The items of all lists after each other. Every list must be as long as the first was.
pub(crate) fn flatten(
    name: &str,
    axis: &str,
    lists: &ArrayRef,
    wanted: &mut Option<usize>,
    row: impl Fn(usize) -> usize,
) -> Result<ArrayRef> {
    if !is_list(lists) {
        let message = format!("{name} holds {} values", lists.data_type());
        return Err(Error::unsupported(message)
            .hint("one row per record, list columns phi and keep over the models"));
    }
    check_nulls(name, lists, &row)?;
    let (items, lengths) = items(lists);
    let first = lengths.first().copied().unwrap_or(0);
    let wanted = *wanted.get_or_insert(first);
    match lengths.iter().position(|length| *length != wanted) {
        None => Ok(items),
        Some(list) => {
            let (row, length) = (row(list), lengths[list]);
            let message = format!("{name}, row {row} has {length} {axis}, others {wanted}");
            Err(Error::mismatch(message).hint("phi and keep have one entry per model in each row"))
        }
    }
}

/// All items after each other, and how many each list has.
pub fn items(lists: &ArrayRef) -> (ArrayRef, Vec<usize>) {
    match lists.data_type() {
        DataType::List(_) => of_offsets::<i32>(lists),
        DataType::LargeList(_) => of_offsets::<i64>(lists),
        _ => {
            let lists = lists.as_fixed_size_list();
            let length = lists.value_length() as usize;
            (lists.values().clone(), vec![length; lists.len()])
        }
    }
}

fn of_offsets<O: OffsetSizeTrait>(lists: &ArrayRef) -> (ArrayRef, Vec<usize>) {
    let lists = lists.as_list::<O>();
    let offsets = lists.offsets();
    let first = offsets[0].as_usize();
    let last = offsets[offsets.len() - 1].as_usize();
    let lengths = offsets.lengths().collect();
    (lists.values().slice(first, last - first), lengths)
}
