//! Debian's packages, for tests that need programs of theirs.

use std::process::{Command, Output, Stdio};

use crate::installing::{Installation, Lack};
use crate::shell::{Failed, succeeds};

/// Packages that can be installed here; else what a person would install.
pub fn installation(
    what: &str,
    packages: &[&str],
    size: &'static str,
    install: fn() -> Result<(), Failed>,
) -> Result<Installation, Lack> {
    let packages = packages.join(" ");
    let root = succeeds("sh", &["-c", "test \"$(id -u)\" = 0"]);
    match root && succeeds("apt-get", &["--version"]) {
        true => Ok(Installation {
            what: format!("Debian's {packages}"),
            place: "the system, by apt-get".into(),
            size,
            install: Box::new(install),
        }),
        false => Err(Lack::Uninstalled(format!(
            "{what} is not installed (on Debian: sudo apt-get install {packages})"
        ))),
    }
}

/// Quiet unless it fails.
pub fn install(packages: &[&str]) -> Result<(), Failed> {
    apt(&["update", "-qq"])?;
    let mut arguments = vec!["install", "-y", "-qq", "--no-install-recommends"];
    arguments.extend(packages);
    apt(&arguments)
}

fn apt(arguments: &[&str]) -> Result<(), Failed> {
    let mut command = Command::new("apt-get");
    command
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive");
    let answer = said(&mut command)?;
    match answer.status.success() {
        true => Ok(()),
        false => Err(Failed(format!(
            "apt-get {} failed: {}",
            arguments[0],
            last_line(&answer.stderr)
        ))),
    }
}

/// What a command says, with nothing to read.
pub fn said(command: &mut Command) -> Result<Output, Failed> {
    let output = command.stdin(Stdio::null()).output();
    output.map_err(|error| Failed(format!("{command:?} did not start: {error}")))
}

pub fn last_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.trim().lines().last().unwrap_or_default().to_owned()
}
