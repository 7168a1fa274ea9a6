//! Who stands for an audit: a signature over its digests, made and checked by OpenSSH's `ssh-keygen`.
//!
//! That program asks for passphrases, talks to agents and to keys in hardware; nothing of that is done here,
//! and anybody can check the signature without this program.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::sums::{SIGNATURE, SUMS};
use super::verify::{Request, unsigned};
use crate::{Error, Result};

/// What a signature is for; one that was made for something else does not count.
pub const NAMESPACE: &str = "guestlist";
const PROGRAM: &str = "ssh-keygen";

/// Whose signature is believed.
#[derive(Clone, Debug)]
pub struct Signers {
    /// An allowed signers file, as `ssh-keygen(1)` describes it.
    pub file: PathBuf,
    /// Who of them it must be; anybody in the file where nobody is named.
    pub identity: Option<String>,
}

/// What is known of the signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signature {
    None,
    /// Of somebody who is believed.
    By {
        identity: String,
        key: String,
    },
    /// Of this key, which nobody said is to be believed.
    Unvouched {
        key: String,
    },
    /// There is one, and no program to look at it.
    Unchecked {
        why: String,
    },
    /// Not of these digests, or not of anybody who is believed.
    Broken {
        why: String,
    },
}

/// Signs the digests of a folder with a key, or with the agent's key of which this is the public half. What
/// `verify` would reject is not signed.
pub fn sign(folder: &Path, key: &Path) -> Result<PathBuf> {
    if let Some(broken) = unsigned(folder, &Request::default())?.broken() {
        return Err(Error::usage(
            format!(
                "{}: {broken}: what is not as the audit wrote it, or read it, is not signed",
                folder.display()
            ),
            "audit again, or put back what the audit wrote or read",
        ));
    }
    let mut command = Command::new(PROGRAM);
    command
        .args(["-q", "-Y", "sign", "-n", NAMESPACE, "-f"])
        .arg(key);
    // Prompts for a touch of a key in hardware go to the user.
    command.stderr(Stdio::inherit());
    let said = over_sums(command, folder)?;
    if !said.status.success() || said.stdout.is_empty() {
        return Err(Error::usage(
            format!("{}: {PROGRAM} did not sign with it", key.display()),
            "give a private key of OpenSSH, or the public half of one that ssh-agent holds",
        ));
    }
    let path = folder.join(SIGNATURE);
    formats::files::write(&path, &said.stdout)?;
    Ok(path)
}

/// What there is to say of a folder's signature.
pub fn check(folder: &Path, signers: Option<&Signers>) -> Result<Signature> {
    let signature = folder.join(SIGNATURE);
    if let Some(signers) = signers {
        // A misspelt name must not look like a wrong signature.
        File::open(&signers.file).map_err(|error| unreadable(&signers.file, &error))?;
    }
    if !signature.is_file() {
        return Ok(Signature::None);
    }
    let checked = match signers {
        None => unvouched(folder, &signature),
        Some(signers) => vouched(folder, &signature, signers),
    };
    match checked {
        Err(error) if signers.is_none() => Ok(Signature::Unchecked { why: error.message }),
        other => other,
    }
}

/// Whether a signature is of these digests, whoever made it.
fn unvouched(folder: &Path, signature: &Path) -> Result<Signature> {
    let mut command = Command::new(PROGRAM);
    command.args(["-Y", "check-novalidate", "-n", NAMESPACE, "-s"]);
    let said = over_sums(arguments(command, signature), folder)?;
    Ok(match said.status.success() {
        true => Signature::Unvouched { key: key(&said) },
        false => Signature::Broken {
            why: format!("{SIGNATURE} is no signature over this {SUMS}"),
        },
    })
}

/// Whether a signature is of these digests and of somebody who is believed.
fn vouched(folder: &Path, signature: &Path, signers: &Signers) -> Result<Signature> {
    let principals = match &signers.identity {
        Some(identity) => vec![identity.clone()],
        None => principals(signature, &signers.file)?,
    };
    // A key may stand for several, and not for some: whose it was then, nobody knows.
    for identity in principals.iter().filter(|name| !name.starts_with('!')) {
        let mut command = Command::new(PROGRAM);
        command.args(["-Y", "verify", "-n", NAMESPACE, "-I", identity, "-f"]);
        command.arg(&signers.file).arg("-s");
        let said = over_sums(arguments(command, signature), folder)?;
        if said.status.success() {
            return Ok(Signature::By {
                identity: match principals.len() {
                    1 => identity.clone(),
                    _ => format!("one of {}", principals.join(", ")),
                },
                key: key(&said),
            });
        }
    }
    let file = signers.file.display();
    // Whether it is the wrong text or the wrong person is told apart for the reader.
    Ok(match unvouched(folder, signature)? {
        Signature::Unvouched { key } => Signature::Broken {
            why: match &signers.identity {
                Some(identity) => {
                    format!("it is of {key}, which {file} does not allow for {identity}")
                }
                None => format!("it is of {key}, which {file} does not allow"),
            },
        },
        broken => broken,
    })
}

/// Whom a file names beside the key that made the signature.
fn principals(signature: &Path, signers: &Path) -> Result<Vec<String>> {
    let mut command = Command::new(PROGRAM);
    command.args(["-Y", "find-principals", "-s"]).arg(signature);
    command.arg("-f").arg(signers);
    let said = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| absent(&error))?;
    let names = String::from_utf8_lossy(&said.stdout).into_owned();
    let names = names.lines().map(str::trim);
    Ok(names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect())
}

fn arguments(mut command: Command, signature: &Path) -> Command {
    command.arg(signature);
    command
}

/// Runs the program over the digests as they lie on the disk.
fn over_sums(mut command: Command, folder: &Path) -> Result<Output> {
    let path = folder.join(SUMS);
    let sums = File::open(&path).map_err(|error| unreadable(&path, &error))?;
    let said = command.stdin(sums).output();
    said.map_err(|error| absent(&error))
}

/// `Good "guestlist" signature with ED25519 key SHA256:…`, or for somebody, as the program says it.
fn key(said: &Output) -> String {
    let text = String::from_utf8_lossy(&said.stdout);
    let line = text.lines().next().unwrap_or_default();
    let words = line.rsplit_once(" with ").map_or(line, |(_, key)| key);
    report::printable(words.trim())
}

fn absent(error: &io::Error) -> Error {
    Error::usage(
        format!("{PROGRAM} does not start: {error}"),
        "install OpenSSH 8.1 or newer (openssh-client), which makes and checks signatures",
    )
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::usage(
        format!("{}: cannot be read: {error}", path.display()),
        "give a file that is there and that you may read",
    )
}
