//! `cargo xtask test`: everything that must hold before a change is merged.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{self, Sender};

use crate::features;
use crate::needy::{self, Choice, InstallPolicy};
use crate::parts::Parts;
use crate::python_package;
use crate::shell::{Failed, cargo, cargo_command, output, root, run, succeeds};

/// One profile for everything, so that nothing is built twice.
const BUILD: [&str; 6] = [
    "build",
    "--workspace",
    "--release",
    "--lib",
    "--bins",
    "--tests",
];
const BINARIES: [&str; 8] = [
    "nextest",
    "list",
    "--workspace",
    "--release",
    "--list-type",
    "binaries-only",
    "--message-format",
    "json",
];
const LINTS: [&str; 7] = [
    "clippy",
    "--workspace",
    "--all-targets",
    "--release",
    "--",
    "-D",
    "warnings",
];
const EXAMPLES: [&str; 6] = [
    "test",
    "--workspace",
    "--release",
    "--doc",
    "--quiet",
    "--no-fail-fast",
];
/// Whether the crates could be published; what they hold is built above already.
const PACKAGES: [&str; 11] = [
    "package",
    "--workspace",
    "--exclude",
    "guestlist-bench",
    "--exclude",
    "guestlist-python",
    "--exclude",
    "xtask",
    "--no-verify",
    "--allow-dirty",
    "--quiet",
];

/// What is looked over beside the tests, which wait for clusters and browsers more than they work. The tests come
/// last: whoever reads the end of the output wants their count there.
pub fn run_all(policy: InstallPolicy) -> Result<(), Failed> {
    let plan = needy::plan(policy);
    let mut parts = Parts::default();
    parts.run("formatting", || cargo(&["fmt", "--all", "--check"]));
    parts.run("features of others' crates", features::check);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let building = scope.spawn(|| build_and_look_over(sender));
        let mut tests = Parts::default();
        let mut choice = Choice::default();
        // The build keeps the cores busy, this the network.
        tests.run("what tests need", || {
            choice = plan.fulfil();
            choice.complete()
        });
        tests.run("tests", || {
            let built = receiver.recv();
            let built = built.map_err(|_| Failed("nothing was built to be tested".into()))?;
            python_package::assemble_for_tests()?;
            run(tests_of(&built, &choice).envs(choice.variables.clone()))
        });
        parts.extend(building.join().unwrap_or_else(|_| broken_off()));
        parts.extend(tests);
    });
    parts.finish()
}

fn broken_off() -> Parts {
    let mut parts = Parts::default();
    parts.run("build", || Err(Failed("it broke off".into())));
    parts
}

/// Says when tests can start, and goes on with what needs no test.
fn build_and_look_over(built: Sender<Built>) -> Parts {
    let mut parts = Parts::default();
    parts.run("build", || {
        cargo(&BUILD)?;
        // Nobody waits for it only where the other side has failed already, and says so itself.
        let _ = built.send(Built::listed()?);
        Ok(())
    });
    drop(built);
    parts.run_cargo_beside("lints", &LINTS);
    parts.run_cargo_beside("packages", &PACKAGES);
    parts.run_cargo_beside("examples in documentation", &EXAMPLES);
    parts
}

/// What runs the tests that were built.
enum Built {
    /// Nextest, with a list of what there is to run: it asks cargo for nothing, which is busy meanwhile.
    Listed {
        binaries: PathBuf,
        workspace: PathBuf,
    },
    /// Rust's own runner waits until cargo has done all else.
    Unlisted,
}

impl Built {
    fn listed() -> Result<Self, Failed> {
        if !succeeds("cargo", &["nextest", "--version"]) {
            return Ok(Self::Unlisted);
        }
        let kept = |name: &str, arguments: &[&str]| {
            let path = root().join("target").join(name);
            let said = output(cargo_command().args(arguments))?;
            let written = fs::write(&path, said);
            written.map_err(|error| Failed(format!("{}: {error}", path.display())))?;
            Ok(path)
        };
        Ok(Self::Listed {
            binaries: kept("test-binaries.json", &BINARIES)?,
            workspace: kept(
                "test-workspace.json",
                &["metadata", "--format-version", "1"],
            )?,
        })
    }
}

/// One more than there are cores: some test or other is always waiting.
fn at_once() -> usize {
    std::thread::available_parallelism().map_or(2, |cores| cores.get() + 1)
}

fn tests_of(built: &Built, choice: &Choice) -> Command {
    let mut command = cargo_command();
    match built {
        Built::Listed {
            binaries,
            workspace,
        } => {
            command.args(["nextest", "run", "--no-fail-fast"]);
            command.arg("--binaries-metadata").arg(binaries);
            command.arg("--cargo-metadata").arg(workspace);
            command.arg(format!("--test-threads={}", at_once()));
            command.args(choice.for_nextest());
        }
        Built::Unlisted => {
            command.args(["test", "--workspace", "--release", "--no-fail-fast"]);
            command.args(["--lib", "--bins", "--tests", "--"]);
            command.args(choice.for_cargo_test());
        }
    }
    command
}
