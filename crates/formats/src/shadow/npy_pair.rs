//! `npy`: one `.npy` file per array, side by side in a folder. Nothing is copied: the files
//! are mapped.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::matrix::{self, NamedArrays};
use super::registry::{Format, Writer};
use super::table::ShadowTable;
use super::{folder, phi};
use crate::array::Array;
use crate::files::{self, FileSet, MadeFolder, Overwrite};
use crate::npy::{self, element};
use crate::persons;
use crate::{Error, Result};

const NAMES: [&str; 8] = [
    "phi",
    "logits",
    "probabilities",
    "keep",
    "members",
    "member",
    "labels",
    "ids",
];

pub(crate) struct NpyPair;

impl Format for NpyPair {
    fn name(&self) -> &'static str {
        "npy"
    }

    fn layout(&self) -> &'static str {
        "a folder with phi.npy and keep.npy, or logits.npy (or probabilities.npy), labels.npy and \
         keep.npy, as in npz; \
         or the path of phi.npy with the others beside it"
    }

    fn detect(&self, path: &Path) -> bool {
        match path.is_dir() {
            true => {
                let any = |names: &[&str]| names.iter().any(|name| is_file(path, name));
                any(&matrix::OUTPUTS) && any(&matrix::TRUTHS)
            }
            false => folder::first_bytes(path).starts_with(npy::MAGIC),
        }
    }

    fn read(&self, path: &Path) -> Result<ShadowTable> {
        matrix::read(self.name(), Pair::new(path))
    }

    fn writer(&self) -> Option<Writer> {
        Some(write)
    }
}

fn is_file(folder: &Path, name: &str) -> bool {
    file_of(folder, name).is_file()
}

fn file_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.npy"))
}

/// The files of a folder; one of them may have been pointed at under a name of its own.
struct Pair {
    path: PathBuf,
    folder: PathBuf,
    main: Option<(&'static str, PathBuf)>,
    read: Vec<PathBuf>,
}

impl Pair {
    fn new(path: &Path) -> Self {
        let (folder, main) = match path.is_dir() {
            true => (path.to_owned(), None),
            false => (beside(path), Some((main_name(path), path.to_owned()))),
        };
        Self {
            path: path.to_owned(),
            folder,
            main,
            read: Vec::new(),
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        match &self.main {
            Some((main, path)) if *main == name => path.clone(),
            _ => file_of(&self.folder, name),
        }
    }
}

fn beside(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).to_owned()
}

/// A file of any name is taken for phi, unless it is one of the others.
fn main_name(path: &Path) -> &'static str {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let known = NAMES.into_iter().find(|name| *name == stem);
    known.unwrap_or("phi")
}

impl NamedArrays for Pair {
    fn path(&self) -> &Path {
        &self.path
    }

    fn names(&self) -> Vec<String> {
        let there = NAMES.into_iter().filter(|name| self.file(name).is_file());
        // Whoever points at logits.npy wants them used, whatever else is there.
        let main = self.main.as_ref().map(|(main, _)| *main);
        let chosen = matrix::OUTPUTS.iter().position(|name| Some(*name) == main);
        let preferred = &matrix::OUTPUTS[..chosen.unwrap_or(0)];
        there
            .filter(|name| !preferred.contains(name))
            .map(str::to_owned)
            .collect()
    }

    fn fetch(&mut self, name: &str) -> Result<Array> {
        let path = self.file(name);
        self.read.push(path.clone());
        npy::open(&path)
    }

    fn sources(&self) -> Vec<PathBuf> {
        self.read.clone()
    }
}

/// An array that this room writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Phi,
    Keep,
    Labels,
    Ids,
    Groups,
}

/// The arrays that a table has.
pub(crate) fn parts(table: &ShadowTable) -> Vec<Part> {
    let labels = table.labels.is_some().then_some(Part::Labels);
    let ids = table.ids.is_some().then_some(Part::Ids);
    let groups = table.groups.is_some().then_some(Part::Groups);
    [Part::Phi, Part::Keep]
        .into_iter()
        .chain(labels)
        .chain(ids)
        .chain(groups)
        .collect()
}

impl Part {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Part::Phi => "phi",
            Part::Keep => "keep",
            Part::Labels => "labels",
            Part::Ids => "ids",
            Part::Groups => persons::GROUPS,
        }
    }

    /// How many bytes the elements take.
    pub(crate) fn bytes(self, table: &ShadowTable) -> u64 {
        let per_record = match self {
            Part::Phi => phi::number(table).size() * table.augmentations() * table.models(),
            Part::Keep => table.models(),
            Part::Labels => 8,
            Part::Ids => 4 * longest(ids(table)),
            Part::Groups => 4 * longest(groups(table)),
        };
        per_record as u64 * table.records() as u64
    }

    /// The whole `.npy` file.
    pub(crate) fn write(self, table: &ShadowTable, out: &mut impl Write) -> io::Result<()> {
        match self {
            Part::Phi => {
                npy::write_header(
                    out,
                    element::name_of(phi::number(table)),
                    &phi::shape(table),
                )?;
                phi::write(table, out)
            }
            Part::Keep => {
                npy::write_header(out, "|b1", &[table.models(), table.records()])?;
                write_keep(table, out)
            }
            Part::Labels => {
                npy::write_header(out, "<i8", &[table.records()])?;
                write_labels(table, out)
            }
            Part::Ids => write_texts(|| ids(table), table.records(), out),
            Part::Groups => write_texts(|| groups(table), table.records(), out),
        }
    }
}

/// One byte, 0 or 1, for each model and record.
pub(crate) fn write_keep(table: &ShadowTable, out: &mut impl Write) -> io::Result<()> {
    for row in &table.members {
        let bytes: Vec<u8> = (0..row.len())
            .map(|record| row.get(record).into())
            .collect();
        out.write_all(&bytes)?;
    }
    Ok(())
}

pub(crate) fn write_labels(table: &ShadowTable, out: &mut impl Write) -> io::Result<()> {
    for label in table.labels.iter().flatten() {
        out.write_all(&label.to_le_bytes())?;
    }
    Ok(())
}

fn ids(table: &ShadowTable) -> impl Iterator<Item = &str> {
    table.ids.iter().flatten().map(String::as_str)
}

/// An empty name is nobody's.
fn groups(table: &ShadowTable) -> impl Iterator<Item = &str> {
    let groups = table.groups.iter().flatten();
    groups.map(|group| group.as_deref().unwrap_or_default())
}

fn longest<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    let lengths = texts.map(|text| text.chars().count());
    lengths.max().unwrap_or(0).max(1)
}

fn write_texts<'a, I: Iterator<Item = &'a str>>(
    texts: impl Fn() -> I,
    records: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let longest = longest(texts());
    npy::write_header(out, &format!("<U{longest}"), &[records])?;
    for text in texts() {
        let points = text.chars().map(u32::from).chain(std::iter::repeat(0));
        for point in points.take(longest) {
            out.write_all(&point.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Into a folder, or to the path of phi.npy with the others beside it.
fn write(table: &ShadowTable, path: &Path, overwrite: Overwrite) -> Result<()> {
    let is_file = path.extension().is_some_and(|extension| extension == "npy");
    let folder = if is_file {
        beside(path)
    } else {
        path.to_owned()
    };
    let made = MadeFolder::new(&folder).map_err(|e| Error::writing(&folder, &e))?;
    let parts = parts(table);
    let stale = stale(&folder, &parts);
    if let (Overwrite::Refuse, Some(file)) = (overwrite, stale.first()) {
        return Err(files::exists(file));
    }
    let mut set = FileSet::new(overwrite);
    for part in &parts {
        let file = match part {
            Part::Phi if is_file => path.to_owned(),
            part => file_of(&folder, part.name()),
        };
        set.add(&file, |out| part.write(table, out))?;
    }
    set.commit()?;
    made.keep();
    for file in stale {
        fs::remove_file(&file).map_err(|e| Error::writing(&file, &e))?;
    }
    Ok(())
}

/// What an earlier table left behind and would be read as part of the new one.
fn stale(folder: &Path, parts: &[Part]) -> Vec<PathBuf> {
    [Part::Labels, Part::Ids, Part::Groups]
        .into_iter()
        .filter(|part| !parts.contains(part))
        .map(|part| file_of(folder, part.name()))
        .filter(|file| file.is_file())
        .collect()
}
