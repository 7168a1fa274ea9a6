//! Python's arrays, borrowed: while one is held here Python can neither free nor resize it.

use attacks::signals::bytes::Bytes;
use formats::in_memory::MemoryArray;
use guestlist::Error;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::prelude::*;

use crate::errors::{Outcome, Raised};

/// An array with its name and its element type as NumPy spells it.
pub type NamedArray<'py> = (String, Bound<'py, PyAny>, String);

/// The array where it lies. Strides must not be negative.
pub fn held((name, array, element): &NamedArray<'_>) -> Outcome<MemoryArray> {
    let buffer = PyUntypedBuffer::get(array).map_err(Raised::Python)?;
    let shape = buffer.shape().to_vec();
    let strides = buffer.strides().iter().copied().map(usize::try_from);
    let strides: Option<Vec<usize>> = strides.map(Result::ok).collect();
    let Some(strides) = strides.filter(|_| buffer.suboffsets().is_none()) else {
        return Err(Raised::from(Error::usage(
            format!("{name} runs backwards through memory"),
            "give numpy.ascontiguousarray of it",
        )));
    };
    let bytes = match extent(&shape, &strides, buffer.item_size()) {
        Some(length) if length > 0 => Bytes::new(Borrowed { buffer, length }),
        _ => Bytes::new(Vec::new()),
    };
    Ok(MemoryArray::new(name, element, shape, strides, bytes)?)
}

/// From the first element's first byte to the last element's last.
fn extent(shape: &[usize], strides: &[usize], item: usize) -> Option<usize> {
    let axes = shape.iter().zip(strides);
    axes.map(|(extent, stride)| extent.checked_sub(1)?.checked_mul(*stride))
        .try_fold(item, |sum, step| sum.checked_add(step?))
}

struct Borrowed {
    buffer: PyUntypedBuffer,
    length: usize,
}

impl AsRef<[u8]> for Borrowed {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the exporter keeps all elements alive and in place until the buffer is released,
        // which dropping `self` does; `length` reaches to the last of them and no further, and
        // `isize::MAX` bounds it as strides and extents are Python's own. The bytes are only read
        // as plain numbers, for which every pattern is valid. Whoever changes the array while it
        // is audited changes the answer, as with a mapped file.
        unsafe { std::slice::from_raw_parts(self.buffer.buf_ptr().cast::<u8>(), self.length) }
    }
}
