//! NumPy's spelling of element types.

use attacks::signals::plane::Number;

use crate::element::Element;
use crate::{Error, Result};

/// The element type and whether it is big-endian.
pub fn parse(name: &str) -> Result<(Element, bool)> {
    let (big_endian, rest) = match name.split_at_checked(1) {
        Some((">", rest)) => (true, rest),
        Some(("<" | "|" | "=", rest)) => (false, rest),
        _ => (false, name),
    };
    let (kind, width) = rest.split_at_checked(1).ok_or_else(|| unknown(name))?;
    let element = match (kind, width.parse::<usize>().ok()) {
        ("O", _) => return Err(pickled()),
        ("c", _) => return Err(complex()),
        ("V", _) => return Err(structured()),
        ("b", Some(1)) | ("?", _) => Element::Bool,
        ("i", Some(width @ (1 | 2 | 4 | 8))) => Element::Signed(width),
        ("u", Some(width @ (1 | 2 | 4 | 8))) => Element::Unsigned(width),
        ("f", Some(2)) => Element::Float(Number::F16),
        ("f", Some(4)) => Element::Float(Number::F32),
        ("f", Some(8)) => Element::Float(Number::F64),
        ("S" | "a", Some(width)) => Element::Text(width),
        ("U", Some(points)) if points < usize::MAX / 4 => Element::Unicode(points),
        _ => return Err(unknown(name)),
    };
    Ok((element, big_endian))
}

/// Python's spelling of what can be written here.
pub fn name_of(number: Number) -> &'static str {
    match number {
        Number::F16 => "<f2",
        Number::F32 => "<f4",
        Number::F64 => "<f8",
    }
}

fn pickled() -> Error {
    Error::unsupported("holds pickled Python objects, which are never unpickled here")
        .hint("a pickle can run any code; convert with array.astype(float), or astype(str) for ids")
}

fn complex() -> Error {
    Error::unsupported("holds complex numbers").hint("store float32 or float64")
}

pub(crate) fn structured() -> Error {
    Error::unsupported("has a structured element type")
        .hint("store each field as an array of its own")
}

fn unknown(name: &str) -> Error {
    Error::unsupported(format!("the element type {name} is not known"))
        .hint("store bool, integers, float16, float32, float64 or text")
}
