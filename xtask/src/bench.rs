//! Speed beside the field's usual tools: sees to it that they are there, then has them compared.

use std::process::Command;

use crate::bench_language;
use crate::python::Modules;
use crate::shell::{Failed, beside, cargo, run};

/// The whole workspace is chosen, so that others' crates stay as the tests have built them.
const BUILD: [&str; 11] = [
    "build",
    "--release",
    "--workspace",
    "--bin",
    "guestlist-bench",
    "--bin",
    "compare",
    "--bin",
    "sources",
    "--bin",
    "train",
];

pub fn compare() -> Result<(), Failed> {
    cargo(&BUILD)?;
    compared("attacks", NUMPY)?;
    compared("training", TORCH)?;
    bench_language::compare()
}

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

fn compared(what: &str, modules: Modules) -> Result<(), Failed> {
    run(Command::new(beside("compare")?)
        .arg(what)
        .env("PYTHONPATH", modules.installed()?))
}
