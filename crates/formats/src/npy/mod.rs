//! NumPy's `.npy`: a header that names element type, order and shape, then the bytes.

pub mod element;
mod literal;

use std::io::{self, Write};
use std::path::Path;

use attacks::signals::bytes::Bytes;

use self::literal::Literal;
use crate::array::{Array, Layout, Order, Place};
use crate::memory;
use crate::{Error, Result};

pub const MAGIC: &[u8] = b"\x93NUMPY";

/// Maps a `.npy` file; the array is named as the file is.
pub fn open(path: &Path) -> Result<Array> {
    let bytes = memory::map(path)?;
    let length = bytes.as_slice().len();
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    array(Place::new(path, &name), bytes, 0, length)
}

/// The array in a run of bytes that holds a whole `.npy` file.
pub fn array(place: Place, bytes: Bytes, start: usize, length: usize) -> Result<Array> {
    let file = &bytes.as_slice()[start..start + length];
    let (layout, header) = parse(file).map_err(|e| in_array(e, &place))?;
    Array::new(place, &layout, bytes, start + header, length - header)
}

fn in_array(mut error: Error, place: &Place) -> Error {
    error.message = format!("{}: {}", place.name, error.message);
    error.at(&place.path)
}

/// The layout, and how many bytes the header takes.
fn parse(file: &[u8]) -> Result<(Layout, usize)> {
    let (text, end) = header_text(file)?;
    let text = std::str::from_utf8(text).map_err(|_| broken("is not text"))?;
    let header = literal::parse(text).ok_or_else(|| broken("is not a Python dictionary"))?;
    let (element, big_endian) = match header.get("descr") {
        Some(Literal::Text(name)) => element::parse(name)?,
        Some(Literal::Sequence(_)) => return Err(element::structured()),
        _ => return Err(broken("names no element type")),
    };
    let order = match header.get("fortran_order") {
        Some(Literal::Bool(true)) => Order::Fortran,
        Some(Literal::Bool(false)) => Order::C,
        _ => return Err(broken("names no order")),
    };
    let shape = header.get("shape").and_then(shape);
    let layout = Layout {
        element,
        big_endian,
        order,
        shape: shape.ok_or_else(|| broken("names no shape"))?,
    };
    Ok((layout, end))
}

fn header_text(file: &[u8]) -> Result<(&[u8], usize)> {
    let after = file.strip_prefix(MAGIC);
    let after = after.ok_or_else(|| Error::malformed("does not start as a .npy file does"))?;
    let (start, length) = match *after {
        [1, _, a, b, ..] => (10, usize::from(u16::from_le_bytes([a, b]))),
        [2 | 3, _, a, b, c, d, ..] => (12, u32::from_le_bytes([a, b, c, d]) as usize),
        [1..=3, ..] | [] => return Err(broken("is cut short")),
        [version, ..] => {
            let message = format!("version {version} of the .npy format is not known");
            return Err(Error::unsupported(message));
        }
    };
    let end = start + length;
    let text = file.get(start..end).ok_or_else(|| broken("is cut short"))?;
    Ok((text, end))
}

fn shape(literal: &Literal) -> Option<Vec<usize>> {
    let Literal::Sequence(extents) = literal else {
        return None;
    };
    let extent = |literal: &Literal| match literal {
        Literal::Integer(extent) => usize::try_from(*extent).ok(),
        _ => None,
    };
    extents.iter().map(extent).collect()
}

fn broken(what: &str) -> Error {
    Error::malformed(format!("the .npy header {what}")).hint("write or copy the file again")
}

/// Writes the header of a little-endian array in C order; `element` as NumPy spells it.
pub fn write_header(out: &mut impl Write, element: &str, shape: &[usize]) -> io::Result<()> {
    let extents: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
    let extents = match shape.len() {
        1 => extents.trim_end(),
        _ => extents.trim_end_matches(", "),
    };
    let text = format!("{{'descr': '{element}', 'fortran_order': False, 'shape': ({extents}), }}");
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let length_field = u16::try_from(length).map_err(io::Error::other)?;
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&length_field.to_le_bytes())?;
    writeln!(out, "{text:<width$}", width = length - 1)
}

#[cfg(test)]
mod tests {
    use attacks::signals::plane::Number;
    use proptest::prelude::*;

    use super::*;
    use crate::element::Element;

    fn file(text: &str) -> Vec<u8> {
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((text.len() as u16).to_le_bytes());
        file.extend(text.as_bytes());
        file
    }

    fn refusal(text: &str) -> String {
        parse(&file(text)).unwrap_err().to_string()
    }

    #[test]
    fn a_header_that_was_written_reads_back() {
        for shape in [vec![], vec![7], vec![257, 5010], vec![1, 2, 3, 4]] {
            let mut out = Vec::new();
            write_header(&mut out, "<f4", &shape).unwrap();
            let (layout, end) = parse(&out).unwrap();
            assert_eq!((layout.shape, end), (shape, out.len()));
            assert_eq!(layout.element, Element::Float(Number::F32));
            assert_eq!(end % 64, 0);
        }
    }

    #[test]
    fn what_old_python_wrote_is_read() {
        let text = "{'shape': (3L, 4L), 'fortran_order': True, 'descr': '>f8'}";
        let (layout, _) = parse(&file(text)).unwrap();
        assert_eq!(layout.shape, [3, 4]);
        assert!(layout.big_endian && layout.order == Order::Fortran);
    }

    #[test]
    fn objects_and_structures_are_refused_in_words() {
        let objects = refusal("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }");
        assert!(objects.contains("pickled Python objects"), "{objects}");
        let records = refusal("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }");
        assert!(records.contains("structured"), "{records}");
        let complex = refusal("{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }");
        assert!(complex.contains("complex"), "{complex}");
    }

    #[test]
    fn nesting_without_end_is_refused() {
        let text = format!("{{'shape': {}", "(".repeat(60_000));
        assert!(refusal(&text).contains("not a Python dictionary"));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
            let place = Place::new(Path::new("a.npy"), "a");
            let length = bytes.len();
            let _ = array(place, Bytes::new(bytes), 0, length);
        }

        #[test]
        fn arbitrary_headers_never_panic(text in "[{}()\\[\\]',: a-zA-Z0-9<>|=-]{0,80}") {
            let _ = parse(&file(&text));
        }

        #[test]
        fn arbitrary_fields_never_panic(element in "[<>|=]?[a-zA-Z?][0-9]{0,20}", extent: u64) {
            let text = format!(
                "{{'descr': '{element}', 'fortran_order': False, 'shape': ({extent}, 3)}}"
            );
            let bytes = file(&text);
            let length = bytes.len();
            let place = Place::new(Path::new("a.npy"), "a");
            prop_assert!(array(place, Bytes::new(bytes), 0, length).is_err());
        }
    }
}
