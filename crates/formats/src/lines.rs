//! Lines of a file, also of a gzipped one: for JSON Lines of every kind.

use std::fmt::{self, Formatter};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::files::refuse_pipe;
use crate::{Error, Result};

/// Some editors put it in front of a file.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// A line longer than this is no text.
const LONGEST_LINE: u64 = 1 << 30;

/// Lines with their numbers, from 1. Blank ones are left out.
pub struct Lines {
    reader: Box<dyn BufRead + Send>,
    path: PathBuf,
    line: usize,
}

impl Lines {
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self {
            reader: reader(path)?,
            path: path.to_owned(),
            line: 0,
        })
    }
}

impl Iterator for Lines {
    type Item = Result<(usize, Vec<u8>)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut line = Vec::new();
            let mut limited = self.reader.by_ref().take(LONGEST_LINE);
            match limited.read_until(b'\n', &mut line) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => return Some(Err(Error::reading(&self.path, &error))),
            }
            self.line += 1;
            if self.line == 1 && line.starts_with(BYTE_ORDER_MARK) {
                line.drain(..BYTE_ORDER_MARK.len());
            }
            if !line.trim_ascii().is_empty() {
                return Some(Ok((self.line, line)));
            }
        }
    }
}

fn reader(path: &Path) -> Result<Box<dyn BufRead + Send>> {
    refuse_pipe(path)?;
    let file = File::open(path).map_err(|error| Error::reading(path, &error))?;
    let mut file = BufReader::with_capacity(1 << 18, file);
    let start = file
        .fill_buf()
        .map_err(|error| Error::reading(path, &error))?;
    if start.starts_with(&[0x1f, 0x8b]) {
        let unpacked = BufReader::with_capacity(1 << 18, MultiGzDecoder::new(file));
        return Ok(Box::new(unpacked));
    }
    if is_wide(start) {
        return Err(Error::malformed("is text in UTF-16")
            .at(path)
            .hint("save it as UTF-8: iconv -f utf-16 -t utf-8 converts it"));
    }
    Ok(Box::new(file))
}

/// The fields of an object. One that stands twice is refused: whichever were taken, the other would be lost.
pub fn object(line: &[u8]) -> std::result::Result<Map<String, Value>, serde_json::Error> {
    serde_json::from_slice(line).map(|Fields(fields)| fields)
}

/// An object whose fields have a name of their own each.
struct Fields(Map<String, Value>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(
        self,
        mut access: A,
    ) -> std::result::Result<Self::Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            if fields.contains_key(&name) {
                return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
            }
            fields.insert(name, access.next_value()?);
        }
        Ok(Fields(fields))
    }
}

/// Two bytes for each character, with a mark in front or without.
fn is_wide(start: &[u8]) -> bool {
    matches!(
        start,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, b'{', ..] | [b'{', 0, ..]
    )
}

/// What is wrong with a line, without the parser's own count of lines: it sees one only.
pub fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line").unwrap_or(text.len());
    format!("{} at column {}", &text[..end], error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_another_encoding_is_called_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        let wide = |mark: &[u8], bytes: fn(u16) -> [u8; 2]| {
            let text = "{\"id\": 1}\n".encode_utf16().flat_map(bytes);
            mark.iter().copied().chain(text).collect::<Vec<u8>>()
        };
        let marks: [&[u8]; 2] = [&[0xff, 0xfe], &[0xfe, 0xff]];
        for written in [
            wide(marks[0], u16::to_le_bytes),
            wide(marks[1], u16::to_be_bytes),
            wide(&[], u16::to_le_bytes),
            wide(&[], u16::to_be_bytes),
        ] {
            std::fs::write(&path, written).unwrap();
            let error = Lines::open(&path).err().unwrap().to_string();
            assert!(
                error.contains("UTF-16") && error.contains("iconv"),
                "{error}"
            );
        }
        std::fs::write(&path, "\u{feff}{\"id\": 1}\n").unwrap();
        assert_eq!(Lines::open(&path).unwrap().count(), 1);
    }
}
