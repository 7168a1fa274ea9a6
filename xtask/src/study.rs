//! `cargo xtask study`: pages of docs/ whose numbers are measured anew. `bavaria` and `few-shot` are the user's own
//! commands, whose pages go to docs/ and whose numbers go to bench/figures, and so is `ez` once models are fine-tuned with
//! PyTorch; `rag-requests` audits the embedded retrieval service.

use std::path::Path;
use std::process::Command;

use crate::python::Modules;
use crate::python_package::{assemble_for_tests, assembled};
use crate::shell::{Failed, beside, cargo, root, run, run_in};
use crate::smollm2;

const BUILD: [&str; 7] = [
    "build",
    "--release",
    "--workspace",
    "--bin",
    "guestlist",
    "--bin",
    "study",
];

/// Two models of the run of `examples/location30`.
const LOCATION: [&str; 4] = [
    "digits",
    "Location30=location",
    "--target",
    "Location30=0,1",
];

const MODULES: Modules = Modules {
    name: "study-ez",
    imports: "torch, transformers, peft, gguf, pyarrow, numpy",
    requirements: "bench/study_ez/requirements.txt",
    size: "up to 6 GB: PyPI's PyTorch brings CUDA",
};

pub fn measure(arguments: impl Iterator<Item = String>) -> Result<(), Failed> {
    let arguments: Vec<String> = arguments.collect();
    match arguments.split_first() {
        Some((name, rest)) if name == "bavaria" => of_the_program(name, &root(), rest),
        Some((name, rest)) if name == "few-shot" => few_shot(rest),
        Some((name, rest)) if name == "ez" => ez(rest),
        Some((name, rest)) if name == "rag-requests" => rag_requests(rest),
        _ => {
            cargo(&BUILD)?;
            run(Command::new(beside("study")?).args(arguments))
        }
    }
}

/// A study of the user's own command, whose data are named as seen from a folder.
fn of_the_program(name: &str, folder: &Path, arguments: &[String]) -> Result<(), Failed> {
    cargo(&["build", "--release", "--workspace", "--bin", "guestlist"])?;
    let page = format!("study-{name}");
    let out = root().join("target").join(&page);
    let mut command = Command::new(beside("guestlist")?);
    command.args(["study", name, "--quiet"]).args(arguments);
    run_in(folder, command.arg("--out").arg(&out))?;
    keep(&out, &page)
}

/// Further arguments are those of `guestlist study few-shot`; with `--location DIR`, the run `location` in
/// DIR is studied, too.
fn few_shot(arguments: &[String]) -> Result<(), Failed> {
    match arguments {
        [flag, folder, rest @ ..] if flag == "--location" => {
            let location = LOCATION.map(str::to_owned);
            of_the_program("few-shot", Path::new(folder), &[&location, rest].concat())
        }
        _ => of_the_program("few-shot", &root(), arguments),
    }
}

/// Signals are made by `bench/study_ez/signals.py`, whose further arguments these are; a later one outranks what is set
/// here. The page is the user's own command's.
fn ez(arguments: &[String]) -> Result<(), Failed> {
    if !arguments.iter().any(|argument| argument == "--texts") {
        return Err(Failed(
            "`cargo xtask study ez` wants --texts FILE: one long plain text, such as WikiText-2's validation and \
             test parts in one file"
                .into(),
        ));
    }
    let model = smollm2::file()?;
    let path = MODULES.installed()?;
    cargo(&["build", "--release", "--workspace"])?;
    assemble_for_tests()?;
    let places = std::iter::once(assembled()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(places).map_err(|error| Failed(error.to_string()))?;
    let work = root().join("target/study-ez");
    let mut command = Command::new("python3");
    command.env("PYTHONPATH", path);
    command.arg(root().join("bench/study_ez/signals.py"));
    command.arg("--model").arg(model).arg("--work").arg(&work);
    run(command.args(arguments))?;
    ez_page(&work)
}

/// The page of the signals in a folder, whose names say how each was made.
fn ez_page(work: &Path) -> Result<(), Failed> {
    let failed = |error: std::io::Error| Failed(format!("{}: {error}", work.display()));
    let about = std::fs::read_to_string(work.join("about.txt")).map_err(failed)?;
    let mut signals = Vec::new();
    for entry in std::fs::read_dir(work).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        signals.extend(name.into_string().ok());
    }
    signals.retain(|name| name.ends_with(".parquet"));
    signals.sort();
    let mut command = Command::new(beside("guestlist")?);
    command.current_dir(work).args(["study", "ez", "--quiet"]);
    let page = work.join("page");
    run(command
        .args(signals)
        .args(["--about", about.trim()])
        .arg("--out")
        .arg(&page))?;
    keep(&page, "study-ez")
}

/// The page and its numbers go where the repository has them.
fn keep(out: &Path, name: &str) -> Result<(), Failed> {
    for (ending, place) in [("json", "bench/figures"), ("md", "docs")] {
        let file = format!("{name}.{ending}");
        let (from, to) = (out.join(&file), root().join(place).join(&file));
        std::fs::copy(&from, &to).map_err(|error| Failed(format!("{}: {error}", to.display())))?;
    }
    Ok(())
}

/// Further arguments are those of `bench/study_rag_requests/study.py`.
fn rag_requests(arguments: &[String]) -> Result<(), Failed> {
    cargo(&["build", "--release", "--workspace", "--bin", "guestlist"])?;
    let mut command = Command::new("python3");
    command.arg(root().join("bench/study_rag_requests/study.py"));
    command.arg("--program").arg(beside("guestlist")?);
    command
        .arg("--work")
        .arg(root().join("target/study-rag-requests"));
    run(command.args(arguments))
}
