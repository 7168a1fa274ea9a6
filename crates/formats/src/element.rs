//! What the elements of an array are, and what one of them is worth.

use std::fmt;

use attacks::signals::plane::Number;
use half::f16;

/// What one element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    Bool,
    /// Width in bytes.
    Signed(usize),
    /// Width in bytes.
    Unsigned(usize),
    Float(Number),
    /// Bytes of text, padded with zeros.
    Text(usize),
    /// Code points of four bytes each, padded with zeros.
    Unicode(usize),
}

impl Element {
    pub fn size(self) -> usize {
        match self {
            Element::Bool => 1,
            Element::Signed(width) | Element::Unsigned(width) | Element::Text(width) => width,
            Element::Float(number) => number.size(),
            Element::Unicode(points) => points * 4,
        }
    }

    /// The value of up to eight little-endian bytes, padded with zeros; text has none.
    pub fn scalar(self, bytes: [u8; 8]) -> Option<Scalar> {
        let unsigned = u64::from_le_bytes(bytes);
        let [a, b, c, d, ..] = bytes;
        Some(match self {
            Element::Bool | Element::Unsigned(_) => Scalar::Integer(unsigned.into()),
            Element::Signed(width) => {
                let unused = 64 - 8 * width as u32;
                Scalar::Integer(((unsigned << unused) as i64 >> unused).into())
            }
            Element::Float(Number::F16) => Scalar::Float(f16::from_le_bytes([a, b]).to_f64()),
            Element::Float(Number::F32) => Scalar::Float(f32::from_le_bytes([a, b, c, d]).into()),
            Element::Float(Number::F64) => Scalar::Float(f64::from_le_bytes(bytes)),
            Element::Text(_) | Element::Unicode(_) => return None,
        })
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Bool => f.write_str("booleans"),
            Element::Signed(width) => write!(f, "int{} values", width * 8),
            Element::Unsigned(width) => write!(f, "uint{} values", width * 8),
            Element::Float(number) => write!(f, "float{} values", number.size() * 8),
            Element::Text(_) | Element::Unicode(_) => f.write_str("text"),
        }
    }
}

/// One element's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    Integer(i128),
    Float(f64),
}

impl Scalar {
    pub fn is_finite(self) -> bool {
        match self {
            Scalar::Integer(_) => true,
            Scalar::Float(value) => value.is_finite(),
        }
    }

    pub fn number(self) -> f64 {
        match self {
            Scalar::Integer(value) => value as f64,
            Scalar::Float(value) => value,
        }
    }

    /// The number, unless it is an integer that a float cannot hold.
    pub fn exact(self) -> Option<f64> {
        let number = self.number();
        match self {
            Scalar::Integer(value) if number as i128 != value => None,
            _ => Some(number),
        }
    }

    /// The whole number that this is, if it is one.
    pub fn whole(self) -> Option<i64> {
        match self {
            Scalar::Integer(value) => value.try_into().ok(),
            Scalar::Float(value) if value.fract() == 0.0 && value.abs() < 9e15 => {
                Some(value as i64)
            }
            Scalar::Float(_) => None,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Integer(value) => value.fmt(f),
            Scalar::Float(value) => value.fmt(f),
        }
    }
}
