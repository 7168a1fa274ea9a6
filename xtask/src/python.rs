//! Python packages: those at hand, or a folder of our own that is filled once.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use crate::installing::{Installation, Lack};
use crate::needy::Need;
use crate::shell::{Failed, root, run, succeeds};

/// Modules of `python3`.
#[derive(Clone, Copy)]
pub struct Modules<'a> {
    /// Of the folder under `target` that they go to where `python3` lacks them.
    pub name: &'a str,
    pub imports: &'a str,
    /// The file that pip reads, beneath the workspace.
    pub requirements: &'a str,
    /// About how much is fetched.
    pub size: &'static str,
}

/// Python with nothing beside it.
pub fn alone() -> Result<Need, Lack> {
    match succeeds("python3", &["--version"]) {
        true => Ok(Need {
            missing: Vec::new(),
            variables: Box::new(|| Ok(Vec::new())),
        }),
        false => Err(Lack::Impossible("python3 is not found".into())),
    }
}

impl Modules<'_> {
    fn folder(&self) -> String {
        format!("target/python-{}", self.name)
    }

    /// What is missing, if anything is.
    pub fn missing(&self) -> Result<Option<Installation>, Failed> {
        if !succeeds("python3", &["--version"]) {
            return Err(Failed(
                "python3 is not found; install Python 3.11 or newer".into(),
            ));
        }
        if can_import(self.imports, None) || can_import(self.imports, Some(&self.path()?)) {
            return Ok(None);
        }
        let (requirements, folder) = (root().join(self.requirements), root().join(self.folder()));
        Ok(Some(Installation {
            what: format!("Python's {}", self.imports),
            place: self.folder(),
            size: self.size,
            install: Box::new(move || install_all(&requirements, &folder)),
        }))
    }

    /// The PYTHONPATH with which they are found: what is on it already stays, behind ours.
    pub fn path(&self) -> Result<OsString, Failed> {
        let folder = root().join(self.folder());
        let before = std::env::var_os("PYTHONPATH").unwrap_or_default();
        let places = std::env::split_paths(&before).filter(|place| !place.as_os_str().is_empty());
        std::env::join_paths(std::iter::once(folder.clone()).chain(places))
            .map_err(|error| Failed(format!("{}: {error}", folder.display())))
    }

    /// The PYTHONPATH, with what is missing installed.
    pub fn installed(&self) -> Result<OsString, Failed> {
        if let Some(missing) = self.missing()? {
            eprintln!("installing {}", missing.line());
            (missing.install)()?;
        }
        self.path()
    }
}

fn can_import(imports: &str, path: Option<&OsString>) -> bool {
    let mut command = Command::new("python3");
    command.args(["-c", &format!("import {imports}")]);
    command.envs(path.map(|path| ("PYTHONPATH", path)));
    command.output().is_ok_and(|output| output.status.success())
}

fn install_all(requirements: &Path, folder: &Path) -> Result<(), Failed> {
    if !succeeds("python3", &["-m", "pip", "--version"]) {
        return Err(Failed(format!(
            "python3 has no pip; install it (`python3 -m ensurepip`, or your system's python3-pip) \
             or make sure by other means of what {} names",
            requirements.display()
        )));
    }
    let named = requirements.to_string_lossy();
    install(folder, &["-r", &named]).map_err(|_| {
        Failed(format!(
            "pip could not install the packages; try `python3 -m pip install -r {named}`"
        ))
    })
}

/// Has pip put what is named into a folder of its own.
pub fn install(folder: &Path, named: &[&str]) -> Result<(), Failed> {
    // Replaces what an installation left that was interrupted.
    run(Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--upgrade"])
        // Of most modules nothing is ever imported: Python compiles the others when it is.
        .args(["--no-compile", "--disable-pip-version-check", "--target"])
        .arg(folder)
        .args(named))
}
