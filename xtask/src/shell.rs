//! Running other programs.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What did not succeed.
pub struct Failed(pub String);

/// Runs cargo at the workspace root, its output going where ours goes.
pub fn cargo(arguments: &[&str]) -> Result<(), Failed> {
    run(cargo_command().args(arguments))
}

/// The cargo that started us.
pub fn cargo_command() -> Command {
    Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()))
}

/// Runs a command at the workspace root.
pub fn run(command: &mut Command) -> Result<(), Failed> {
    let shown = format!("{command:?}");
    let status = command.current_dir(root()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failed(format!("{shown} ended with {status}"))),
        Err(error) => Err(Failed(format!("{shown} did not start: {error}"))),
    }
}

/// Everything that did not succeed, in one.
pub fn all(outcomes: impl IntoIterator<Item = Result<(), Failed>>) -> Result<(), Failed> {
    let failed = outcomes.into_iter().filter_map(Result::err);
    let failed: Vec<String> = failed.map(|Failed(what)| what).collect();
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Failed(failed.join("\nerror: "))),
    }
}

/// Runs a command and gives what it printed on stdout.
pub fn output(command: &mut Command) -> Result<String, Failed> {
    let shown = format!("{command:?}");
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

/// Whether a program is there and answers.
pub fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let quiet = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    quiet.is_ok_and(|status| status.success())
}

/// The folder of the workspace.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_hides_no_other() {
        let failed = |what: &str| Err(Failed(what.into()));
        assert!(all([Ok(()), Ok(())]).is_ok());
        let Err(Failed(said)) = all([failed("examples"), Ok(()), failed("tests")]) else {
            panic!("two of three failed");
        };
        assert_eq!(said, "examples\nerror: tests");
    }
}
