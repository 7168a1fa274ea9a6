//! The developer's commands: `cargo xtask test`, `ci`, `bench`, `example`, `wheel` and `study`.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a tool for the terminal

mod bench;
mod bench_language;
mod bench_training;
mod browser;
mod debian;
mod example;
mod needy;
mod python;
mod python_package;
mod shell;
mod slurm;
mod smollm2;
mod study;
mod vectors;

use std::process::{Command, ExitCode};

use shell::{Failed, cargo, cargo_command, run, succeeds};

const USAGE: &str = "\
cargo xtask test    all tests, documentation examples included
cargo xtask ci      formatting and lints, then all tests
cargo xtask bench   speed beside numpy, scipy, scikit-learn, PyTorch and transformers, as ratios of
                    one run; `bench language` for language models alone
cargo xtask example NAME   an audit of models that Python trains: scikit-learn or pytorch
cargo xtask wheel   the Python package for this machine, in target/wheels
cargo xtask study few-shot [--location DIR] [--runs N]   docs/study-few-shot.md, measured anew; DIR
                    holds the Location30 files that the page names";

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    let outcome = match command.as_str() {
        "test" => test(),
        "ci" => lint().and_then(|()| test()),
        "bench" => match std::env::args().nth(2).as_deref() {
            Some("language") => bench_language::compare(),
            _ => bench::compare(),
        },
        "example" => example::run(std::env::args().skip(2)),
        "wheel" => python_package::wheel(),
        "study" => study::run(std::env::args().skip(2)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failed(what)) => {
            eprintln!("error: {what}");
            ExitCode::FAILURE
        }
    }
}

/// One profile for everything, so that nothing is built twice. Documentation examples come first:
/// whoever reads the end of the output wants the count of the tests there. One that fails stops no
/// other; what failed is said at the end.
fn test() -> Result<(), Failed> {
    const EXAMPLES: [&str; 6] = [
        "test",
        "--workspace",
        "--release",
        "--doc",
        "--quiet",
        "--no-fail-fast",
    ];
    let choice = build_and_choose()?;
    python_package::assemble_for_tests()?;
    let examples = cargo(&EXAMPLES);
    let tests = run(tests(&choice).envs(choice.variables));
    shell::all([examples, tests])
}

fn tests(choice: &needy::Choice) -> Command {
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

/// Builds while what tests need is fetched: the one keeps the cores busy, the other the network.
fn build_and_choose() -> Result<needy::Choice, Failed> {
    const EVERYTHING: [&str; 6] = [
        "build",
        "--workspace",
        "--release",
        "--lib",
        "--bins",
        "--tests",
    ];
    std::thread::scope(|scope| {
        let building = scope.spawn(|| cargo(&EVERYTHING));
        let choice = needy::choose();
        let built = building.join();
        built.unwrap_or_else(|_| Err(Failed("the build broke off".into())))?;
        Ok(choice)
    })
}

fn lint() -> Result<(), Failed> {
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--release",
        "--",
        "-D",
        "warnings",
    ])
}
