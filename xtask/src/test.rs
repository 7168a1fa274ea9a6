//! `cargo xtask test`: everything that must hold before a change is merged.

use std::process::Command;

use crate::features;
use crate::needy::{self, Choice, InstallPolicy};
use crate::parts::Parts;
use crate::python_package;
use crate::shell::{Failed, cargo, cargo_command, run, succeeds};

/// One profile for everything, so that nothing is built twice.
const BUILD: [&str; 6] = [
    "build",
    "--workspace",
    "--release",
    "--lib",
    "--bins",
    "--tests",
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

/// The tests come last: whoever reads the end of the output wants their count there.
pub fn run_all(policy: InstallPolicy) -> Result<(), Failed> {
    let plan = needy::plan(policy);
    let mut parts = Parts::default();
    parts.run("formatting", || cargo(&["fmt", "--all", "--check"]));
    parts.run("features of others' crates", features::check);
    let mut choice = Choice::default();
    parts.run("build", || build(|| choice = plan.fulfil()));
    parts.run("lints", || cargo(&LINTS));
    parts.run("packages", || cargo(&PACKAGES));
    parts.run("examples in documentation", || cargo(&EXAMPLES));
    parts.run("tests", || {
        python_package::assemble_for_tests()?;
        run(tests(&choice).envs(choice.variables.clone()))
    });
    parts.run("nothing left out", || choice.complete());
    parts.finish()
}

/// Builds while what tests need is fetched: the one keeps the cores busy, the other the network.
fn build(meanwhile: impl FnOnce()) -> Result<(), Failed> {
    std::thread::scope(|scope| {
        let building = scope.spawn(|| cargo(&BUILD));
        meanwhile();
        let built = building.join();
        built.unwrap_or_else(|_| Err(Failed("the build broke off".into())))
    })
}

fn tests(choice: &Choice) -> Command {
    let mut command = cargo_command();
    if succeeds("cargo", &["nextest", "--version"]) {
        command.args(["nextest", "run", "--workspace", "--release"]);
        command.arg("--no-fail-fast").args(choice.for_nextest());
    } else {
        command.args(["test", "--workspace", "--release", "--no-fail-fast"]);
        command.args(["--lib", "--bins", "--tests", "--"]);
        command.args(choice.for_cargo_test());
    }
    command
}
