//! `cargo xtask example NAME`: an audit whose models a Python program trains, from nothing.

use std::process::Command;

use crate::installing::Lack;
use crate::needy::Need;
use crate::python::Modules;
use crate::shell::{Failed, beside, cargo, root};

/// A folder in `examples`.
struct Example {
    name: &'static str,
    /// What its program imports.
    modules: Modules<'static>,
}

const EXAMPLES: [Example; 2] = [
    Example {
        name: "scikit-learn",
        modules: Modules {
            name: "scikit-learn",
            imports: "numpy, sklearn",
            requirements: "examples/scikit-learn/requirements.txt",
            size: "about 70 MB",
        },
    },
    Example {
        name: "pytorch",
        modules: Modules {
            name: "pytorch",
            imports: "numpy, torch",
            requirements: "examples/pytorch/requirements.txt",
            size: "up to 3 GB",
        },
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
}

/// Further arguments are those of `guestlist run`.
pub fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), Failed> {
    let example = Example::find(&arguments.next().unwrap_or_default())?;
    let path = example.modules.installed()?;
    cargo(&["build", "--release", "--workspace", "--bin", "guestlist"])?;
    let config = format!("examples/{}/guestlist.toml", example.name);
    let mut command = Command::new(beside("guestlist")?);
    command.args(["run", &config]).args(arguments);
    let status = command.current_dir(root()).env("PYTHONPATH", path).status();
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
pub fn need() -> Result<Need, Lack> {
    let modules = Example::find("scikit-learn")?.modules;
    Ok(Need {
        missing: modules.missing()?.into_iter().collect(),
        variables: Box::new(move || Ok(vec![("GUESTLIST_TEST_PYTHONPATH", modules.path()?)])),
    })
}
