//! `cargo xtask example NAME`: an audit whose models a Python program trains, from nothing.

use std::path::PathBuf;
use std::process::Command;

use crate::needy::Variables;
use crate::python;
use crate::shell::{Failed, cargo, root};

/// A folder in `examples`.
struct Example {
    name: &'static str,
    /// What its program imports.
    imports: &'static str,
}

const EXAMPLES: [Example; 2] = [
    Example {
        name: "scikit-learn",
        imports: "numpy, sklearn",
    },
    Example {
        name: "pytorch",
        imports: "numpy, torch",
    },
];

impl Example {
    fn find(name: &str) -> Result<&'static Self, Failed> {
        let found = EXAMPLES.iter().find(|example| example.name == name);
        found.ok_or_else(|| {
            let names = EXAMPLES.map(|example| example.name).join(" or ");
            Failed(format!("`cargo xtask example` wants {names}"))
        })
    }

    fn folder(&self) -> PathBuf {
        root().join("examples").join(self.name)
    }

    fn variables(&self, name: &'static str) -> Result<Variables, Failed> {
        let requirements = self.folder().join("requirements.txt");
        let path = python::packages(self.name, self.imports, &requirements)?;
        Ok(path.into_iter().map(|path| (name, path)).collect())
    }
}

/// Further arguments are those of `guestlist run`.
pub fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), Failed> {
    let example = Example::find(&arguments.next().unwrap_or_default())?;
    let variables = example.variables("PYTHONPATH")?;
    cargo(&["build", "--release", "--workspace", "--bin", "guestlist"])?;
    let config = format!("examples/{}/guestlist.toml", example.name);
    let mut command = Command::new(program()?);
    command.args(["run", &config]).args(arguments);
    let status = command.current_dir(root()).envs(variables).status();
    let status = status.map_err(|error| Failed(format!("guestlist did not start: {error}")))?;
    match status.code() {
        Some(code @ (0 | 1 | 3)) => {
            eprintln!(
                "An audit with this verdict exits with {code}. Change {config} or the train.py \
                 beside it as you like, and start again."
            );
            Ok(())
        }
        _ => Err(Failed(format!("guestlist ended with {status}"))),
    }
}

/// For the tests of the scikit-learn example.
pub fn ready_for_tests() -> Result<Variables, Failed> {
    Example::find("scikit-learn")?.variables("GUESTLIST_TEST_PYTHONPATH")
}

/// Built where we were.
fn program() -> Result<PathBuf, Failed> {
    let here = std::env::current_exe().map_err(|error| Failed(error.to_string()))?;
    Ok(here.with_file_name(format!("guestlist{}", std::env::consts::EXE_SUFFIX)))
}
