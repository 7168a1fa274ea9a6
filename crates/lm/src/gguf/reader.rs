//! Bytes of a GGUF file, one after another. Lengths are believed only where the file is long enough.

use super::{Complaint, Value};

const MAGIC: &[u8; 4] = b"GGUF";
/// Arrays within arrays.
const MOST_DEPTH: usize = 64;

pub(super) struct Reader<'a> {
    file: &'a [u8],
    rest: &'a [u8],
    /// Lengths have eight bytes; in the first version they had four.
    wide: bool,
}

impl<'a> Reader<'a> {
    /// The reader behind the head, and how many tensors and fields the head announces.
    pub(super) fn open(file: &'a [u8]) -> Result<(Self, u64, u64), Complaint> {
        let mut reader = Self {
            file,
            rest: file,
            wide: true,
        };
        if reader.take(MAGIC.len() as u64)? != MAGIC {
            return Err("it does not begin with GGUF".into());
        }
        reader.wide = match reader.u32()? {
            1 => false,
            2 | 3 => true,
            version => return Err(format!("version {version} is not known")),
        };
        let (tensors, fields) = (reader.length()?, reader.length()?);
        let least = tensors
            .saturating_mul(reader.prefix() + 16)
            .saturating_add(fields.saturating_mul(reader.prefix() + 5));
        reader.has(least)?;
        Ok((reader, tensors, fields))
    }

    pub(super) fn position(&self) -> u64 {
        (self.file.len() - self.rest.len()) as u64
    }

    /// Bytes of a length.
    fn prefix(&self) -> u64 {
        if self.wide { 8 } else { 4 }
    }

    fn has(&self, bytes: u64) -> Result<(), Complaint> {
        match bytes <= self.rest.len() as u64 {
            true => Ok(()),
            false => Err(format!(
                "{bytes} bytes are announced at {}, and {} are left",
                self.position(),
                self.rest.len()
            )),
        }
    }

    fn take(&mut self, bytes: u64) -> Result<&'a [u8], Complaint> {
        self.has(bytes)?;
        let (taken, rest) = self.rest.split_at(bytes as usize);
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Complaint> {
        let taken = self.take(N as u64)?;
        let mut array = [0; N];
        array.copy_from_slice(taken);
        Ok(array)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Complaint> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Complaint> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn length(&mut self) -> Result<u64, Complaint> {
        match self.wide {
            true => self.u64(),
            false => self.u32().map(u64::from),
        }
    }

    /// Some files end their strings with a zero, and some strings are no UTF-8.
    pub(super) fn string(&mut self) -> Result<String, Complaint> {
        let length = self.length()?;
        let bytes = self.take(length)?;
        let end = bytes.iter().rposition(|byte| *byte != 0);
        let bytes = &bytes[..end.map_or(0, |last| last + 1)];
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    pub(super) fn value(&mut self) -> Result<Value, Complaint> {
        let kind = self.u32()?;
        self.value_of(kind, 0)
    }

    fn value_of(&mut self, kind: u32, depth: usize) -> Result<Value, Complaint> {
        Ok(match kind {
            0 => Value::U8(u8::from_le_bytes(self.array()?)),
            1 => Value::I8(i8::from_le_bytes(self.array()?)),
            2 => Value::U16(u16::from_le_bytes(self.array()?)),
            3 => Value::I16(i16::from_le_bytes(self.array()?)),
            4 => Value::U32(self.u32()?),
            5 => Value::I32(i32::from_le_bytes(self.array()?)),
            6 => Value::F32(f32::from_le_bytes(self.array()?)),
            7 => Value::Bool(self.flag()?),
            8 => Value::String(self.string()?),
            9 => Value::Array(self.values(depth + 1)?),
            10 => Value::U64(self.u64()?),
            11 => Value::I64(i64::from_le_bytes(self.array()?)),
            12 => Value::F64(f64::from_le_bytes(self.array()?)),
            other => return Err(format!("a value of kind {other} is not known")),
        })
    }

    fn flag(&mut self) -> Result<bool, Complaint> {
        match self.array()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [other] => Err(format!("a flag is {other}, neither 0 nor 1")),
        }
    }

    fn values(&mut self, depth: usize) -> Result<Vec<Value>, Complaint> {
        if depth > MOST_DEPTH {
            return Err(format!("arrays lie within more than {MOST_DEPTH} others"));
        }
        let (kind, length) = (self.u32()?, self.length()?);
        let least = match kind {
            0 | 1 | 7 => 1,
            2 | 3 => 2,
            8 => self.prefix(),
            9 => 4 + self.prefix(),
            10..=12 => 8,
            _ => 4,
        };
        self.has(length.saturating_mul(least))?;
        (0..length).map(|_| self.value_of(kind, depth)).collect()
    }
}
