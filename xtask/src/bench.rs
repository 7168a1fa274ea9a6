//! Speed beside the field's usual tools: sees to it that they are there, then has them compared.

use std::process::Command;

use crate::bench_language;
use crate::generated;
use crate::python::Modules;
use crate::shell::{Failed, beside, cargo, run};

/// The whole workspace is chosen, so that others' crates stay as the tests have built them.
const BUILD: [&str; 13] = [
    "build",
    "--release",
    "--workspace",
    "--bin",
    "guestlist",
    "--bin",
    "guestlist-bench",
    "--bin",
    "compare",
    "--bin",
    "sources",
    "--bin",
    "train",
];

/// All, or the parts that are named. `--write` keeps the numbers and puts them into the pages that show them;
/// `--before PROGRAM` measures an earlier build beside this one.
pub fn compare(arguments: &[String]) -> Result<(), Failed> {
    let named = |part: &str| arguments.iter().any(|argument| argument == part);
    let all = !PARTS.iter().any(|part| named(part));
    cargo(&BUILD)?;
    if all || named("attacks") {
        compared("attacks", NUMPY, arguments)?;
    }
    if all || named("training") {
        compared("training", TORCH, arguments)?;
    }
    if all || named("language") {
        bench_language::compare(named("--write"))?;
    }
    match named("--write") {
        true => generated::pages(false),
        false => Ok(()),
    }
}

const PARTS: [&str; 3] = ["attacks", "training", "language"];

const NUMPY: Modules = Modules {
    name: "bench-numpy",
    imports: "numpy, scipy, sklearn",
    requirements: "bench/requirements-numpy.txt",
    size: "about 70 MB",
};
const TORCH: Modules = Modules {
    name: "bench-torch",
    imports: "torch",
    requirements: "bench/requirements-torch.txt",
    size: "up to 3 GB",
};

fn compared(what: &str, modules: Modules, arguments: &[String]) -> Result<(), Failed> {
    run(Command::new(beside("compare")?)
        .arg(what)
        .args(arguments)
        .env("PYTHONPATH", modules.installed()?))
}
