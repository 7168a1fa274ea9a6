//! The values of one column, in whatever form the file keeps them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array as _, ArrayRef, LargeStringArray};
use arrow_schema::DataType;

use crate::array::Array;
use crate::convert::{Misfits, convert};
use crate::element::{Element, Scalar};
use crate::shadow::ids;
use crate::{Error, Result};

pub(crate) enum Cells {
    Text(LargeStringArray),
    /// Numbers of any width; null is missing.
    Numbers(ArrayRef),
    /// One column of an array: the indices behind the record's.
    Slice {
        array: Arc<Array>,
        indices: Vec<usize>,
    },
    /// Left in the file; why, as the end of the sentence "the column …".
    NotRead(String),
}

impl Cells {
    /// The numbers, missing ones as NaN; none where the column holds text.
    pub(crate) fn numbers(&self) -> Result<Option<Vec<f64>>> {
        match self {
            Cells::Text(_) => Ok(None),
            Cells::Numbers(array) => {
                let numbers = converted(array, &DataType::Float64)?;
                let numbers = numbers.as_primitive::<Float64Type>().iter();
                Ok(Some(numbers.map(|x| x.unwrap_or(f64::NAN)).collect()))
            }
            Cells::Slice { array, indices } => {
                let number = |scalar| match scalar {
                    Scalar::Integer(value) => value as f64,
                    Scalar::Float(value) => value,
                };
                let numbers = values(array, indices, |place| array.scalar(place).map(number));
                Ok(numbers.collect())
            }
            Cells::NotRead(why) => Err(not_read(why)),
        }
    }

    /// The values as text; whole numbers have no decimal point.
    pub(crate) fn texts(&self) -> Result<LargeStringArray> {
        match self {
            Cells::Text(texts) => Ok(texts.clone()),
            Cells::Numbers(array) if array.data_type().is_integer() => {
                Ok(converted(array, &DataType::LargeUtf8)?.as_string().clone())
            }
            Cells::Numbers(_) => Ok(self
                .numbers()?
                .into_iter()
                .flatten()
                .map(|number| number_text(Scalar::Float(number)))
                .collect()),
            Cells::Slice { array, indices } => {
                let texts = values(array, indices, |place| slice_text(array, place));
                Ok(texts.collect())
            }
            Cells::NotRead(why) => Err(not_read(why)),
        }
    }
}

/// Every record's value, from the place of it.
fn values<T>(
    array: &Array,
    indices: &[usize],
    value: impl Fn(&[usize]) -> T,
) -> impl Iterator<Item = T> {
    let mut place = [&[0], indices].concat();
    (0..array.shape[0]).map(move |record| {
        place[0] = record;
        value(&place)
    })
}

fn slice_text(array: &Array, place: &[usize]) -> Option<String> {
    match array.element {
        Element::Text(_) | Element::Unicode(_) => ids::text(array, place),
        _ => array.scalar(place).and_then(number_text),
    }
}

fn number_text(scalar: Scalar) -> Option<String> {
    match (scalar, scalar.whole()) {
        (Scalar::Float(value), _) if value.is_nan() => None,
        (Scalar::Float(_), Some(whole)) => Some(whole.to_string()),
        _ => Some(scalar.to_string()),
    }
}

pub(crate) fn converted(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    convert(array, to, Misfits::BecomeNull)
}

fn not_read(why: &str) -> Error {
    Error::unsupported(why).hint("store numbers, booleans or text")
}
