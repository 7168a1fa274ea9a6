//! What a file is, by its first bytes and its ending.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use crate::shadow::folder;

/// So much of a text is looked at.
const LOOK: u64 = 1 << 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Foreign {
    Pickle,
    Torch,
    Json,
    Hdf5,
    Matlab,
    Arrow,
    /// A table of numbers, with the names of its columns.
    Csv(Vec<String>),
    /// A folder with a file of arrays for each model, and the names of the first one's.
    NpzPerModel(Vec<String>),
}

impl Foreign {
    pub(super) fn what(&self) -> &'static str {
        match self {
            Foreign::Pickle => {
                "is a Python pickle, which is never unpickled here: it can run any code"
            }
            Foreign::Torch => {
                "is a file of torch.save, a pickle inside, which is never unpickled here"
            }
            Foreign::Json => "is a JSON document",
            Foreign::Hdf5 => "is an HDF5 file",
            Foreign::Matlab => "is a MATLAB file",
            Foreign::Arrow => "is an Arrow or Feather file",
            Foreign::Csv(_) => "is a file of an unknown type: a table of text, such as CSV",
            Foreign::NpzPerModel(_) => {
                "holds no shadow signals in a layout that is known, but a .npz for each model"
            }
        }
    }
}

/// Files that only others read.
pub(super) fn at(path: &Path) -> Option<Foreign> {
    if !path.is_file() {
        return None;
    }
    let start = folder::first_bytes(path);
    match start.as_slice() {
        // safetensors: the length of a header, whose low byte may be any sign, and the header.
        [_, _, _, _, _, 0, 0, 0, b'{', ..] => None,
        // The number with which torch.save began before it wrote archives.
        [0x80, 2, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, ..] => Some(Foreign::Torch),
        [0x80, 2..=5, ..] => Some(Foreign::Pickle),
        [0x89, b'H', b'D', b'F', ..] => Some(Foreign::Hdf5),
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] | [b'F', b'E', b'A', b'1', ..] => {
            Some(Foreign::Arrow)
        }
        start if start.starts_with(b"MATLAB 7.3") => Some(Foreign::Hdf5),
        start if start.starts_with(b"MATLAB") => Some(Foreign::Matlab),
        start if start.starts_with(b"PK\x03\x04") => is_torch(path).then_some(Foreign::Torch),
        // Old protocols are text, and known by their name alone.
        _ if has_ending(path, &["pkl", "pickle"]) => Some(Foreign::Pickle),
        _ => is_document(path).then_some(Foreign::Json),
    }
}

/// Tables of text, and folders with a file for each model.
pub(super) fn at_text_or_folder(path: &Path) -> Option<Foreign> {
    match path.is_dir() {
        true => npz_per_model(path).map(Foreign::NpzPerModel),
        false => match first_sign(path)? {
            b'{' | b'[' => Some(Foreign::Json),
            _ => columns(path).map(Foreign::Csv),
        },
    }
}

/// An archive whose arrays are told by a pickle. Only names are looked at.
fn is_torch(path: &Path) -> bool {
    let names = names_inside(path).unwrap_or_default();
    names
        .iter()
        .any(|name| name == "data.pkl" || name.ends_with("/data.pkl"))
}

/// The names in an archive; nothing where it is none.
fn names_inside(path: &Path) -> Option<Vec<String>> {
    let file = File::open(path).ok()?;
    let archive = ZipArchive::new(BufReader::new(file)).ok()?;
    let names = archive.file_names().flatten().map(|name| name.into_owned());
    Some(names.collect())
}

/// One JSON value over several lines, or a list: no JSON Lines.
fn is_document(path: &Path) -> bool {
    match first_sign(path) {
        Some(b'[') => true,
        Some(b'{') => !is_one_row(path),
        _ => false,
    }
}

/// Whether the first line is no mere beginning of an object. One that is broken is left to the reader of
/// lines, which names its row.
fn is_one_row(path: &Path) -> bool {
    let text = start_of(path);
    let text = text.trim_ascii_start();
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or(text);
    let begins = matches!(line.trim_ascii_end().last(), Some(b'{' | b'[' | b','));
    !begins || text.len() == LOOK as usize && line.len() == text.len()
}

fn first_sign(path: &Path) -> Option<u8> {
    let text = start_of(path);
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
    text.trim_ascii_start().first().copied()
}

fn start_of(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(path) {
        // What cannot be read holds nothing to look at.
        let _ = file.take(LOOK).read_to_end(&mut bytes);
    }
    bytes
}

/// The names in the first line of a table of text.
fn columns(path: &Path) -> Option<Vec<String>> {
    let start = start_of(path);
    let start = String::from_utf8(start).ok()?;
    let mut lines = start.lines();
    let names: Vec<String> = cells(lines.next()?);
    let alike = lines
        .next()
        .is_some_and(|line| cells(line).len() == names.len());
    (alike && names.len() > 1).then_some(names)
}

fn cells(line: &str) -> Vec<String> {
    let cells = line.split([',', ';', '\t']);
    cells
        .map(|cell| cell.trim_matches(['"', ' ']).to_owned())
        .collect()
}

fn npz_per_model(path: &Path) -> Option<Vec<String>> {
    let entries = std::fs::read_dir(path).ok()?;
    let files = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.filter(|file| has_ending(file, &["npz"])).collect();
    files.sort();
    let names = names_inside(files.first()?)?.into_iter();
    Some(
        names
            .map(|name| name.trim_end_matches(".npy").to_owned())
            .collect(),
    )
}

pub(super) fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    endings.iter().any(|known| ending == *known)
}
