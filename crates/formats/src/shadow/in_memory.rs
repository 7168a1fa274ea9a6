//! Shadow signals that a program holds in memory, in the arrays and under the names of `npz`.

use std::path::{Path, PathBuf};

use super::matrix::{self, NamedArrays};
use super::table::ShadowTable;
use crate::array::Array;
use crate::in_memory::MemoryArray;
use crate::{Error, Result};

/// Reads `phi` or `logits`, `keep`, and `labels` where they are there. Nothing is copied but what
/// readers of files copy as well: `keep` becomes bits.
pub fn from_arrays(arrays: Vec<MemoryArray>, ids: Option<Vec<String>>) -> Result<ShadowTable> {
    matrix::read("arrays", Held { arrays, ids })
}

struct Held {
    arrays: Vec<MemoryArray>,
    ids: Option<Vec<String>>,
}

impl NamedArrays for Held {
    fn path(&self) -> &Path {
        Path::new("")
    }

    fn names(&self) -> Vec<String> {
        self.arrays
            .iter()
            .map(|held| held.name().to_owned())
            .collect()
    }

    fn fetch(&mut self, name: &str) -> Result<Array> {
        let found = self.arrays.iter().find(|held| held.name() == name);
        let found = found.ok_or_else(|| Error::missing(format!("there is no {name}")))?;
        Ok(found.array.clone())
    }

    fn ids(&self) -> Result<Option<Vec<String>>> {
        Ok(self.ids.clone())
    }

    fn sources(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use attacks::signals::bytes::Bytes;

    use super::*;

    fn array(name: &str, element: &str, bytes: Bytes) -> MemoryArray {
        let size = element[2..].parse::<usize>().unwrap();
        MemoryArray::new(name, element, vec![2, 3], vec![3 * size, size], bytes).unwrap()
    }

    fn singles(numbers: [f32; 6]) -> Bytes {
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
        Bytes::new(bytes.collect::<Vec<u8>>())
    }

    #[test]
    fn outputs_stay_where_they_lie() {
        let phi = singles([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        let keep = Bytes::new(vec![1, 0, 0, 0, 1, 1]);
        let arrays = vec![array("phi", "<f4", phi.clone()), array("keep", "|b1", keep)];
        let table = from_arrays(arrays, None).unwrap();
        let read = table.outputs.planes[1].bytes.as_slice();
        assert_eq!(read.as_ptr(), phi.as_slice().as_ptr());
        assert!(table.members[1].get(2) && !table.members[0].get(2));
    }

    #[test]
    fn what_cannot_be_is_refused_by_model_and_record() {
        let phi = singles([0.0, 1.0, 2.0, 3.0, f32::NAN, 5.0]);
        let keep = Bytes::new(vec![1, 0, 0, 0, 1, 1]);
        let arrays = vec![array("phi", "<f4", phi), array("keep", "|b1", keep)];
        let error = from_arrays(arrays, None);
        let error = error.unwrap_err().to_string();
        assert!(
            error.starts_with("phi of model 1, record 1 is NaN; hint:"),
            "{error}"
        );
    }
}
