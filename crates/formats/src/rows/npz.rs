//! Rows of an npz: every array with an entry per record is cut and joined along its first axis.

use std::borrow::Cow;
use std::io::{Cursor, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{Composed, Layout};
use crate::array::Array;
use crate::data::Wanted;
use crate::element::Element;
use crate::npy;
use crate::shadow::matrix::NamedArrays;
use crate::shadow::npz::Archive;
use crate::{Error, Result};

const FEATURES: [&str; 2] = ["x", "X"];
/// What records are called, in files that name them.
const IDS: &str = "ids";

pub(super) struct NpzRows {
    arrays: Vec<Array>,
    features: usize,
    label: usize,
    rows: usize,
}

/// What is asked of the reader of features: other arrays are copied with their row, and no features.
pub(super) fn wanted(path: &Path, wanted: &Wanted) -> Result<Wanted> {
    let names = Archive::open(path)?.names();
    let has_x = names.iter().any(|name| FEATURES.contains(&name.as_str()));
    let is_feature = |name: &String| FEATURES.contains(&name.as_str()) || *name == wanted.label;
    let others = names.iter().filter(|name| has_x && !is_feature(name));
    Ok(Wanted {
        ignore: others.chain(&wanted.ignore).cloned().collect(),
        ..wanted.clone()
    })
}

impl NpzRows {
    pub fn open(path: &Path, wanted: &Wanted) -> Result<Self> {
        let mut archive = Archive::open(path)?;
        let names = archive.names();
        let place = |is_it: &dyn Fn(&str) -> bool| names.iter().position(|name| is_it(name));
        let ignored = |name: &str| wanted.ignore.iter().any(|other| other == name);
        let x = place(&|name| FEATURES.contains(&name));
        let other = || place(&|name| name != wanted.label && !ignored(name));
        let label = place(&|name| name == wanted.label);
        let (Some(features), Some(label)) = (x.or_else(other), label) else {
            let there = names.join(", ");
            return Err(Error::missing(format!("the arrays are: {there}"))
                .at(path)
                .hint("store features as x [records, features] and labels as y [records]"));
        };
        let arrays: Vec<Array> = names
            .iter()
            .map(|name| archive.fetch(name))
            .collect::<Result<_>>()?;
        let rows = arrays[features].shape.first().copied().unwrap_or(0);
        Ok(Self {
            arrays,
            features,
            label,
            rows,
        })
    }

    fn x(&self) -> &Array {
        &self.arrays[self.features]
    }

    /// Where the value of an array comes from.
    fn origin(&self, place: usize, row: &Composed, element: usize) -> usize {
        match place {
            place if place == self.label => row.label,
            place if place == self.features => row.feature(element),
            _ => row.base,
        }
    }

    fn array(&self, place: usize, rows: &[&Composed], out: &mut Vec<u8>) -> Result<()> {
        let array = &self.arrays[place];
        let per_record = array.shape.first() == Some(&self.rows);
        let mut shape = array.shape.clone();
        if per_record {
            shape[0] = rows.len();
        }
        npy::write_header(out, &spelled(array), &shape).map_err(failed)?;
        if !per_record {
            (0..array.shape.iter().product()).for_each(|flat| out.extend(element(array, flat)));
            return Ok(());
        }
        let width: usize = array.shape[1..].iter().product();
        let size = width * array.element.size();
        for row in rows {
            let plain = place != self.features || row.features.is_none();
            if plain && array.is_packed() {
                let from = self.origin(place, row, 0);
                out.extend_from_slice(&array.all_bytes()[from * size..][..size]);
                continue;
            }
            for index in 0..width {
                out.extend(element(
                    array,
                    self.origin(place, row, index) * width + index,
                ));
            }
        }
        Ok(())
    }
}

impl Layout for NpzRows {
    fn rows(&self) -> usize {
        self.rows
    }

    fn features(&self) -> usize {
        self.x().shape[1..].iter().product()
    }

    fn value(&self, row: usize, feature: usize) -> Cow<'_, [u8]> {
        Cow::Borrowed(element(self.x(), row * self.features() + feature))
    }

    fn encode(&self, rows: &[&Composed], ids: Option<&[String]>) -> Result<Vec<u8>> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let large = |bytes: &Vec<u8>| bytes.len() > u32::MAX as usize;
        let options = |bytes: &Vec<u8>| {
            SimpleFileOptions::default()
                .compression_method(CompressionMethod::Stored)
                .last_modified_time(zip::DateTime::default())
                .large_file(large(bytes))
        };
        let mut add = |name: &str, bytes: Vec<u8>| -> Result<()> {
            zip.start_file(format!("{name}.npy"), options(&bytes))
                .map_err(failed)?;
            zip.write_all(&bytes).map_err(failed)
        };
        for (place, array) in self.arrays.iter().enumerate() {
            let name = array.place.name.as_str();
            if ids.is_some() && name == IDS {
                continue;
            }
            let mut bytes = Vec::new();
            self.array(place, rows, &mut bytes)?;
            add(name, bytes)?;
        }
        if let Some(ids) = ids {
            add(IDS, names(ids)?)?;
        }
        Ok(zip.finish().map_err(failed)?.into_inner())
    }
}

/// Texts as NumPy keeps them: code points, padded.
fn names(ids: &[String]) -> Result<Vec<u8>> {
    let width = ids
        .iter()
        .map(|id| id.chars().count())
        .max()
        .unwrap_or(1)
        .max(1);
    let mut bytes = Vec::new();
    npy::write_header(&mut bytes, &format!("<U{width}"), &[ids.len()]).map_err(failed)?;
    for id in ids {
        let points = id.chars().map(u32::from).chain(std::iter::repeat(0));
        points
            .take(width)
            .for_each(|point| bytes.extend(point.to_le_bytes()));
    }
    Ok(bytes)
}

/// The bytes of the element at this place, counted with the last axis fastest.
fn element(array: &Array, mut flat: usize) -> &[u8] {
    let mut indices = vec![0; array.shape.len()];
    for (index, extent) in indices.iter_mut().zip(&array.shape).rev() {
        *index = flat % extent;
        flat /= extent;
    }
    array.element_bytes(&indices)
}

/// The element type as NumPy spells it, in the byte order of the file.
fn spelled(array: &Array) -> String {
    let order = if array.is_big_endian() { '>' } else { '<' };
    match array.element {
        Element::Bool => "|b1".to_owned(),
        Element::Signed(1) => "|i1".to_owned(),
        Element::Unsigned(1) => "|u1".to_owned(),
        Element::Signed(width) => format!("{order}i{width}"),
        Element::Unsigned(width) => format!("{order}u{width}"),
        Element::Float(number) => format!("{order}f{}", number.size()),
        Element::Text(width) => format!("|S{width}"),
        Element::Unicode(points) => format!("{order}U{points}"),
    }
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::new(
        crate::ErrorKind::Write,
        format!("the archive cannot be made: {error}"),
    )
}
