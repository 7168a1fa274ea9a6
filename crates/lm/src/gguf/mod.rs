//! GGUF, the format of llama.cpp: a description, and weights in blocks of few bits.
//! <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>

mod blocks;
mod kinds;
mod reader;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub(crate) use kinds::Kind;
use reader::Reader;

const ALIGNMENT: u64 = 32;
const MOST_DIMENSIONS: u32 = 4;

/// Why a file cannot be read.
pub(crate) type Complaint = String;

/// A value of the description.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    U64(u64),
    I64(i64),
    F32(f32),
    F64(f64),
    Bool(bool),
    String(String),
    Array(Vec<Value>),
}

impl Value {
    /// A whole number without a sign.
    pub(crate) fn to_u64(&self) -> Option<u64> {
        match *self {
            Self::U8(value) => Some(value.into()),
            Self::U16(value) => Some(value.into()),
            Self::U32(value) => Some(value.into()),
            Self::U64(value) => Some(value),
            Self::Bool(value) => Some(value.into()),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }
}

/// Where weights lie, and how they are stored.
pub(crate) struct TensorInfo {
    pub(crate) kind: &'static Kind,
    /// The last varies fastest.
    pub(crate) shape: Vec<usize>,
    offset: u64,
}

impl TensorInfo {
    pub(crate) fn numbers(&self) -> usize {
        let sizes = self.shape.iter();
        sizes.fold(1, |product: usize, size| product.saturating_mul(*size))
    }
}

/// What stands before the weights.
pub(crate) struct Content {
    pub(crate) metadata: HashMap<String, Value>,
    pub(crate) tensor_infos: HashMap<String, TensorInfo>,
    /// Where the weights begin.
    start: u64,
}

impl Content {
    pub(crate) fn read(file: &[u8]) -> Result<Self, Complaint> {
        let (mut reader, tensors, fields) = Reader::open(file)?;
        let mut metadata = HashMap::new();
        for _ in 0..fields {
            let key = reader.string()?;
            metadata.insert(key, reader.value()?);
        }
        let mut tensor_infos = HashMap::new();
        for _ in 0..tensors {
            let name = reader.string()?;
            let info = tensor_info(&mut reader).map_err(|why| format!("tensor {name:?}: {why}"))?;
            tensor_infos.insert(name, info);
        }
        let start = reader.position().next_multiple_of(alignment(&metadata));
        Ok(Self {
            metadata,
            tensor_infos,
            start,
        })
    }

    /// The weights of a tensor as numbers.
    pub(crate) fn tensor(&self, file: &[u8], info: &TensorInfo) -> Result<Vec<f32>, Complaint> {
        let (numbers, kind) = (info.numbers(), info.kind);
        if !numbers.is_multiple_of(kind.numbers) {
            return Err(format!(
                "{numbers} numbers do not fill blocks of {}",
                kind.numbers
            ));
        }
        let size = (numbers / kind.numbers).saturating_mul(kind.bytes);
        let start = usize::try_from(self.start.saturating_add(info.offset)).unwrap_or(usize::MAX);
        let stored = file.get(start..).and_then(|rest| rest.get(..size));
        let stored = stored.ok_or_else(|| {
            let length = file.len();
            format!("{size} bytes at {start} are wanted, and the file has {length}")
        })?;
        Ok(kind.read(stored))
    }
}

fn tensor_info(reader: &mut Reader) -> Result<TensorInfo, Complaint> {
    let dimensions = reader.u32()?;
    if dimensions > MOST_DIMENSIONS {
        return Err(format!(
            "{dimensions} dimensions, more than {MOST_DIMENSIONS}"
        ));
    }
    let mut shape = Vec::new();
    for _ in 0..dimensions {
        shape.push(usize::try_from(reader.length()?).unwrap_or(usize::MAX));
    }
    shape.reverse();
    Ok(TensorInfo {
        kind: Kind::find(reader.u32()?)?,
        shape,
        offset: reader.u64()?,
    })
}

fn alignment(metadata: &HashMap<String, Value>) -> u64 {
    let stated = metadata.get("general.alignment");
    let stated = stated.and_then(|value| match *value {
        Value::I8(value) => u64::try_from(value).ok(),
        Value::I16(value) => u64::try_from(value).ok(),
        Value::I32(value) => u64::try_from(value).ok(),
        Value::U8(_) | Value::U16(_) | Value::U32(_) => value.to_u64(),
        _ => None,
    });
    stated.filter(|bytes| *bytes > 0).unwrap_or(ALIGNMENT)
}
