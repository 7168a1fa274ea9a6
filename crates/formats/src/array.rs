//! An array as it lies in a file: any element type, either byte order, any strides.

use std::path::{Path, PathBuf};

use attacks::signals::bytes::Bytes;
use attacks::signals::plane::Plane;

use crate::element::{Element, Scalar};
use crate::{Error, Result};

/// Where an array was found.
#[derive(Clone, Debug)]
pub struct Place {
    pub path: PathBuf,
    pub name: String,
}

impl Place {
    pub fn new(path: &Path, name: &str) -> Self {
        Self {
            path: path.to_owned(),
            name: name.to_owned(),
        }
    }
}

/// The order in which elements follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The last axis is contiguous.
    C,
    /// The first axis is contiguous.
    Fortran,
}

/// What is known of an array before its bytes are looked at.
#[derive(Clone, Debug)]
pub struct Layout {
    pub element: Element,
    pub big_endian: bool,
    pub order: Order,
    pub shape: Vec<usize>,
}

impl Layout {
    /// How many bytes the elements take, unless no machine could hold them.
    pub fn bytes(&self) -> Option<usize> {
        let elements = self.shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
        elements?.checked_mul(self.element.size())
    }

    fn strides(&self) -> Vec<usize> {
        let mut strides = vec![0; self.shape.len()];
        let mut step = self.element.size();
        let mut place = |axis: usize| {
            strides[axis] = step;
            step *= self.shape[axis];
        };
        match self.order {
            Order::C => (0..self.shape.len()).rev().for_each(&mut place),
            Order::Fortran => (0..self.shape.len()).for_each(&mut place),
        }
        strides
    }
}

/// Which axis of an array means what.
#[derive(Clone, Copy, Debug, Default)]
pub struct Axes {
    pub model: Option<usize>,
    pub record: usize,
    pub augmentation: Option<usize>,
    pub class: Option<usize>,
}

/// An array that has elements, every one of which is known to lie inside its bytes.
#[derive(Clone, Debug)]
pub struct Array {
    pub place: Place,
    pub element: Element,
    pub shape: Vec<usize>,
    pub strides: Vec<usize>,
    bytes: Bytes,
    big_endian: bool,
    offset: usize,
}

impl Array {
    /// `length` is how many bytes from `offset` on belong to the array's file.
    pub fn new(
        place: Place,
        layout: &Layout,
        bytes: Bytes,
        offset: usize,
        length: usize,
    ) -> Result<Self> {
        if layout.element.size() == 0 || layout.shape.contains(&0) {
            return Err(empty(&place, &layout.shape));
        }
        let wanted = layout.bytes().filter(|&wanted| wanted <= length);
        if wanted.is_none() || bytes.as_slice().len() < offset + length {
            return Err(truncated(&place, layout, length));
        }
        Ok(Self {
            place,
            element: layout.element,
            strides: layout.strides(),
            shape: layout.shape.clone(),
            bytes,
            big_endian: layout.big_endian,
            offset,
        })
    }

    /// An array in memory; the strides are in bytes, one per axis.
    pub fn strided(
        place: Place,
        (element, big_endian): (Element, bool),
        shape: Vec<usize>,
        strides: Vec<usize>,
        bytes: Bytes,
    ) -> Result<Self> {
        let packed = Layout {
            element,
            big_endian,
            order: Order::C,
            shape,
        };
        if element.size() == 0 || packed.shape.contains(&0) {
            return Err(empty(&place, &packed.shape));
        }
        let axes = packed.shape.iter().zip(&strides);
        let last = axes.map(|(&extent, &stride)| (extent - 1).checked_mul(stride));
        let last = last.reduce(|sum, step| sum?.checked_add(step?));
        let end = last.unwrap_or(Some(0));
        let end = end.and_then(|last| last.checked_add(element.size()));
        let length = bytes.as_slice().len();
        if strides.len() != packed.shape.len() || end.is_none_or(|end| end > length) {
            return Err(truncated(&place, &packed, length));
        }
        Ok(Self {
            place,
            element,
            shape: packed.shape,
            strides,
            bytes,
            big_endian,
            offset: 0,
        })
    }

    /// The same array with an axis of one entry before the others.
    pub fn lifted(mut self) -> Self {
        self.shape.insert(0, 1);
        self.strides.insert(0, 0);
        self
    }

    /// How long an axis is; an axis that is not there counts as one.
    pub fn extent(&self, axis: Option<usize>) -> usize {
        axis.map_or(1, |axis| self.shape[axis])
    }

    /// The bytes of the element at these indices, one index per axis.
    pub fn element_bytes(&self, indices: &[usize]) -> &[u8] {
        let steps = indices.iter().zip(&self.strides).map(|(i, s)| i * s);
        let at = self.offset + steps.sum::<usize>();
        &self.bytes.as_slice()[at..at + self.element.size()]
    }

    /// The bytes of so many elements from these indices on, which lie side by side along the last axis.
    pub fn run_bytes(&self, first: &[usize], elements: usize) -> &[u8] {
        let steps = first.iter().zip(&self.strides).map(|(i, s)| i * s);
        let at = self.offset + steps.sum::<usize>();
        &self.bytes.as_slice()[at..at + elements * self.element.size()]
    }

    /// The bytes of all elements of a file's array, in the order in which they lie.
    pub fn all_bytes(&self) -> &[u8] {
        let elements: usize = self.shape.iter().product();
        &self.bytes.as_slice()[self.offset..][..elements * self.element.size()]
    }

    pub fn is_big_endian(&self) -> bool {
        self.big_endian
    }

    /// Whether elements lie one behind the other, the last axis first.
    pub fn is_packed(&self) -> bool {
        let layout = Layout {
            element: self.element,
            big_endian: self.big_endian,
            order: Order::C,
            shape: self.shape.clone(),
        };
        layout.strides() == self.strides
    }

    /// The number at these indices; text has none.
    pub fn scalar(&self, indices: &[usize]) -> Option<Scalar> {
        let mut bytes = [0; 8];
        let source = self.element_bytes(indices);
        let slots = bytes.get_mut(..source.len())?;
        slots.copy_from_slice(source);
        if self.big_endian {
            slots.reverse();
        }
        self.element.scalar(bytes)
    }

    /// The code points of the Unicode element at these indices.
    pub fn code_points(&self, indices: &[usize]) -> Vec<u32> {
        let (points, _) = self.element_bytes(indices).as_chunks::<4>();
        let decode = match self.big_endian {
            true => u32::from_be_bytes,
            false => u32::from_le_bytes,
        };
        points.iter().map(|point| decode(*point)).collect()
    }

    /// One plane per model, or one plane where no axis counts models.
    pub fn planes(&self, axes: &Axes) -> Result<Vec<Plane>> {
        let Element::Float(number) = self.element else {
            let message = format!("{} holds {}", self.place.name, self.element);
            return Err(Error::unsupported(message)
                .at(&self.place.path)
                .hint("store float16, float32 or float64"));
        };
        let stride = |axis: Option<usize>| axis.map_or(0, |axis| self.strides[axis]);
        let plane = |model: usize| Plane {
            bytes: self.bytes.clone(),
            number,
            big_endian: self.big_endian,
            offset: self.offset + model * stride(axes.model),
            record_stride: self.strides[axes.record],
            augmentation_stride: stride(axes.augmentation),
            class_stride: stride(axes.class),
        };
        Ok((0..self.extent(axes.model)).map(plane).collect())
    }
}

fn empty(place: &Place, shape: &[usize]) -> Error {
    let message = format!("{} is empty: its shape is {shape:?}", place.name);
    Error::malformed(message)
        .at(&place.path)
        .hint("every axis needs at least one entry; write the array again")
}

fn truncated(place: &Place, layout: &Layout, length: usize) -> Error {
    let (name, shape) = (&place.name, &layout.shape);
    let wanted = match layout.bytes() {
        Some(bytes) => format!("{bytes} bytes"),
        None => "more bytes than any machine has".to_owned(),
    };
    Error::malformed(format!(
        "{name} says it has shape {shape:?}, which takes {wanted}, but {length} are there"
    ))
    .at(&place.path)
    .hint("the file was cut short: write or copy it again")
}

#[cfg(test)]
mod tests {
    use attacks::signals::plane::Number;

    use super::*;

    fn scalar(element: Element, big_endian: bool, bytes: Vec<u8>) -> Option<Scalar> {
        let layout = Layout {
            element,
            big_endian,
            order: Order::C,
            shape: vec![],
        };
        let length = bytes.len();
        let place = Place::new(Path::new("a.npy"), "a");
        let array = Array::new(place, &layout, Bytes::new(bytes), 0, length).unwrap();
        array.scalar(&[])
    }

    #[test]
    fn integers_of_every_width_and_byte_order() {
        let minus_two = Some(Scalar::Integer(-2));
        assert_eq!(scalar(Element::Signed(1), false, vec![0xfe]), minus_two);
        let big = (-2i16).to_be_bytes().to_vec();
        assert_eq!(scalar(Element::Signed(2), true, big), minus_two);
        let little = (-2i64).to_le_bytes().to_vec();
        assert_eq!(scalar(Element::Signed(8), false, little), minus_two);
        let largest = Some(Scalar::Integer(u64::MAX.into()));
        assert_eq!(scalar(Element::Unsigned(8), true, vec![255; 8]), largest);
        assert_eq!(scalar(Element::Text(2), false, vec![0; 2]), None);
    }

    #[test]
    fn strides_follow_the_order() {
        let mut layout = Layout {
            element: Element::Float(Number::F32),
            big_endian: false,
            order: Order::C,
            shape: vec![2, 3, 5],
        };
        assert_eq!(layout.strides(), [60, 20, 4]);
        layout.order = Order::Fortran;
        assert_eq!(layout.strides(), [4, 8, 24]);
    }

    #[test]
    fn a_shape_that_no_machine_holds_is_refused() {
        let layout = Layout {
            element: Element::Float(Number::F64),
            big_endian: false,
            order: Order::C,
            shape: vec![usize::MAX, 2],
        };
        let place = Place::new(Path::new("a.npy"), "a");
        let error = Array::new(place, &layout, Bytes::new(vec![0; 8]), 0, 8).unwrap_err();
        assert!(error.to_string().contains("more bytes than any machine"));
    }
}
