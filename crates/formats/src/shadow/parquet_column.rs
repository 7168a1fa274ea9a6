//! The columns of a Parquet table of shadow signals, checked row by row.

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_buffer::ToByteSlice;
use arrow_schema::DataType;
use attacks::signals::plane::Number;

use super::parquet_list::{self, Lengths};
use crate::convert::{Misfits, convert};
use crate::{Error, Result};

/// The numbers of a run of rows, little-endian, a record's models side by side.
pub(crate) struct Phi {
    pub(crate) number: Number,
    pub(crate) bytes: Vec<u8>,
}

/// A bit for each model of each record, records after each other.
#[derive(Default)]
pub(crate) struct Flags {
    words: Vec<u64>,
    length: usize,
}

impl Flags {
    fn push(&mut self, flag: bool) {
        if self.length.is_multiple_of(64) {
            self.words.push(0);
        }
        if let Some(word) = self.words.last_mut() {
            *word |= u64::from(flag) << (self.length % 64);
        }
        self.length += 1;
    }

    pub(crate) fn get(&self, index: usize) -> bool {
        self.words[index / 64] >> (index % 64) & 1 == 1
    }
}

/// φ from lists over models, or over models and augmentations.
pub(crate) fn phi(column: &ArrayRef, first_row: usize, lengths: &mut Lengths) -> Result<Phi> {
    let row = |list: usize| first_row + list;
    let items = parquet_list::flatten("phi", "models", column, &mut lengths.models, row)?;
    let models = lengths.models.unwrap_or(1).max(1);
    let row = |list: usize| first_row + list / models;
    let (leaves, per_row) = match parquet_list::is_list(&items) {
        false => (items, models),
        true => {
            let wanted = &mut lengths.augmentations;
            let leaves = parquet_list::flatten("phi", "augmentations", &items, wanted, row)?;
            (leaves, models * lengths.augmentations.unwrap_or(1).max(1))
        }
    };
    check_nulls("phi", &leaves, |leaf| first_row + leaf / per_row)?;
    numbers(&leaves)
}

fn numbers(leaves: &ArrayRef) -> Result<Phi> {
    let (number, bytes) = match leaves.data_type() {
        DataType::Float16 => (Number::F16, little_endian::<Float16Type>(leaves)),
        DataType::Float32 => (Number::F32, little_endian::<Float32Type>(leaves)),
        DataType::Float64 => (Number::F64, little_endian::<Float64Type>(leaves)),
        other => {
            return Err(Error::unsupported(format!("phi holds {other} values"))
                .hint("phi is a list of float16, float32 or float64 over the models"));
        }
    };
    Ok(Phi { number, bytes })
}

/// Arrow keeps numbers in the machine's byte order.
fn little_endian<T: ArrowPrimitiveType>(leaves: &ArrayRef) -> Vec<u8> {
    let leaves: &PrimitiveArray<T> = leaves.as_primitive();
    let mut bytes = leaves.values().to_byte_slice().to_vec();
    if cfg!(target_endian = "big") {
        bytes
            .chunks_mut(size_of::<T::Native>())
            .for_each(<[u8]>::reverse);
    }
    bytes
}

/// Membership from lists of booleans or of zeros and ones.
pub(crate) fn keep(
    column: &ArrayRef,
    first_row: usize,
    lengths: &mut Lengths,
    flags: &mut Flags,
) -> Result<()> {
    let row = |list: usize| first_row + list;
    let leaves = parquet_list::flatten("keep", "models", column, &mut lengths.models, row)?;
    let models = lengths.models.unwrap_or(1).max(1);
    check_nulls("keep", &leaves, |leaf| first_row + leaf / models)?;
    if let Some(leaves) = leaves.as_boolean_opt() {
        leaves.values().iter().for_each(|flag| flags.push(flag));
        return Ok(());
    }
    let numeric = leaves.data_type().is_numeric();
    let numbers = numeric.then(|| convert(&leaves, &DataType::Float64, Misfits::BecomeNull));
    let numbers = numbers.and_then(std::result::Result::ok).ok_or_else(|| {
        Error::unsupported(format!("keep holds {} values", leaves.data_type()))
            .hint("keep is a list of booleans, or of 0 and 1, over the models")
    })?;
    for (leaf, value) in numbers
        .as_primitive::<Float64Type>()
        .values()
        .iter()
        .enumerate()
    {
        if *value != 0.0 && *value != 1.0 {
            let (record, model) = (first_row + leaf / models, leaf % models);
            let message = format!("keep of model {model}, record {record} is {value}");
            return Err(Error::malformed(message)
                .hint("keep holds true or 1 where the model trained on the record, else 0"));
        }
        flags.push(*value == 1.0);
    }
    Ok(())
}

/// Ids from text or whole numbers, in whatever encoding they are kept.
pub fn ids(column: &ArrayRef, first_row: usize) -> Result<Vec<String>> {
    let texts = id_texts(column, first_row)?;
    let ids = texts.as_string::<i32>().iter().flatten();
    Ok(ids.map(str::to_owned).collect())
}

/// The same as a column of texts without a gap.
pub(crate) fn id_texts(column: &ArrayRef, first_row: usize) -> Result<ArrayRef> {
    let plain = match column.data_type() {
        DataType::Dictionary(_, values) => values.as_ref(),
        other => other,
    };
    let text = matches!(
        plain,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    );
    if !text && !plain.is_integer() {
        return Err(Error::unsupported(format!("id holds {plain} values"))
            .hint("id is text or a whole number"));
    }
    let column = converted("id", column, &DataType::Utf8)?;
    check_nulls("id", &column, |row| first_row + row)?;
    Ok(column)
}

/// Labels from whole numbers, none of them negative.
pub(crate) fn labels(column: &ArrayRef, first_row: usize) -> Result<Vec<i64>> {
    if !column.data_type().is_integer() {
        let message = format!("label holds {} values", column.data_type());
        return Err(Error::unsupported(message).hint("label is a class number from 0 on"));
    }
    let column = converted("label", column, &DataType::Int64)?;
    check_nulls("label", &column, |row| first_row + row)?;
    let labels = column.as_primitive::<Int64Type>().values();
    match labels.iter().position(|label| *label < 0) {
        None => Ok(labels.to_vec()),
        Some(row) => {
            let message = format!("label, row {} is {}", first_row + row, labels[row]);
            Err(Error::malformed(message).hint("labels are class numbers from 0 on"))
        }
    }
}

fn converted(name: &str, column: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let failed = |e: Error| Error::malformed(format!("{name} cannot be read: {e}"));
    convert(column, to, Misfits::BecomeNull).map_err(failed)
}

/// Nothing may be missing: an audit over holes would be one over other records.
pub fn check_nulls(name: &str, values: &ArrayRef, row: impl Fn(usize) -> usize) -> Result<()> {
    if values.null_count() == 0 {
        return Ok(());
    }
    let first = (0..values.len()).find(|index| values.is_null(*index));
    let row = row(first.unwrap_or(0));
    Err(
        Error::malformed(format!("{name}, row {row} is null or holds a null"))
            .hint("fill it in or leave the row out"),
    )
}
