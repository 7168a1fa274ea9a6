//! The developer's commands: `cargo xtask test`, `ci`, `gen`, `features`, `bench`, `objects`, `example`, `wheel`
//! and `study`. They need nothing to be built but themselves.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a tool for the terminal

mod bench;
mod bench_language;
mod bench_rag;
mod bench_scale;
mod browser;
mod cards;
mod carried;
mod debian;
mod example;
mod features;
mod generated;
mod installing;
mod linters;
mod needy;
mod node;
mod objects;
mod parts;
mod python;
mod python_package;
mod ray;
mod shell;
mod slurm;
mod smollm2;
mod study;
mod test;
mod vectors;
mod wheel;

use std::process::ExitCode;

use needy::InstallPolicy;
use shell::Failed;

const USAGE: &str = "\
cargo xtask test    everything that must hold: formatting, lints, packages, and all tests. Says first
                    what it installs for tests that need more than Rust; --no-install does without
cargo xtask ci      the same, and what could be installed and was not is a failure, as where CI=true
cargo xtask gen     the pages that come from the code; --check compares them
cargo xtask features   whether every selection builds others' crates with the same features
cargo xtask bench [attacks] [training] [language] [--write] [--before PROGRAM]   speed beside numpy,
                    scipy, scikit-learn, PyTorch and transformers, as ratios of one run; --write puts the
                    numbers into the pages, --before measures an earlier build beside this one
cargo xtask bench scale   up to a million texts and ten million scores: time and memory, for
                    docs/guide-scale.md; needs 7 GB of disk, and cores of its own for elapsed times that mean anything
cargo xtask bench rag --documents FILE [--each N]   a retrieval service asked about 2,000 documents, and the
                    answers judged again: time, memory and disk, for docs/guide-rag.md
cargo xtask objects   Parquet in object storage, read from an S3-compatible server on loopback that pip
                    installs (moto); apart from the tests, for it builds others' crates anew
cargo xtask example NAME   an audit of models that Python trains: scikit-learn or pytorch
cargo xtask wheel [--manylinux] [--try PYTHON…]   the Python package, in target/wheels, with the command in it:
                    for this machine, or built anew for old systems too; installed, used and removed by PYTHON
cargo xtask study bavaria [DATA…] [--models N]   docs/study-bavaria.md, measured anew by guestlist study bavaria
cargo xtask study few-shot [--location DIR] [--runs N]   docs/study-few-shot.md, measured anew by guestlist
                    study few-shot; DIR is examples/location30, once its models are trained
cargo xtask study rag --model PATH --documents FILE [--device cuda] [--write]   docs/study-rag.md: attacks
                    on a retrieval service against its defences; hours on a CPU, minutes on a GPU
cargo xtask study rag-nulls --transcript FILE=TEXT [--nulls N] [--sizes N,N]   a table of docs/guide-rag.md: how
                    often attacks on retrieval services find something where nothing is
cargo xtask study rag-requests --documents FILE --about TEXT [--write]   a table of docs/guide-rag.md: requests
                    and AUC with every question asked, and with no more than needed
cargo xtask study tables   tables of the guides that follow from formulas and simulations alone
cargo xtask study ez --texts FILE [--count N] [--model FOLDER]   docs/study-ez.md, by guestlist study ez, of
                    fine-tunes that PyTorch makes here; hours on a CPU, minutes on a GPU";

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    if matches!(command.as_str(), "test" | "ci") {
        hear_interrupts();
    }
    let outcome = match command.as_str() {
        "test" => test::run_all(policy(false)),
        "ci" => test::run_all(policy(true)),
        "gen" => generated::pages(has("--check")),
        "features" => features::check(),
        "bench" if std::env::args().nth(2).as_deref() == Some("scale") => {
            bench_scale::measure(std::env::args().skip(3))
        }
        "bench" if std::env::args().nth(2).as_deref() == Some("rag") => {
            bench_rag::measure(std::env::args().skip(3))
        }
        "bench" => bench::compare(&std::env::args().skip(2).collect::<Vec<_>>()),
        "objects" => objects::test(),
        "example" => example::run(std::env::args().skip(2)),
        "wheel" => {
            wheel::Asked::read(std::env::args().skip(2)).and_then(|asked| wheel::build(&asked))
        }
        "study" => study::measure(std::env::args().skip(2)),
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

/// Shells start jobs in the background with Ctrl-C ignored, which whatever these start inherits, and tests send it.
#[cfg(unix)]
fn hear_interrupts() {
    const SIGINT: i32 = 2;
    const DEFAULT: usize = 0;
    unsafe extern "C" {
        fn signal(number: i32, handler: usize) -> usize;
    }
    // SAFETY: the C library's own function, with the number and the handler that every Unix gives these names.
    unsafe { signal(SIGINT, DEFAULT) };
}

#[cfg(not(unix))]
fn hear_interrupts() {}

fn policy(ci: bool) -> InstallPolicy {
    InstallPolicy {
        installs: !has("--no-install"),
        strict: ci || std::env::var("CI").is_ok_and(|value| value == "true"),
    }
}

fn has(flag: &str) -> bool {
    std::env::args().skip(2).any(|argument| argument == flag)
}
