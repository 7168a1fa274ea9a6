//! `cargo xtask study`: pages of docs/ whose numbers are measured anew. `bavaria` is the user's own command, whose
//! page goes to docs/ and whose numbers go to bench/figures; `few-shot` is a program of ours;
//! `ez` fine-tunes models with PyTorch; `rag-requests` audits the embedded retrieval service.

use std::process::Command;

use crate::python::Modules;
use crate::python_package::{assemble_for_tests, assembled};
use crate::shell::{Failed, beside, cargo, root, run};
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

const MODULES: Modules = Modules {
    name: "study-ez",
    imports: "torch, transformers, peft, gguf, pyarrow, numpy",
    requirements: "bench/study_ez/requirements.txt",
    size: "up to 6 GB: PyPI's PyTorch brings CUDA",
};

pub fn measure(arguments: impl Iterator<Item = String>) -> Result<(), Failed> {
    let arguments: Vec<String> = arguments.collect();
    match arguments.split_first() {
        Some((name, rest)) if name == "bavaria" => bavaria(rest),
        Some((name, rest)) if name == "ez" => ez(rest),
        Some((name, rest)) if name == "rag-requests" => rag_requests(rest),
        _ => {
            cargo(&BUILD)?;
            run(Command::new(beside("study")?).args(arguments))
        }
    }
}

/// Further arguments are those of `guestlist study bavaria`; data are named as seen from the root.
fn bavaria(arguments: &[String]) -> Result<(), Failed> {
    cargo(&["build", "--release", "--workspace", "--bin", "guestlist"])?;
    let out = root().join("target/study-bavaria");
    let mut command = Command::new(beside("guestlist")?);
    command
        .current_dir(root())
        .args(["study", "bavaria", "--quiet"]);
    run(command.args(arguments).arg("--out").arg(&out))?;
    for (name, place) in [
        ("study-bavaria.json", "bench/figures"),
        ("study-bavaria.md", "docs"),
    ] {
        let (from, to) = (out.join(name), root().join(place).join(name));
        std::fs::copy(&from, &to).map_err(|error| Failed(format!("{}: {error}", to.display())))?;
    }
    Ok(())
}

/// Further arguments are those of `bench/study_ez/study.py`; a later one outranks what is set here.
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
    let mut command = Command::new("python3");
    command.env("PYTHONPATH", path);
    command.arg(root().join("bench/study_ez/study.py"));
    command.arg("--model").arg(model);
    command.arg("--work").arg(root().join("target/study-ez"));
    let figures = root().join("bench/figures/study-ez.json");
    command.arg("--figures").arg(figures);
    command.arg("--page").arg(root().join("docs/study-ez.md"));
    run(command.args(arguments))
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
