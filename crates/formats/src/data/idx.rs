//! MNIST's idx files: images of bytes, scaled to 0..1, and a second file with their labels.

use std::ops::Range;
use std::path::{Path, PathBuf};

use attacks::signals::bytes::Bytes;

use super::labels;
use super::npz::per_record;
use super::records::{ColumnKind, ColumnNote, Records};
use super::roles;
use super::source;
use super::table::{Rows, Table};
use super::wanted::Wanted;
use crate::array::{Array, Layout, Order, Place};
use crate::element::Element;
use crate::shadow::folder;
use crate::{Error, Result};

const PIXELS: &str = "pixels";
const LABELS: &str = "labels";
const BYTES: u8 = 8;
const WHITE: f32 = 255.0;

/// The pixels, and the file of labels if it is found.
pub(crate) fn names(path: &Path) -> Vec<String> {
    let labels = beside(path).map(|labels| folder::name(&labels));
    [PIXELS.to_owned()].into_iter().chain(labels).collect()
}

pub(crate) fn read(path: &Path, bytes: Bytes, wanted: &Wanted) -> Result<Records> {
    check_wanted(wanted).map_err(|e| e.at(path))?;
    let images = array(path, PIXELS, bytes)?;
    let (count, width) = match images.shape.as_slice() {
        [] | [_] => return Err(no_images(path)),
        [count, extents @ ..] => (*count, extents.iter().product()),
    };
    let labels = read_labels(path, count, wanted)?;
    Ok(Records {
        features: pixels(&images),
        width,
        labels: labels.codes,
        classes: labels.classes,
        ids: None,
        columns: vec![
            note(PIXELS, pixels_kind(), 0..width),
            note(LABELS, ColumnKind::Label, width..width),
        ],
        groups: Vec::new(),
        sources: vec![path.to_owned(), labels.path],
        notes: Vec::new(),
    })
}

struct Labels {
    path: PathBuf,
    codes: Vec<u32>,
    classes: Vec<String>,
}

fn read_labels(images: &Path, count: usize, wanted: &Wanted) -> Result<Labels> {
    let path = labels_path(images, &wanted.label)?;
    let labels = array(&path, LABELS, source::plain(&path)?)?;
    let column = per_record(labels, count)?;
    let word = "record";
    let table = Table {
        path,
        columns: Vec::new(),
        rows: Rows::Numbered { count, word },
        notes: Vec::new(),
    };
    let (codes, classes) = labels::labels(&table, &column, wanted)?;
    Ok(Labels {
        path: table.path,
        codes,
        classes,
    })
}

fn note(name: &str, kind: ColumnKind, features: Range<usize>) -> ColumnNote {
    ColumnNote {
        name: name.to_owned(),
        kind,
        missing: 0,
        features,
    }
}

fn pixels_kind() -> ColumnKind {
    ColumnKind::Number {
        mean: 0.0,
        deviation: WHITE.into(),
    }
}

/// Images have no columns that could be named.
fn check_wanted(wanted: &Wanted) -> Result<()> {
    let lists = [&wanted.ignore, &wanted.categories, &wanted.numbers];
    let mut named = lists.into_iter().flatten().chain(&wanted.id);
    named.next().map_or(Ok(()), |name| {
        let there = [PIXELS.to_owned()];
        Err(roles::unknown(&there, name).hint("idx files hold pixels only; name no columns"))
    })
}

fn no_images(path: &Path) -> Error {
    Error::mismatch("has one axis, as labels do; images have more")
        .at(path)
        .hint("give the file of images; its labels are found beside it, or named as the label")
}

/// The array of bytes in an idx file: two zeros, the element type, the number of axes, the
/// extents as big-endian 32-bit numbers, the elements.
fn array(path: &Path, name: &str, bytes: Bytes) -> Result<Array> {
    let axes = match bytes.as_slice() {
        [0, 0, BYTES, axes, ..] => usize::from(*axes),
        [0, 0, 9..=14, ..] => {
            return Err(Error::unsupported("holds elements other than bytes")
                .at(path)
                .hint("store pixels as unsigned bytes, or as x and y in an npz"));
        }
        _ => {
            return Err(Error::malformed("does not start as an idx file does")
                .at(path)
                .hint("give an idx1-ubyte file of labels"));
        }
    };
    let start = 4 + 4 * axes;
    let header = bytes.as_slice().get(4..start).ok_or_else(|| {
        Error::malformed("the idx header is cut short")
            .at(path)
            .hint("write or copy the file again")
    })?;
    let (extents, _) = header.as_chunks::<4>();
    let layout = Layout {
        element: Element::Unsigned(1),
        big_endian: true,
        order: Order::C,
        shape: extents
            .iter()
            .map(|e| u32::from_be_bytes(*e) as usize)
            .collect(),
    };
    let length = bytes.as_slice().len() - start;
    Array::new(Place::new(path, name), &layout, bytes, start, length)
}

fn pixels(images: &Array) -> Vec<f32> {
    let scale = |byte: &u8| f32::from(*byte) / WHITE;
    images.all_bytes().iter().map(scale).collect()
}

/// The file that the user names, as a path or as a name beside the images; or else the one
/// that MNIST's way of naming puts there.
pub(crate) fn labels_path(images: &Path, label: &str) -> Result<PathBuf> {
    let named = [PathBuf::from(label), images.with_file_name(label)];
    let found = match label {
        "" | "label" | "labels" => beside(images),
        _ => named.into_iter().find(|path| path.is_file()),
    };
    found.ok_or_else(|| {
        let message = match label {
            "" => "no file of labels lies beside the images".to_owned(),
            _ => format!("there is no file of labels {label}"),
        };
        Error::missing(message)
            .at(images)
            .hint("name the idx1-ubyte file as the label")
    })
}

/// `train-labels-idx1-ubyte` for `train-images-idx3-ubyte`, compressed or not.
fn beside(images: &Path) -> Option<PathBuf> {
    let name = folder::name(images).replace("images", "labels");
    let name = name.replace("idx3", "idx1");
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    let names = [plain.to_owned(), format!("{plain}.gz")];
    let mut paths = names.iter().map(|name| images.with_file_name(name));
    paths.find(|path| path != images && path.is_file())
}
