//! Running other programs.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What did not succeed.
pub struct Failed(pub String);

/// Runs cargo at the workspace root, its output going where ours goes.
pub fn cargo(arguments: &[&str]) -> Result<(), Failed> {
    run(cargo_command().args(arguments))
}

/// Runs cargo there and keeps all that it says.
pub fn cargo_kept(arguments: &[&str]) -> (String, Result<(), Failed>) {
    let mut command = cargo_command();
    command.args(arguments).current_dir(root());
    let shown = shown(&command);
    match command.stdin(Stdio::null()).output() {
        Ok(output) => {
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said).into_owned();
            let outcome = match output.status.success() {
                true => Ok(()),
                false => Err(Failed(format!("{shown} ended with {}", output.status))),
            };
            (said, outcome)
        }
        Err(error) => (
            String::new(),
            Err(Failed(format!("{shown} did not start: {error}"))),
        ),
    }
}

/// The cargo that started us, without what it told us of ourselves: build scripts that look at such
/// variables (ring's does) would have others' crates built again.
pub fn cargo_command() -> Command {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    let ours = [
        "CARGO_PKG_",
        "CARGO_MANIFEST_",
        "CARGO_CRATE_",
        "CARGO_BIN_",
    ];
    for (name, _) in std::env::vars_os() {
        let told = |name: &str| ours.iter().any(|ours| name.starts_with(ours));
        if name.to_str().is_some_and(told) {
            command.env_remove(name);
        }
    }
    command
}

/// Program and arguments, for messages.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

/// Runs a command at the workspace root.
pub fn run(command: &mut Command) -> Result<(), Failed> {
    run_in(&root(), command)
}

/// Runs a command in a folder.
pub fn run_in(folder: &Path, command: &mut Command) -> Result<(), Failed> {
    let shown = shown(command);
    match command.current_dir(folder).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failed(format!("{shown} ended with {status}"))),
        Err(error) => Err(Failed(format!("{shown} did not start: {error}"))),
    }
}

/// Runs a command and gives what it printed on stdout.
pub fn output(command: &mut Command) -> Result<String, Failed> {
    let shown = shown(command);
    let output = command
        .current_dir(root())
        .stderr(Stdio::inherit())
        .output();
    match output {
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Ok(output) => Err(Failed(format!("{shown} ended with {}", output.status))),
        Err(error) => Err(Failed(format!("{shown} did not start: {error}"))),
    }
}

/// Runs a command at the workspace root with these words on its stdin.
pub fn feed(command: &mut Command, words: &str) -> Result<(), Failed> {
    let shown = shown(command);
    let failed = |error: std::io::Error| Failed(format!("{shown}: {error}"));
    let mut child = command
        .current_dir(root())
        .stdin(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(words.as_bytes()).map_err(failed)?;
    }
    match child.wait().map_err(failed)? {
        status if status.success() => Ok(()),
        status => Err(Failed(format!("{shown} ended with {status}"))),
    }
}

/// Whether a program is there and answers.
pub fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let quiet = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    quiet.is_ok_and(|status| status.success())
}

/// A program or library that was built beside this one.
pub fn beside(name: &str) -> Result<PathBuf, Failed> {
    let here = std::env::current_exe().map_err(|error| Failed(error.to_string()))?;
    Ok(here.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// The folder of the workspace.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}
