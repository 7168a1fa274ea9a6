//! `safetensors`: named tensors after a JSON header. The file is mapped; only bfloat16, which
//! no other room knows, is widened.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use ::safetensors::tensor::{Metadata, TensorInfo};
use ::safetensors::{Dtype, SafeTensors};
use attacks::signals::bytes::Bytes;
use attacks::signals::plane::Number;
use half::bf16;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::matrix::{self, NamedArrays};
use super::npy_pair::{self, Part};
use super::registry::{Format, Writer};
use super::table::ShadowTable;
use super::{folder, ids, phi};
use crate::array::{Array, Layout, Order, Place};
use crate::element::Element;
use crate::files::{FileSet, Overwrite};
use crate::memory::{self, Spill};
use crate::persons::GROUPS;
use crate::{Error, Result};

/// The key of the header's free text that carries ids: there are no tensors of text.
const IDS: &str = "ids";
/// Readers refuse longer headers.
const LONGEST_HEADER: usize = 100_000_000;

pub(crate) struct Safetensors;

impl Format for Safetensors {
    fn name(&self) -> &'static str {
        "safetensors"
    }

    fn layout(&self) -> &'static str {
        "a .safetensors with the tensors phi and keep, or logits (or probabilities), labels and keep, as in npz"
    }

    fn detect(&self, path: &Path) -> bool {
        matches!(
            folder::first_bytes(path).as_slice(),
            [_, _, _, _, _, 0, 0, 0, b'{', ..]
        )
    }

    fn read(&self, path: &Path) -> Result<ShadowTable> {
        matrix::read(self.name(), Tensors::open(path)?)
    }

    fn writer(&self) -> Option<Writer> {
        Some(write)
    }
}

struct Tensors {
    path: PathBuf,
    bytes: Bytes,
    /// Where the tensors' bytes begin.
    start: usize,
    metadata: Metadata,
}

impl Tensors {
    fn open(path: &Path) -> Result<Self> {
        let bytes = memory::map(path)?;
        let (header, metadata) = SafeTensors::read_metadata(bytes.as_slice()).map_err(|e| {
            Error::malformed(format!("is not a whole safetensors file: {e}"))
                .at(path)
                .hint("write or copy it again")
        })?;
        Ok(Self {
            path: path.to_owned(),
            bytes,
            start: 8 + header,
            metadata,
        })
    }

    /// The same numbers in float32, which holds them exactly.
    fn widened(&self, info: &TensorInfo) -> Result<Bytes> {
        let (first, last) = info.data_offsets;
        let (numbers, _) = self.bytes.as_slice()[self.start + first..self.start + last].as_chunks();
        let mut spill = Spill::default();
        let widen = |number: &[u8; 2]| {
            let number = bf16::from_le_bytes(*number).to_f32();
            spill.write_all(&number.to_le_bytes())
        };
        numbers
            .iter()
            .try_for_each(widen)
            .and_then(|()| spill.finish())
            .map_err(|e| Error::buffering(&e))
    }
}

impl NamedArrays for Tensors {
    fn path(&self) -> &Path {
        &self.path
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self.metadata.tensors().into_keys().collect();
        names.sort();
        names
    }

    fn fetch(&mut self, name: &str) -> Result<Array> {
        let place = Place::new(&self.path, name);
        let missing = || Error::missing(format!("there is no tensor {name}")).at(&self.path);
        let info = self.metadata.info(name).ok_or_else(missing)?;
        let layout = Layout {
            element: element(info.dtype, &place)?,
            big_endian: false,
            order: Order::C,
            shape: info.shape.clone(),
        };
        if info.dtype == Dtype::BF16 {
            let bytes = self.widened(info)?;
            let length = bytes.as_slice().len();
            return Array::new(place, &layout, bytes, 0, length);
        }
        let (first, last) = info.data_offsets;
        let bytes = self.bytes.clone();
        Array::new(place, &layout, bytes, self.start + first, last - first)
    }

    fn ids(&self) -> Result<Option<Vec<String>>> {
        self.listed(IDS)
    }
}

impl Tensors {
    /// A list in the header's free text.
    fn listed<T: DeserializeOwned>(&self, name: &str) -> Result<Option<Vec<T>>> {
        let metadata = self.metadata.metadata().as_ref();
        let Some(text) = metadata.and_then(|metadata| metadata.get(name)) else {
            return Ok(None);
        };
        serde_json::from_str(text).map(Some).map_err(|e| {
            Error::malformed(format!(
                "{name} in the header are not a list of strings: {e}"
            ))
            .at(&self.path)
            .hint(format!(
                "store {name} in the header as a JSON list of strings"
            ))
        })
    }
}

/// Whose the records of a safetensors file are; nothing of any other file.
pub(crate) fn groups(path: &Path) -> Result<Option<Vec<Option<String>>>> {
    if path.is_dir() || !Safetensors.detect(path) {
        return Ok(None);
    }
    let mut tensors = Tensors::open(path)?;
    let numbered = tensors.fetch_if_there(GROUPS)?;
    match numbered {
        Some(array) => Ok(Some(ids::read(&array)?.into_iter().map(Some).collect())),
        None => tensors.listed(GROUPS),
    }
}

fn element(dtype: Dtype, place: &Place) -> Result<Element> {
    Ok(match dtype {
        Dtype::BOOL => Element::Bool,
        Dtype::U8 => Element::Unsigned(1),
        Dtype::I8 => Element::Signed(1),
        Dtype::U16 => Element::Unsigned(2),
        Dtype::I16 => Element::Signed(2),
        Dtype::U32 => Element::Unsigned(4),
        Dtype::I32 => Element::Signed(4),
        Dtype::U64 => Element::Unsigned(8),
        Dtype::I64 => Element::Signed(8),
        Dtype::F16 => Element::Float(Number::F16),
        Dtype::F32 | Dtype::BF16 => Element::Float(Number::F32),
        Dtype::F64 => Element::Float(Number::F64),
        other => {
            let message = format!("{} holds {other:?} values", place.name);
            return Err(Error::unsupported(message)
                .at(&place.path)
                .hint("store F16, BF16, F32 or F64; BOOL or U8 for keep; integers for labels"));
        }
    })
}

fn write(table: &ShadowTable, path: &Path, overwrite: Overwrite) -> Result<()> {
    let header = header(table).to_string();
    if header.len() > LONGEST_HEADER {
        return Err(
            Error::unsupported("the ids and groups do not fit a safetensors header")
                .at(path)
                .hint("write npz or parquet"),
        );
    }
    let mut set = FileSet::new(overwrite);
    set.add(path, |out| write_tensors(table, &header, out))?;
    set.commit()
}

fn write_tensors(
    table: &ShadowTable,
    header: &str,
    out: &mut BufWriter<&mut File>,
) -> io::Result<()> {
    let length = header.len().next_multiple_of(8);
    out.write_all(&(length as u64).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    out.write_all(&b"        "[..length - header.len()])?;
    for part in tensors(table) {
        match part {
            Part::Phi => phi::write(table, out)?,
            Part::Keep => npy_pair::write_keep(table, out)?,
            Part::Labels => npy_pair::write_labels(table, out)?,
            Part::Ids | Part::Groups => {}
        }
    }
    Ok(())
}

/// Widest elements first, so that each begins where its alignment wants it.
fn tensors(table: &ShadowTable) -> Vec<Part> {
    let mut parts = npy_pair::parts(table);
    parts.sort_by_key(|part| match part {
        Part::Labels => 0,
        Part::Phi => 1,
        Part::Keep => 2,
        Part::Ids | Part::Groups => 3,
    });
    parts
}

fn header(table: &ShadowTable) -> Value {
    let mut entries = Map::new();
    let mut at = 0;
    for part in tensors(table) {
        let (dtype, shape) = match part {
            Part::Labels => ("I64", vec![table.records()]),
            Part::Phi => (float_name(phi::number(table)), phi::shape(table)),
            Part::Keep => ("BOOL", vec![table.models(), table.records()]),
            Part::Ids | Part::Groups => continue,
        };
        let end = at + part.bytes(table);
        let entry = json!({"dtype": dtype, "shape": shape, "data_offsets": [at, end]});
        entries.insert(part.name().to_owned(), entry);
        at = end;
    }
    let mut metadata = Map::new();
    if let Some(ids) = &table.ids {
        metadata.insert(IDS.to_owned(), json!(json!(ids).to_string()));
    }
    if let Some(groups) = &table.groups {
        metadata.insert(GROUPS.to_owned(), json!(json!(groups).to_string()));
    }
    if !metadata.is_empty() {
        entries.insert("__metadata__".to_owned(), Value::Object(metadata));
    }
    Value::Object(entries)
}

fn float_name(number: Number) -> &'static str {
    match number {
        Number::F16 => "F16",
        Number::F32 => "F32",
        Number::F64 => "F64",
    }
}
