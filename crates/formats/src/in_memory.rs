//! Arrays that a program holds in memory, read where they lie.

use std::path::Path;

use attacks::signals::bytes::Bytes;

use crate::array::{Array, Place};
use crate::npy::element;
use crate::shadow::{ids, keep};
use crate::{Error, Result};

/// One array with its name; it has elements, and all of them lie inside its bytes.
#[derive(Clone, Debug)]
pub struct MemoryArray {
    pub array: Array,
}

impl MemoryArray {
    /// `element` is spelt as NumPy does, such as `<f4`; strides are in bytes, one per axis.
    pub fn new(
        name: &str,
        element: &str,
        shape: Vec<usize>,
        strides: Vec<usize>,
        bytes: Bytes,
    ) -> Result<Self> {
        let element = element::parse(element).map_err(|mut error| {
            error.message = format!("{name} {}", error.message);
            error
        })?;
        let place = Place::new(Path::new(""), name);
        let array = Array::strided(place, element, shape, strides, bytes)?;
        Ok(Self { array })
    }

    pub fn name(&self) -> &str {
        &self.array.place.name
    }

    /// The numbers of an array [records]; NaN stays NaN.
    pub fn numbers(&self) -> Result<Vec<f64>> {
        let number = |record: usize| {
            let Some(scalar) = self.array.scalar(&[record]) else {
                let message = format!("{}, record {record} is text", self.name());
                return Err(Error::malformed(message).hint("give numbers"));
            };
            scalar.exact().ok_or_else(|| {
                let message = format!("{}, record {record} is too long an integer", self.name());
                Error::malformed(message)
                    .hint("scores are compared as float64, exact up to 2^53; subtract a constant")
            })
        };
        (0..self.records()?).map(number).collect()
    }

    /// Zeros and ones, or booleans, of an array [records].
    pub fn flags(&self) -> Result<Vec<bool>> {
        let records = self.records()?;
        let row = keep::row(&self.array)?;
        Ok((0..records).map(|record| row.get(record)).collect())
    }

    /// The same, with nothing where an entry is −1 or NaN.
    pub fn known_flags(&self) -> Result<Vec<Option<bool>>> {
        self.records()?;
        keep::known(&self.array)
    }

    /// Names of an array [records] of text or whole numbers.
    pub fn texts(&self) -> Result<Vec<String>> {
        ids::read(&self.array)
    }

    fn records(&self) -> Result<usize> {
        match self.array.shape.as_slice() {
            &[records] => Ok(records),
            shape => {
                let message = format!("{} has shape {shape:?}; wanted [records]", self.name());
                Err(Error::mismatch(message).hint("one entry per record"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(
        element: &str,
        shape: &[usize],
        strides: &[usize],
        bytes: Vec<u8>,
    ) -> Result<MemoryArray> {
        let bytes = Bytes::new(bytes);
        MemoryArray::new("scores", element, shape.to_vec(), strides.to_vec(), bytes)
    }

    #[test]
    fn every_other_number_of_either_byte_order_is_read() {
        let bytes = [1.0f32, 2.0, 3.0].iter().flat_map(|x| x.to_be_bytes());
        let array = held(">f4", &[2], &[8], bytes.collect()).unwrap();
        assert_eq!(array.numbers().unwrap(), [1.0, 3.0]);
    }

    #[test]
    fn an_array_that_leaves_its_bytes_is_refused() {
        for (shape, strides) in [
            (vec![3], vec![4]),
            (vec![2], vec![usize::MAX]),
            (vec![2, 1], vec![4]),
        ] {
            assert!(held("<f4", &shape, &strides, vec![0; 8]).is_err());
        }
        let error = held("<f4", &[0], &[4], Vec::new()).unwrap_err().to_string();
        assert!(error.starts_with("scores is empty"), "{error}");
    }

    #[test]
    fn messages_name_the_array_and_no_file() {
        let error = held("|u1", &[2], &[1], vec![1, 7]).unwrap().flags();
        let error = error.unwrap_err().to_string();
        assert!(
            error.starts_with("scores, record 1 is 7; hint: scores holds 1"),
            "{error}"
        );
        let error = held("|O", &[1], &[8], vec![0; 8]).unwrap_err().to_string();
        assert!(error.starts_with("scores holds pickled"), "{error}");
    }
}
