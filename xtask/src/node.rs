//! Packages of npm: a folder of our own under `target` that is filled once.

use std::process::Command;

use crate::debian::{last_line, said};
use crate::installing::{Installation, Lack};
use crate::shell::{Failed, root, succeeds};

/// Whether there are Node and npm.
pub fn check() -> Result<(), Lack> {
    match succeeds("node", &["--version"]) && succeeds("npm", &["--version"]) {
        true => Ok(()),
        false => Err(Lack::Uninstalled(
            "node and npm are not found; install Node 18 or newer".into(),
        )),
    }
}

pub fn installation(
    package: &'static str,
    folder: &'static str,
    size: &'static str,
) -> Installation {
    Installation {
        what: package.into(),
        place: folder.into(),
        size,
        install: Box::new(move || install(package, folder)),
    }
}

/// Without what packages would run or fetch by themselves.
fn install(package: &str, folder: &str) -> Result<(), Failed> {
    let mut command = Command::new("npm");
    command.args([
        "install",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--prefix",
    ]);
    let answer = said(command.arg(root().join(folder)).arg(package))?;
    match answer.status.success() {
        true => Ok(()),
        false => Err(Failed(format!(
            "npm could not install {package}: {}",
            last_line(&answer.stderr)
        ))),
    }
}
