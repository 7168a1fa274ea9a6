//! Figures as files for papers, in a folder of their own beside the report.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use formats::files::{FileSet, MadeFolder, Overwrite};
use rayon::prelude::*;
use report::Report;
use report::figures::{Figure, figures, is_name, png, standalone};

use crate::Error;

const FOLDER: &str = "figures";
/// Pixels per unit: 300 to an inch at the size that the SVG files have.
const SCALE: f32 = 3.0;

/// The folder, which goes again if it is empty and nobody keeps it. Whoever makes it before the set
/// of files sees it go after them.
pub fn figures_folder(out: &Path) -> Result<MadeFolder, Error> {
    let folder = out.join(FOLDER);
    MadeFolder::new(&folder).map_err(|error| {
        Error::usage(
            format!("{}: cannot be made: {error}", folder.display()),
            "remove what is in its way, or write to another folder",
        )
    })
}

/// Adds every figure of the report, as SVG and as PNG, to a set of files; their names come back.
pub fn add_figures(set: &mut FileSet, out: &Path, report: &Report) -> Result<Vec<PathBuf>, Error> {
    let pictures: Vec<(Figure, Vec<u8>)> = figures(report)
        .into_par_iter()
        .map(|figure| {
            let picture = png(&figure, SCALE).map_err(|error| broken(&figure.id, &error))?;
            Ok((figure, picture))
        })
        .collect::<Result<_, Error>>()?;
    let mut files = Vec::new();
    for (figure, picture) in pictures {
        let drawing = standalone(&figure).into_bytes();
        for (ending, bytes) in [("svg", drawing), ("png", picture)] {
            let path = out.join(FOLDER).join(format!("{}.{ending}", figure.id));
            set.add(&path, |out| out.write_all(&bytes))?;
            files.push(path);
        }
    }
    Ok(files)
}

/// Writes the figures of a report that is there already.
pub fn write_figures(out: &Path, report: &Report) -> Result<Vec<PathBuf>, Error> {
    let folder = figures_folder(out)?;
    let mut set = FileSet::new(Overwrite::Replace);
    let files = add_figures(&mut set, out, report)?;
    set.commit()?;
    folder.keep();
    remove_stale_figures(out, &files);
    Ok(files)
}

/// Figures of an earlier report would contradict this one. What does not bear one of our names is
/// somebody else's.
pub fn remove_stale_figures(out: &Path, written: &[PathBuf]) {
    let folder = out.join(FOLDER);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return;
    };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let ending = path.extension().and_then(OsStr::to_str);
        let name = path.file_stem().and_then(OsStr::to_str);
        let ours = matches!(ending, Some("svg" | "png")) && name.is_some_and(is_name);
        if ours && !written.contains(&path) {
            // What cannot be removed was not written by us.
            let _ = std::fs::remove_file(&path);
        }
    }
    // Goes only if nothing is left in it.
    let _ = std::fs::remove_dir(folder);
}

fn broken(id: &str, error: &str) -> Error {
    Error::usage(
        format!("figure {id} cannot be drawn: {error}"),
        "this is a fault of guestlist: please report it",
    )
}
