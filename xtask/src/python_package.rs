//! The Python package: its wheel, and what its tests need.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::needy::Variables;
use crate::python;
use crate::shell::{Failed, root, run};

const SOURCES: &str = "crates/python/python/guestlist";
const MATURIN: &str = "maturin>=1.9,<2";
const TESTS: &str = "crates/python/tests";

/// Builds a wheel for this machine.
pub fn wheel() -> Result<(), Failed> {
    let folder = root().join("target/python-maturin");
    let maturin = python::carried(MATURIN, &folder, "bin/maturin")?;
    let mut command = Command::new(maturin);
    run(command.args(["build", "--release", "--out", "target/wheels"]))
}

/// What the tests import: the package, put together once it is built, and what it is tested with.
pub fn ready_for_tests() -> Result<Variables, Failed> {
    let requirements = |name: &str| root().join(TESTS).join(name);
    let mut places = vec![assembled().into_os_string()];
    places.extend(python::packages(
        "package",
        "numpy, pyarrow, pandas, polars, sklearn, pytest, mypy, nbclient, ipykernel, tqdm",
        &requirements("requirements.txt"),
    )?);
    match python::packages(
        "torch",
        "torch, transformers, accelerate",
        &requirements("requirements-torch.txt"),
    ) {
        Ok(path) => places.extend(path),
        Err(Failed(reason)) => eprintln!("tests with PyTorch are skipped: {reason}"),
    }
    Ok(vec![("GUESTLIST_PYTHON_PACKAGE", joined(places))])
}

fn joined(places: Vec<OsString>) -> OsString {
    let all = places.iter().flat_map(std::env::split_paths);
    // Paths that were split can be joined again.
    std::env::join_paths(all).unwrap_or_default()
}

fn assembled() -> PathBuf {
    root().join("target/python-guestlist")
}

/// Puts the extension that was built with all else and the package's sources together.
pub fn assemble_for_tests() -> Result<(), Failed> {
    let package = assembled().join("guestlist");
    let failed = |error: std::io::Error| Failed(format!("{}: {error}", package.display()));
    if package.exists() {
        fs::remove_dir_all(&package).map_err(failed)?;
    }
    copy(&root().join(SOURCES), &package).map_err(failed)?;
    fs::copy(built()?, package.join("_guestlist.abi3.so")).map_err(failed)?;
    Ok(())
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &place)?;
        } else {
            fs::copy(entry.path(), &place)?;
        }
    }
    Ok(())
}

/// The extension, beside this program.
fn built() -> Result<PathBuf, Failed> {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
    let here = std::env::current_exe().map_err(|error| Failed(error.to_string()))?;
    Ok(here.with_file_name(format!("{DLL_PREFIX}_guestlist{DLL_SUFFIX}")))
}
